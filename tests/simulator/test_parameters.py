"""Kernels that take the address of a parameter, which ``__grid_constant__`` allows."""

from __future__ import annotations

import struct

import numpy as np
import pytest

TABLE = """
struct Table { int a[4]; int b; };
__device__ __noinline__ int look_up(const Table* t, int k) { return t->a[k] + t->b; }
"""
VALUES = struct.pack("<5i", 1, 2, 3, 4, 10)


def launch(bench, body: str, y: int, **options):
    text = TABLE + 'extern "C" __global__ void k(const __grid_constant__ Table t, int* y)\n{\n' + body + "\n}"
    return bench.launch(bench.load(text), "k", (2,), (32,), VALUES, y, **options)


def test_a_parameter_through_a_pointer(bench):
    """A GPU holds it in global memory: its window lies in that one's (PTX ISA 9.0, "Generic Addressing")."""
    y = bench.array(np.zeros(32, np.int32))
    body = """int i = threadIdx.x;
y[i] = look_up(&t, i % 4) + 100 * __isGridConstant(&t) + 200 * __isGlobal(&t) + 400 * __isGridConstant(y);"""
    assert launch(bench, body, y, races=False).fault is None
    assert bench.fetch(y, 32, np.int32).tolist() == [311, 312, 313, 314] * 8


def test_the_next_launch_finds_its_own(bench):
    text = """
extern "C" __global__ void k(const __grid_constant__ Table t, int* y) { *y = look_up(&t, 1); }
extern "C" __global__ void other(int* y) { *y += 1; }"""
    module = bench.load(TABLE + text)
    y = bench.array(np.zeros(1, np.int32))
    for first in (5, 7):
        bench.launch(module, "k", (1,), (1,), struct.pack("<5i", 0, first, 0, 0, 10), y)
        assert bench.launch(module, "other", (1,), (1,), y).fault is None
        assert bench.fetch(y, 1, np.int32).tolist() == [first + 11]


@pytest.mark.parametrize(
    "body, kind, sentence",
    [
        ("*y = look_up(&t, 100 + *y);", "out_of_bounds", "The kernel reads 4 bytes outside of its parameters."),
        (
            'asm volatile("st.u32 [%0], 5;" :: "l"(&t) : "memory");',
            "read_only",
            "The kernel writes to its parameters, which may only be read.",
        ),
        (
            'asm volatile("{ .reg .b64 a; ld.b64 a, [%0 + 4]; st.global.b64 [%1], a; }" :: "l"(&t), "l"(y));',
            "misaligned",
            "The kernel reads 8 bytes at once at byte 4 of its parameters, which is not a multiple of 8.",
        ),
    ],
)
def test_what_may_not_be_done_with_it(bench, body, kind, sentence):
    fault = launch(bench, body, bench.array(np.zeros(2, np.int32), "y")).fault
    assert (fault.kind, fault.sentence, fault.buffer, fault.line) == (kind, sentence, None, fault.line)


def test_its_address_as_one_in_the_window_of_parameters(bench):
    body = """asm volatile("{ .reg .b64 a; .reg .b32 v; cvta.to.param.u64 a, %0; ld.param.b32 v, [a + 8];"
    " st.global.b32 [%1], v; }" :: "l"(&t), "l"(y) : "memory");"""
    y = bench.array(np.zeros(1, np.int32))
    assert launch(bench, body, y, races=False).fault is None
    assert bench.fetch(y, 1, np.int32).tolist() == [3]
