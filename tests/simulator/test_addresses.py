"""Accesses to what they may not touch: the right kind, thread, line, buffer and offset; and nothing is written there."""

from __future__ import annotations

import numpy as np
import pytest
from small_kernels import KERNEL, fault_of, line_of

from grader.simulator.memory import BASE


def test_a_read_past_the_end_of_a_buffer(bench):
    text = (
        KERNEL
        + """(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        y[i] = 2 * x[i];  // here
}"""
    )
    x, y = bench.device.alloc(4000, name="x", read_only=True, fill=0), bench.device.alloc(4096, name="y")
    fault = fault_of(bench, text, x, y, 1000, grid=(4,), block=(256,))
    assert (fault.kind, fault.kernel, fault.block, fault.thread) == (
        "out_of_bounds",
        "k",
        (3, 0, 0),
        (232, 0, 0),
    )
    assert (fault.file, fault.line) == ("kernel.cu", line_of(text))
    assert (fault.buffer, fault.offset, fault.buffer_bytes, fault.size, fault.space) == (
        "x",
        4000,
        4000,
        4,
        "global",
    )
    assert fault.address == x + 4000
    assert fault.sentence == "The kernel reads 4 bytes at byte 4000 of buffer x, which has 4000 bytes."


@pytest.mark.parametrize(
    "body",
    [
        "if (blockIdx.x == 1) {\nif (t == 0)\ny[0] = x[0] = 1; }\nelse {\nwhile (x[0] == 0);  // here\ny[1] = y[0]; }",
        'if (t < 64) {\ny[t] = x[t];  // here\nasm volatile("bar.sync 1, 64;" ::: "memory"); }\nelse\ny[t] = 2 * x[t];',
    ],
)
def test_a_load_that_the_compiler_moved_has_the_line_of_its_use(bench, body):
    text = KERNEL + f"(float* y, float* x)\n{{\nint t = threadIdx.x;\n{body}\n}}"
    fault = fault_of(bench, text, bench.device.alloc(512, fill=0), bench.device.alloc(0, name="x"), block=(96,))
    assert (fault.kind, fault.line, fault.buffer) == ("out_of_bounds", line_of(text), "x")


def test_a_write_in_front_of_a_buffer_changes_nothing(bench):
    text = KERNEL + "(float* y, int k) { y[k] = 1; }"
    before, y = bench.array(np.zeros(128, np.float32), "before"), bench.array(np.zeros(4, np.float32), "y")
    fault = fault_of(bench, text, y, -1, block=(1,))
    assert (fault.kind, fault.buffer, fault.offset) == ("out_of_bounds", "y", -4)
    assert "4 bytes in front of buffer y" in fault.sentence
    assert not bench.fetch(before, 128, np.float32).any() and not bench.fetch(y, 4, np.float32).any()


@pytest.mark.parametrize("index", [1 << 40, -(1 << 40), (1 << 61) - 1, 3 - (1 << 61)])
def test_an_address_anywhere_is_caught(bench, index):
    """Some of these wrap around the last address."""
    text = KERNEL + "(float* y, long long k) { y[threadIdx.x * k] = 1; }"
    y = bench.array(np.zeros(4, np.float32), "y")
    fault = fault_of(bench, text, y, index.to_bytes(8, "little", signed=True), block=(2,))
    assert fault.kind in ("out_of_bounds", "null_pointer", "misaligned") and fault.thread == (1, 0, 0)


def test_a_null_pointer(bench):
    text = KERNEL + "(float* y) { y[threadIdx.x] = 1; }"
    fault = fault_of(bench, text, 0)
    assert (fault.kind, fault.address, fault.buffer) == ("null_pointer", 0, None)


def test_an_address_where_nothing_ever_was(bench):
    text = KERNEL + "(float* y) { y[threadIdx.x] = 1; }"
    fault = fault_of(bench, text, BASE - (1 << 30))
    assert fault.kind == "out_of_bounds" and "no buffer" in fault.sentence


