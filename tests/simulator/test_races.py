"""Races: every wrong program is told, with both threads and both lines; no right one is blamed.

``corpus/`` has whole kernels; these are the rules one by one.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from conftest import Bench
from small_kernels import KERNEL, fault_of, line_of

from grader.simulator import Device

HEAD = """#include <cuda_bf16.h>
extern "C" __global__ void NAME(int* x, int* y, unsigned* f)
{
    __shared__ int s[256];
    int t = threadIdx.x, b = blockIdx.x, lane = t % 32, w = t / 32, i = b * blockDim.x + t;
    volatile int* vs = s;
    volatile int* vx = x;
    volatile unsigned* vf = f;
    s[t] = 0;
    __syncthreads();
"""

# name: (statements, blocks, threads, word of the sentence)
WRONG = {
    "no barrier between warps": ("s[t] = t; y[t] = s[t ^ 32];", 1, 64, "__syncthreads()"),
    "no barrier in a warp": ("s[t] = t; y[t] = s[t ^ 1];", 1, 32, "__syncwarp()"),
    "a shuffle is no barrier": ("s[t] = t; __shfl_sync(~0u, t, 0); y[t] = s[t ^ 1];", 1, 32, "__syncwarp()"),
    "a vote is no barrier": ("s[t] = t; if (__any_sync(~0u, t < 5)) y[t] = s[t ^ 1];", 1, 32, "__syncwarp()"),
    "__syncwarp() is for one warp": ("s[t] = t; __syncwarp(); y[t] = s[t ^ 32];", 1, 64, "__syncthreads()"),
    "__syncwarp() of some lanes": (
        "s[t] = t; if (t < 16) __syncwarp(0xffff); y[t] = s[t ^ 31];", 1, 32, "__syncwarp()"),
    "write after read": ("s[t] = t; __syncthreads(); int v = s[(t + 1) % 64]; s[t] = v; __syncthreads(); y[t] = s[t];",
                         1, 64, "missing"),
    "write after read in global memory": ("int v = y[(t + 1) % 64]; y[t] = v + t;", 1, 64, "missing"),
    "the second barrier of a loop": (
        "for (int n = 0; n < 4; n++) { s[t] = x[t + n]; __syncthreads(); y[t] += s[t ^ 40]; }", 1, 64, "missing"),
    "two write different values": ("s[t / 2] = t; __syncthreads(); y[t] = s[t / 2];", 1, 32, "let one of them"),
    "two warps write different values": ("s[lane] = t; __syncthreads(); y[t] = s[lane];", 1, 64, "let one of them"),
    "two blocks write different values": ("y[t] = i;", 2, 32, "let one of them"),
    "a sum without an atomic": ("y[0] += x[i] + 1;", 1, 32, ""),
    "a histogram without atomics": ("y[x[i] % 4] += 1;", 2, 32, ""),
    "a neighbour's result": ("y[i] = i; x[i] = y[(i + 32) % 64];", 2, 32, "second kernel"),
    "in place, shifted": ("if (i < 63) y[i] = y[i + 1];", 2, 32, ""),
    "an atomic and a plain read": ("atomicAdd(&y[0], 1); x[t] = y[0];", 1, 64, "volatile read"),
    "a plain read, then atomics of its warp and of others": (
        "if (t == 0) x[0] = y[9]; if (t < 32) { __syncwarp(); if (t == 1) atomicAdd(&y[9], 1); }"
        "else if (t == 32) atomicAdd(&y[9], 1);", 1, 64, ""),
    "an atomic of another warp, one of its own, then a plain read": (
        "if (t == 0) atomicAdd(&y[9], 1); if (t == 32) { atomicAdd(&y[9], 1); x[0] = y[9]; }", 1, 64, ""),
    "an atomic and a plain store": ("if (t == 0) y[0] = 5; atomicAdd(&y[0], 1);", 1, 64, ""),
    "a shared counter zeroed late": ("if (t == 0) s[0] = 0; atomicAdd(&s[0], 1); __syncthreads(); y[t] = s[0];",
                                     1, 64, ""),
    "volatile in lockstep": ("vs[t] = t; y[t] = vs[t ^ 1];", 1, 32, "since Volta"),
    "volatile in lockstep behind a wait for another": (
        "vs[t] = t + 1; while (vs[t ^ 1] == 0) ; y[t] = vs[t ^ 2];", 1, 32, "since Volta"),
    "volatile in lockstep, a loop": (
        "vs[t] = x[t]; if (t < 32) { vs[t] += vs[t + 32]; for (int d = 16; d; d /= 2) vs[t] += vs[t + d]; }",
        1, 64, ""),
    "bytes": ("char* c = (char*)s; c[t] = t; __syncthreads(); c[t] = c[(t + 1) % 64]; __syncthreads(); y[t] = c[t];",
              1, 64, "missing"),
    "a byte of a word": ("s[t] = t; y[t] = ((char*)s)[4 * (t ^ 32)];", 1, 64, "missing"),
    "a vector over words": ("s[t] = t; __syncthreads(); if (t < 8) ((int4*)s)[t] = {1, 2, 3, 4}; y[t] = s[t ^ 7];",
                            1, 64, "missing"),
    "a flag without a fence": (
        "if (b == 0) { if (t == 0) { x[0] = 7; vf[0] = 1; } }"
        "else if (t == 0) { while (!vf[0]); __threadfence(); y[0] = x[0]; }", 2, 32, "fences"),
    "a flag without an acquire": (
        "if (b == 0) { if (t == 0) { x[0] = 7; __threadfence(); vf[0] = 1; } }"
        "else if (t == 0) { while (!vf[0]); y[0] = x[0]; }", 2, 32, "fences"),
    "a plain flag": ("if (b == 0 && t == 0) { x[0] = 7; __threadfence(); f[0] = 1; }"
                     "if (b == 1 && t == 0 && f[0]) y[0] = x[0];", 2, 32, ""),
    "a fence of the block for another block": (
        "if (b == 0) { if (t == 0) { x[0] = 7; __threadfence_block(); vf[0] = 1; } }"
        "else if (t == 0) { while (!vf[0]); __threadfence(); y[0] = x[0]; }", 2, 32, "fences"),
    "atomics of the block from two blocks": (
        "if (t == 0) { atomicAdd_block(&y[0], 1); }", 2, 32, ""),
    "the last block, no fence": (
        "x[i] = i; __syncthreads(); __shared__ bool last; if (t == 0) last = atomicAdd(f, 1u) == gridDim.x - 1;"
        "__syncthreads(); if (last) y[t] = x[t] + x[t + 64];", 2, 64, "fences"),
    "the last block, counted before the barrier": (
        "x[i] = i; __shared__ bool last; if (t == 0) { __threadfence(); last = atomicAdd(f, 1u) == gridDim.x - 1; }"
        "__syncthreads(); if (last) y[t] = x[t] + x[t + 64];", 2, 64, "fences"),
    "the last block, no fence behind the counter": (
        "x[i] = i; __threadfence(); __syncthreads(); __shared__ bool last;"
        "if (t == 0) last = atomicAdd(f, 1u) == gridDim.x - 1;"
        "__syncthreads(); if (last) y[t] = x[t] + x[t + 64];", 2, 64, "fences"),
    "a fence before the barrier by one thread alone": (
        "x[i] = i; if (t == 0) __threadfence(); __syncthreads(); __shared__ bool last;"
        "if (t == 0) last = atomicAdd(f, 1u) == gridDim.x - 1;"
        "__syncthreads(); if (last) y[t] = x[t] + x[t + 64];", 2, 64, "fences"),
    "a lock without fences": (
        "if (t == 0) { while (atomicCAS(f, 0u, 1u)); y[0] += 1; atomicExch(f, 0u); }", 2, 32, "atomic"),
    "a lock given back by a plain store": (
        "if (t == 0) { while (atomicCAS(f, 0u, 1u)); __threadfence(); y[0] += 1; __threadfence(); *f = 0; }", 2, 32, ""),
    "a compare-and-swap with what was read elsewhere": (
        "int old = y[1]; atomicCAS(&y[0], old, t + 1); atomicAdd(&y[1], 1);", 2, 64, ""),
    "blocks that take turns": (  # at a named barrier the first block is put aside
        "if (b == 0 && t == 64) x[5] = 7; if (t >= 64) return;"
        'if (w == 0) asm volatile("bar.sync 1, 64;" ::: "memory"); else asm volatile("bar.arrive 1, 64;" ::: "memory");'
        "y[t + 64 * b] = t; if (b == 1 && t < 2) y[500 + t] = vx[5 - t];", 2, 96, ""),
    "barriers of half a block": (
        'if (t < 64) { s[t] = t; asm volatile("bar.sync 1, 64;" ::: "memory"); } else y[t] = s[t - 64];', 1, 128, ""),
}  # fmt: skip

# name: (statements, blocks, threads)
RIGHT = {
    "a barrier": ("s[t] = t; __syncthreads(); y[t] = s[t ^ 32];", 1, 64),
    "a barrier of the warp": ("s[t] = t; __syncwarp(); y[t] = s[t ^ 1];", 1, 64),
    "a barrier of some lanes": ("if (t < 16) { s[t] = t; __syncwarp(0xffff); y[t] = s[t ^ 15]; }", 1, 32),
    "barriers of some lanes, one after the other": (
        "if (t == 0) s[0] = 7; if (t < 16) __syncwarp(0xffff); if (t >= 8 && t < 24) {} "
        "if (t < 8 || t > 15) {} __syncwarp(); y[t] = s[0];", 1, 32),
    "two barriers of a loop": (
        "for (int n = 0; n < 4; n++) { s[t] = x[t + n]; __syncthreads(); y[t] += s[t ^ 40]; __syncthreads(); }", 1, 64),
    "a reduction": ("s[t] = t; __syncthreads(); for (int d = 32; d; d /= 2) { if (t < d) s[t] += s[t + d];"
                    "__syncthreads(); } if (t == 0) y[0] = s[0];", 1, 64),
    "one warp's sums, then all": (
        "int v = t; for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d); if (lane == 0) s[w] = v;"
        "__syncthreads(); y[t] = s[0] + s[1];", 1, 64),
    "read, shuffle, write": ("s[t] = t; __syncwarp(); int v = s[31 - t]; v = __shfl_xor_sync(~0u, v, 1);"
                             "if (t == 5) s[9] = v; __syncwarp(); y[t] = s[t];", 1, 32),
    "the same value": ("if (x[i] == 0) y[0] = 1;", 2, 64),
    "the same value in shared memory": ("s[0] = 3; __syncthreads(); y[t] = s[0];", 1, 64),
    "neighbouring bytes": ("char* c = (char*)s; c[t] = t; __syncthreads(); y[t] = c[t ^ 3];", 1, 64),
    "neighbouring halves and words": (
        "short* h = (short*)s; if (t < 32) h[t] = t; else s[t] = t; ((char*)y)[i] = t; __syncthreads(); x[t] = s[t / 2];",
        2, 64),
    "an element's own thread": ("for (int n = 0; n < 3; n++) y[i] += x[i] + n; x[i] = y[i];", 2, 64),
    "a vector's own thread": ("int4* v = (int4*)y; v[i].x = t; v[i] = {t, 1, 2, v[i].x};", 2, 64),
    "atomics": ("atomicAdd(&y[t % 3], 1); atomicMax(&y[5], i); atomicAdd(&s[0] - 0 + 0, 0 * (s[0] = 0));", 1, 1),
    "a histogram": ("if (t < 32) s[t] = 0; __syncthreads(); atomicAdd(&s[t % 32], 1); __syncthreads();"
                    "if (t < 32) atomicAdd(&y[t], s[t]);", 4, 64),
    "volatile against volatile": ("vs[0] = t; __syncthreads(); vx[0] = vs[0]; vx[0] = i;", 2, 64),
    "volatile against an atomic": ("atomicAdd(f, 1u); y[i] = vf[0] > 0;", 2, 64),
    "volatile in lockstep, with barriers": (
        "vs[t] = t; __syncwarp(); int v = vs[t ^ 1]; __syncwarp(); vs[t] = v; __syncwarp(); y[t] = vs[t ^ 2];", 1, 64),
    "volatile flags of two lanes": (
        "vs[t] = t + 1; while (vs[t ^ 1] == 0) ; __threadfence_block(); y[t] = 1;", 1, 32),
    "volatile flags, read again": (
        "vs[t] = t + 1; while (vs[t ^ 1] == 0) ; y[t] = vs[t ^ 1];", 1, 32),
    "volatile flags, more between": (
        "vs[t] = t + 1; int n = 0; while (vs[t ^ 1] == 0) if (n++ > 9) y[5] = 0; y[t] = 1;", 1, 32),
    "a volatile flag that many raise": (
        "for (int k = 0; k < 4 && vs[0] == 0; k++) if (x[t + k] == 0) vs[0] = 1; y[t] = vs[0];", 1, 32),
    "volatile between the halves of a warp": (
        "if (lane < 16) vs[t] = t; else y[t] = vs[t - 16];", 1, 32),
    "volatile, each lane its own": ("for (int k = 0; k < 5; k++) vs[t] += k; y[t] = vs[t];", 1, 32),
    "a flag": ("if (b == 0) { if (t == 0) { x[0] = 7; __threadfence(); vf[0] = 1; } }"
               "else if (t == 0) { while (!vf[0]); __threadfence(); y[0] = x[0]; }", 2, 32),
    "a flag, a whole block behind it": (
        "if (b == 0) { x[t] = t; __syncthreads(); if (t == 0) { __threadfence(); vf[0] = 1; } }"
        "else { if (t == 0) { while (!vf[0]); __threadfence(); } __syncthreads(); y[t] = x[63 - t]; }", 2, 64),
    "a flag by acquire and release": (
        'if (b == 0) { if (t == 0) { x[0] = 7; asm volatile("st.release.gpu.global.u32 [%0], 1;" :: "l"(f) : "memory");'
        '} } else if (t == 0) { unsigned v; do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(f)'
        ' : "memory"); while (!v); y[0] = x[0]; }', 2, 32),
    "a flag of the block": (
        "if (t == 0) { s[5] = 7; __threadfence_block(); vs[0] = 0; vs[1] = 1; }"
        "if (t == 32) { while (vs[1] != 1); __threadfence_block(); y[b] = s[5]; }", 1, 64),
    "a chain of blocks": (
        "if (t == 0) { if (b) { while (vf[b - 1] == 0); __threadfence(); } x[b] = b + (b ? x[b - 1] : 0);"
        "__threadfence(); vf[b] = 1; if (b == 3) y[0] = x[0] + x[1] + x[2] + x[3]; }", 4, 32),
    "the last block": (
        "x[i] = i; __threadfence(); __syncthreads(); __shared__ bool last;"
        "if (t == 0) last = atomicAdd(f, 1u) == gridDim.x - 1; __syncthreads();"
        "if (last) { __threadfence(); y[t] = x[t] + x[t + 64]; }", 2, 64),
    "the last block, one fence for all": (
        "x[i] = i; __syncthreads(); __shared__ bool last;"
        "if (t == 0) { __threadfence(); last = atomicAdd(f, 1u) == gridDim.x - 1; __threadfence(); }"
        "__syncthreads(); if (last) y[t] = x[t] + x[t + 64];", 2, 64),
    "the last block as in the programming guide": (
        "__shared__ bool last; if (t == 0) { vx[b] = b; __threadfence(); last = atomicInc(f, gridDim.x) == gridDim.x - 1; }"
        "__syncthreads(); if (last) { y[t] = vx[0] + vx[1]; if (t == 0) { vx[0] = y[0]; *f = 0; } }", 2, 64),
    "the last block reads plain stores by volatile": (
        "x[i] = i; __threadfence(); __syncthreads(); __shared__ bool last;"
        "if (t == 0) last = atomicAdd(f, 1u) == gridDim.x - 1; __syncthreads(); if (last) y[t] = vx[t] + vx[t + 64];", 2, 64),
    "a lock": ("if (t == 0) { while (atomicCAS(f, 0u, 1u)); __threadfence(); y[0] += 1; __threadfence();"
               "atomicExch(f, 0u); }", 4, 32),
    "barriers of two halves": (
        'asm volatile("bar.sync %0, 64;" :: "r"(1 + w / 2) : "memory"); s[t] = t;'
        'asm volatile("bar.sync %0, 64;" :: "r"(1 + w / 2) : "memory"); y[t] = s[t ^ 32];', 1, 128),
    "who arrives and who waits": (
        'if (t < 32) { s[t] = t; __threadfence_block(); asm volatile("bar.arrive 1, 64;" ::: "memory"); }'
        'else { asm volatile("bar.sync 1, 64;" ::: "memory"); y[t] = s[t ^ 33]; }', 1, 64),
    "two kernels' work in one block after the other": ("y[t] = t; __syncthreads(); x[t] = y[63 - t];", 1, 64),
    "the programming guide's loop of compare-and-swap": (
        "int old = y[0], seen; do { seen = old; old = atomicCAS(&y[0], seen, seen + 3); } while (old != seen);", 2, 64),
    "such a loop for floats in shared memory, the first look by another name": (
        "float* q = (float*)&s[2]; float old = *q, seen; do { seen = old; old = __int_as_float(atomicCAS(&s[2],"
        "__float_as_int(seen), __float_as_int(seen + 1))); } while (old != seen);", 1, 128),
    "such a loop for a field behind another": (
        "unsigned long long *p = (unsigned long long*)(x + 2 * (t % 4)) + 1, old = *p, seen;"
        "do { seen = old; old = atomicCAS(p, seen, seen + 3); } while (old != seen);", 2, 64),
    "an atomic of the toolkit that is such a loop": (
        "atomicAdd((__nv_bfloat16*)y + t % 2, __float2bfloat16(1));", 2, 64),
    "threads that have left": ("s[t] = t; if (t >= 40) return; __syncthreads(); y[t] = s[63 - t];", 1, 64),
}  # fmt: skip


@pytest.fixture(scope="module")
def every():
    """A device with all programs in one module, which is compiled once."""

    def kernel(number: int, statements: str) -> str:
        # A line for each statement; the semicolons of inline assembly stay.
        lines = re.sub(r';(?=([^"]*"[^"]*")*[^"]*$)', ";\n", statements)
        return f"{HEAD.replace('NAME', f'k{number}')}{lines}\n}}\n"

    with Device.in_process() as device:
        bench = Bench(device)
        programs = [*WRONG.items(), *RIGHT.items()]
        text = "".join(kernel(k, program[0]) for k, (_, program) in enumerate(programs))
        yield bench, bench.load(text), {name: f"k{k}" for k, (name, _) in enumerate(programs)}


def launch(every, name, **options):
    bench, module, kernels = every
    _, blocks, threads = (WRONG.get(name) or RIGHT[name])[:3]
    buffers = [bench.array(np.zeros(1024, np.int32), name) for name in ("x", "y", "f")]
    return bench.launch(module, kernels[name], (blocks,), (threads,), *buffers, **options).fault


@pytest.mark.parametrize("name", WRONG)
def test_wrong(every, name):
    fault = launch(every, name)
    assert fault is not None and fault.kind == "race", fault
    assert fault.line and fault.other.line and fault.other.file == "kernel.cu"
    assert (fault.thread, fault.block) != (fault.other.thread, fault.other.block)
    assert WRONG[name][3] in fault.sentence and "nothing orders the two" in fault.sentence


@pytest.mark.parametrize("name", RIGHT)
def test_right(every, name):
    assert launch(every, name) is None


def test_races_are_not_looked_for_where_nobody_asks(every):
    assert launch(every, "two blocks write different values", races=False) is None


def test_both_sides_are_told(bench):
    text = """extern "C" __global__ void k(float* y)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = 0;
    __syncthreads();
    tile[threadIdx.x] = threadIdx.x;  // one
    float v = tile[63 - threadIdx.x];  // two
    y[threadIdx.x] = v;
}"""
    fault = fault_of(bench, text, bench.device.alloc(256), block=(64,))
    lines = {line_of(text, "// one"), line_of(text, "// two")}
    assert fault.kind == "race" and {fault.line, fault.other.line} == lines
    assert (fault.space, fault.size, fault.buffer) == ("shared", 4, None) and fault.block == fault.other.block
    x, other = fault.thread[0], fault.other.thread[0]
    assert x + other == 63 and fault.sentence == (
        f"Thread ({other}, 0, 0) reads byte {4 * x} of shared memory on line {fault.other.line} and thread ({x}, 0, 0) "
        f"writes it on line {fault.line}, and nothing orders the two: a __syncthreads() is missing between them."
    )


def test_blocks_that_race_are_told_with_their_blocks(every):
    fault = launch(every, "two blocks write different values")
    assert (fault.buffer, fault.offset, fault.block, fault.other.block) == ("y", 0, (1, 0, 0), (0, 0, 0))
    assert fault.sentence == (
        f"Thread (0, 0, 0) of block (0, 0, 0) writes byte 0 of buffer y on line {fault.line} and thread (0, 0, 0) of "
        "block (1, 0, 0) does so too, on the same line, and nothing orders the two: let one of them write, or use an atomic "
        "function."
    )


@pytest.mark.parametrize(
    "grid, threads, remedy",
    [
        (1, 32, "a __syncwarp() is missing between them."),
        (1, 64, "a __syncthreads() is missing between them (a __syncwarp() is enough where no other warp takes part)."),
        (2, 64, "no other warp takes part); between blocks no barrier helps: write to another buffer."),
    ],
)
def test_the_remedy_is_the_one_for_all_threads_that_may_meet(bench, grid, threads, remedy):
    text = """extern "C" __global__ void k(float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float left = y[i];
    y[i + 1] = left;
}"""
    fault = fault_of(bench, text, bench.device.alloc(4096, fill=0), grid=(grid,), block=(threads,))
    assert fault.sentence.endswith(remedy)


def test_blocks_that_look_and_then_write_the_same_element_need_an_atomic_function(bench):
    text = """extern "C" __global__ void k(int* best)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v > best[v & 7])
        best[v & 7] = v;
}"""
    fault = fault_of(bench, text, bench.device.alloc(64, fill=0), grid=(2,), block=(64,))
    assert fault.sentence.endswith("; between blocks no barrier helps: use an atomic function.")


def test_chosen_blocks_of_a_sparse_buffer_stay_cheap(bench):
    text = 'extern "C" __global__ void k(char* y) { y[(size_t(blockIdx.x) << 8) + threadIdx.x] = 1; }'
    y = bench.device.alloc(1 << 33, name="y", sparse=True)
    grid = (1 << 25,)
    result = bench.launch(bench.load(text), "k", grid, (256,), y, blocks=((1 << 25) - 4, 1 << 25))
    assert result.fault is None and result.seconds < 0.5


def test_a_store_beside_atomics_of_other_blocks(bench):
    text = KERNEL + "(int* y) { if (threadIdx.x == 0) y[0] = 0; atomicAdd(y, 1); }"
    fault = fault_of(bench, text, bench.array(np.zeros(4, np.int32)), grid=(2,), block=(64,))
    assert fault.kind == "race" and "between blocks no barrier helps" in fault.sentence