@pytest.mark.parametrize("address", [0x7F3A_1C00_0040, 0x55D4_0000_1000, 0xFFFF_8C00_0000])
def test_an_address_of_the_host(bench, address):
    text = KERNEL + "(float* y) { y[threadIdx.x] = 1; }"
    bench.device.alloc(1024, name="y")
    fault = fault_of(bench, text, address)
    assert (fault.kind, fault.address, fault.buffer, fault.offset) == ("host_pointer", address, None, None)
    assert fault.sentence == (
        f"The kernel writes 4 bytes at {address:#x}, an address of the host's memory, which a GPU cannot use: pass the "
        "device buffer."
    )


def test_a_freed_buffer(bench):
    text = KERNEL + "(float* y) { y[threadIdx.x] = 1; }"
    y = bench.device.alloc(4096, name="old")
    bench.device.free(y)
    fault = fault_of(bench, text, y)
    assert (fault.kind, fault.buffer, fault.offset) == ("freed_pointer", "old", 0)


def test_the_nearest_buffer_is_a_living_one(bench):
    """A freed buffer of the same name lies nearer; only an address inside it is its."""
    y = bench.device.alloc(1024, name="y")
    old = bench.device.alloc(1024, name="y")
    bench.device.free(old)
    text = KERNEL + "(char* p) { *p = 1; }"
    fault = fault_of(bench, text, old - 8, block=(1,))
    assert (fault.kind, fault.buffer, fault.offset) == ("out_of_bounds", "y", old - 8 - y)
    assert fault_of(bench, text, old + 8, block=(1,)).offset == 8


def test_one_byte_in_front_of_a_buffer_reads_well(bench):
    y = bench.device.alloc(1024, name="y")
    fault = fault_of(bench, KERNEL + "(char* p) { *p = 1; }", y - 1, block=(1,))
    assert fault.sentence == "The kernel writes 1 byte starting 1 byte in front of buffer y."


def test_a_misaligned_vector(bench):
    text = KERNEL + "(const float* x, float4* y) { y[0] = *(const float4*)(x + 1); }"
    x, y = bench.device.alloc(64, name="x"), bench.device.alloc(64, name="y")
    fault = fault_of(bench, text, x, y, block=(1,))
    assert (fault.kind, fault.buffer, fault.offset, fault.size) == ("misaligned", "x", 4, 16)
    assert fault.sentence == "The kernel reads 16 bytes at once at byte 4 of buffer x, which is not a multiple of 16."


def test_a_misaligned_vector_in_shared_memory(bench):
    text = KERNEL + "(int k, float4* y) { __shared__ float s[8]; *(float4*)(s + k) = y[0]; y[1] = *(float4*)s; }"
    fault = fault_of(bench, text, 3, bench.device.alloc(32, fill=0), block=(1,))
    assert fault.sentence == (
        "The kernel writes 16 bytes at once at byte 12 of the block's shared memory, which is not a multiple of 16."
    )


@pytest.mark.parametrize("statement", ["x[threadIdx.x] = 1;", "atomicAdd(x, 1.0f);"])
def test_a_write_to_an_input(bench, statement):
    text = KERNEL + "(float* x) { " + statement + " }"
    x = bench.array(np.zeros(32, np.float32), "x", read_only=True)
    fault = fault_of(bench, text, x)
    assert (fault.kind, fault.buffer) == ("read_only", "x")
    assert not bench.fetch(x, 32, np.float32).any()


def test_shared_memory_out_of_bounds(bench):
    text = (
        KERNEL
        + """(float* y)
{
    __shared__ float t[32];
    t[threadIdx.x] = 1;  // here
    __syncthreads();
    y[threadIdx.x] = t[31 - threadIdx.x];
}"""
    )
    fault = fault_of(bench, text, bench.device.alloc(1024), block=(64,))
    assert (fault.kind, fault.thread, fault.line) == ("shared_out_of_bounds", (32, 0, 0), line_of(text))
    assert (fault.address, fault.space) == (128, "shared") and "128 bytes" in fault.sentence


def test_a_negative_index_into_shared_memory(bench):
    text = KERNEL + "(float* y) { extern __shared__ float t[]; t[int(threadIdx.x) - 1] = 1; *y = t[0]; }"
    fault = fault_of(bench, text, bench.device.alloc(4), shared_bytes=256)
    assert (fault.kind, fault.thread) == ("shared_out_of_bounds", (0, 0, 0))


@pytest.mark.parametrize("index", ["int(threadIdx.x) - 100", "(long long)threadIdx.x - 100"])
def test_a_negative_shared_index_is_told_as_one(bench, index):
    text = KERNEL + "(float* y) { extern __shared__ float t[]; t[" + index + "] = 1; *y = t[0]; }"
    fault = fault_of(bench, text, bench.device.alloc(4), shared_bytes=256)
    assert "400 bytes in front of the block's shared memory" in fault.sentence


def test_local_memory_out_of_bounds(bench):
    text = KERNEL + "(int* y, int k) { int a[4] = {1, 2, 3, 4}; a[k & 1] = 7; *y = a[k]; }"
    fault = fault_of(bench, text, bench.device.alloc(4), 100, block=(1,))
    assert (fault.kind, fault.space) == ("out_of_bounds", "local")


@pytest.mark.parametrize("space", ["shared", "global", "local"])
def test_lanes_that_surround_the_address_space_are_caught(bench, space):
    """The first lane points half the address space away, the others into the buffer from both sides."""
    text = f""".version 9.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{{
    .reg .b64 %d<6>; .reg .b32 %r<3>; .reg .pred %q<2>; .shared .align 8 .b8 s[256]; .local .align 8 .b8 l[256];
    mov.u64 %d1, {"s" if space == "shared" else "l" if space == "local" else "0"};
    {"ld.param.u64 %d1, [p];" if space == "global" else ""}
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 8;
    setp.eq.u32 %q1, %r1, 0;
    selp.b64 %d2, 0x8000000000000000, %d2, %q1;
    add.u64 %d1, %d1, %d2;
    st.{space}.u64 [%d1], 1;
    ret;
}}"""
    fault = bench.launch(bench.device.load(text), "k", (1,), (32,), bench.device.alloc(256)).fault
    assert fault.thread == (0, 0, 0) and "out_of_bounds" in fault.kind


@pytest.mark.parametrize(
    "index, told",
    [("65536 * n", True), ("46341 * n", True), ("-n", False), ("n * 1000", False), ("(long long)n << 40", False)],
)
def test_an_int_that_overflowed_is_named(bench, index, told):
    text = KERNEL + f"(float* y, int n) {{ y[{index}] = 1; }}"
    fault = fault_of(bench, text, bench.device.alloc(1024, name="y"), 46341, block=(1,))
    assert fault.kind == "out_of_bounds"
    assert fault.sentence.endswith(": an int index may have overflowed.") == told


def test_a_wild_pointer_is_told_without_a_buffer(bench):
    bench.device.alloc(1024, name="y")
    fault = fault_of(bench, KERNEL + "(char* p) { *p = 1; }", 0x12_3456_7890, block=(1,))
    assert fault.buffer is None
    assert fault.sentence == "The kernel writes 1 byte at 0x1234567890, an address where no buffer is."


def test_an_index_in_front_of_a_local_array(bench):
    text = KERNEL + "(int* y, int n) { int a[8]; for (int i = 0; i < 8; i++) a[i] = y[i]; a[n] += 1; y[0] = a[y[1]]; }"
    y = bench.array(np.zeros(8, np.int32), "y")
    assert fault_of(bench, text, y, -3, block=(1,)).sentence.endswith("too large or negative.")


def test_a_write_to_a_constant_variable(bench):
    text = "__constant__ int c[4];" + KERNEL + "(int* y, int n) { int* p = n ? (int*)c : y; p[threadIdx.x] = 2; }"
    fault = fault_of(bench, text, bench.array(np.zeros(32, np.int32), "y"), 1)
    assert (fault.kind, fault.buffer) == ("read_only", "c")
    assert "__constant__" in fault.sentence
