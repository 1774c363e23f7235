"""Every kind of fault: the right kind, thread, line, buffer and offset; and nothing is written outside."""

from __future__ import annotations

import numpy as np
import pytest

from grader.simulator.backend import DEFAULT_BUDGET
from grader.simulator.memory import BASE

KERNEL = 'extern "C" __global__ void k'


def line_of(text: str, mark: str = "// here") -> int:
    return next(k for k, line in enumerate(text.splitlines(), 1) if mark in line)


def run(bench, text, *args, grid=(1,), block=(32,), **options):
    return bench.launch(bench.load(text), "k", grid, block, *args, **options).fault


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
    fault = run(bench, text, x, y, 1000, grid=(4,), block=(256,))
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
    fault = run(bench, text, bench.device.alloc(512, fill=0), bench.device.alloc(0, name="x"), block=(96,))
    assert (fault.kind, fault.line, fault.buffer) == ("out_of_bounds", line_of(text), "x")


def test_a_write_in_front_of_a_buffer_changes_nothing(bench):
    text = KERNEL + "(float* y, int k) { y[k] = 1; }"
    before, y = bench.array(np.zeros(128, np.float32), "before"), bench.array(np.zeros(4, np.float32), "y")
    fault = run(bench, text, y, -1, block=(1,))
    assert (fault.kind, fault.buffer, fault.offset) == ("out_of_bounds", "y", -4)
    assert "4 bytes in front of buffer y" in fault.sentence
    assert not bench.fetch(before, 128, np.float32).any() and not bench.fetch(y, 4, np.float32).any()


@pytest.mark.parametrize("index", [1 << 40, -(1 << 40), (1 << 61) - 1, 3 - (1 << 61)])
def test_an_address_anywhere_is_caught(bench, index):
    """Some of these wrap around the last address."""
    text = KERNEL + "(float* y, long long k) { y[threadIdx.x * k] = 1; }"
    y = bench.array(np.zeros(4, np.float32), "y")
    fault = run(bench, text, y, index.to_bytes(8, "little", signed=True), block=(2,))
    assert fault.kind in ("out_of_bounds", "null_pointer", "misaligned") and fault.thread == (1, 0, 0)


def test_a_null_pointer(bench):
    text = KERNEL + "(float* y) { y[threadIdx.x] = 1; }"
    fault = run(bench, text, 0)
    assert (fault.kind, fault.address, fault.buffer) == ("null_pointer", 0, None)


def test_an_address_where_nothing_ever_was(bench):
    text = KERNEL + "(float* y) { y[threadIdx.x] = 1; }"
    fault = run(bench, text, BASE - (1 << 30))
    assert fault.kind == "out_of_bounds" and "no buffer" in fault.sentence


@pytest.mark.parametrize("address", [0x7F3A_1C00_0040, 0x55D4_0000_1000, 0xFFFF_8C00_0000])
def test_an_address_of_the_host(bench, address):
    text = KERNEL + "(float* y) { y[threadIdx.x] = 1; }"
    bench.device.alloc(1024, name="y")
    fault = run(bench, text, address)
    assert (fault.kind, fault.address, fault.buffer, fault.offset) == ("host_pointer", address, None, None)
    assert fault.sentence == (
        f"The kernel writes 4 bytes at {address:#x}, an address of the host's memory, which a GPU cannot use: pass the "
        "device buffer."
    )


def test_a_freed_buffer(bench):
    text = KERNEL + "(float* y) { y[threadIdx.x] = 1; }"
    y = bench.device.alloc(4096, name="old")
    bench.device.free(y)
    fault = run(bench, text, y)
    assert (fault.kind, fault.buffer, fault.offset) == ("freed_pointer", "old", 0)


def test_the_nearest_buffer_is_a_living_one(bench):
    """A freed buffer of the same name lies nearer; only an address inside it is its."""
    y = bench.device.alloc(1024, name="y")
    old = bench.device.alloc(1024, name="y")
    bench.device.free(old)
    text = KERNEL + "(char* p) { *p = 1; }"
    fault = run(bench, text, old - 8, block=(1,))
    assert (fault.kind, fault.buffer, fault.offset) == ("out_of_bounds", "y", old - 8 - y)
    assert run(bench, text, old + 8, block=(1,)).offset == 8


def test_one_byte_in_front_of_a_buffer_reads_well(bench):
    y = bench.device.alloc(1024, name="y")
    fault = run(bench, KERNEL + "(char* p) { *p = 1; }", y - 1, block=(1,))
    assert fault.sentence == "The kernel writes 1 byte starting 1 byte in front of buffer y."


def test_a_misaligned_vector(bench):
    text = KERNEL + "(const float* x, float4* y) { y[0] = *(const float4*)(x + 1); }"
    x, y = bench.device.alloc(64, name="x"), bench.device.alloc(64, name="y")
    fault = run(bench, text, x, y, block=(1,))
    assert (fault.kind, fault.buffer, fault.offset, fault.size) == ("misaligned", "x", 4, 16)
    assert fault.sentence == "The kernel reads 16 bytes at once at byte 4 of buffer x, which is not a multiple of 16."


def test_a_misaligned_vector_in_shared_memory(bench):
    text = KERNEL + "(int k, float4* y) { __shared__ float s[8]; *(float4*)(s + k) = y[0]; y[1] = *(float4*)s; }"
    fault = run(bench, text, 3, bench.device.alloc(32, fill=0), block=(1,))
    assert fault.sentence == (
        "The kernel writes 16 bytes at once at byte 12 of the block's shared memory, which is not a multiple of 16."
    )


@pytest.mark.parametrize("statement", ["x[threadIdx.x] = 1;", "atomicAdd(x, 1.0f);"])
def test_a_write_to_an_input(bench, statement):
    text = KERNEL + "(float* x) { " + statement + " }"
    x = bench.array(np.zeros(32, np.float32), "x", read_only=True)
    fault = run(bench, text, x)
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
    fault = run(bench, text, bench.device.alloc(1024), block=(64,))
    assert (fault.kind, fault.thread, fault.line) == ("shared_out_of_bounds", (32, 0, 0), line_of(text))
    assert (fault.address, fault.space) == (128, "shared") and "128 bytes" in fault.sentence


def test_a_negative_index_into_shared_memory(bench):
    text = KERNEL + "(float* y) { extern __shared__ float t[]; t[int(threadIdx.x) - 1] = 1; *y = t[0]; }"
    fault = run(bench, text, bench.device.alloc(4), shared_bytes=256)
    assert (fault.kind, fault.thread) == ("shared_out_of_bounds", (0, 0, 0))


@pytest.mark.parametrize("index", ["int(threadIdx.x) - 100", "(long long)threadIdx.x - 100"])
def test_a_negative_shared_index_is_told_as_one(bench, index):
    text = KERNEL + "(float* y) { extern __shared__ float t[]; t[" + index + "] = 1; *y = t[0]; }"
    fault = run(bench, text, bench.device.alloc(4), shared_bytes=256)
    assert "400 bytes in front of the block's shared memory" in fault.sentence


def test_local_memory_out_of_bounds(bench):
    text = KERNEL + "(int* y, int k) { int a[4] = {1, 2, 3, 4}; a[k & 1] = 7; *y = a[k]; }"
    fault = run(bench, text, bench.device.alloc(4), 100, block=(1,))
    assert (fault.kind, fault.space) == ("out_of_bounds", "local")


def test_shared_memory_that_nobody_wrote(bench):
    text = (
        KERNEL
        + """(float* y)
{
    __shared__ float t[64];
    if (threadIdx.x < 40) t[threadIdx.x] = 1;
    __syncthreads();
    y[threadIdx.x] = t[threadIdx.x];  // here
}"""
    )
    fault = run(bench, text, bench.device.alloc(1024), block=(64,))
    assert (fault.kind, fault.thread, fault.line) == ("uninitialised_shared", (40, 0, 0), line_of(text))


def test_each_block_begins_with_fresh_shared_memory(bench):
    text = KERNEL + "(int* y) { __shared__ volatile int t; if (blockIdx.x == 0) t = 1; *y = t; }"
    assert run(bench, text, bench.device.alloc(4), grid=(2,), block=(1,)).block == (1, 0, 0)


def test_a_missing_barrier_shows(bench):
    text = (
        KERNEL
        + """(float* y)
{
    __shared__ float t[256];
    t[threadIdx.x] = 1;
    y[threadIdx.x] = t[255 - threadIdx.x];  // here
}"""
    )
    fault = run(bench, text, bench.device.alloc(1024), block=(256,))
    assert (fault.kind, fault.line) == ("uninitialised_shared", line_of(text))


def test_a_barrier_in_divergent_code(bench):
    text = (
        KERNEL
        + """(float* y)
{
    __shared__ float t[32];
    t[threadIdx.x] = 1;
    if (threadIdx.x & 1) {
        __syncthreads();  // here
        y[threadIdx.x] = t[threadIdx.x ^ 2];
    } else {
        y[threadIdx.x] = t[threadIdx.x];
    }
}"""
    )
    fault = run(bench, text, bench.device.alloc(128))
    assert (fault.kind, fault.line, fault.thread) == ("barrier", line_of(text), (0, 0, 0))


def test_threads_that_left_are_not_waited_for(bench):
    text = (
        KERNEL
        + """(int* y, int n)
{
    __shared__ int t[64];
    t[threadIdx.x] = threadIdx.x;
    if (threadIdx.x >= n) return;
    __syncthreads();
    y[threadIdx.x] = t[n - 1 - threadIdx.x];
}"""
    )
    y = bench.device.alloc(256)
    assert run(bench, text, y, 40, block=(64,)) is None
    np.testing.assert_array_equal(bench.fetch(y, 40, np.int32), np.arange(40)[::-1])


def test_a_shuffle_without_some_of_its_lanes(bench):
    text = (
        KERNEL
        + """(float* y)
{
    float v = threadIdx.x;
    if (threadIdx.x < 16)
        v += __shfl_down_sync(0xffffffffu, v, 8);  // here
    y[threadIdx.x] = v;
}"""
    )
    fault = run(bench, text, bench.device.alloc(128))
    assert (fault.kind, fault.line, fault.thread) == ("shuffle", line_of(text), (16, 0, 0))
    assert "0xffffffff" in fault.sentence


def test_a_shuffle_whose_mask_leaves_out_the_caller(bench):
    text = KERNEL + "(int* y) { y[threadIdx.x] = __shfl_sync(0xffffu, threadIdx.x, 0); }"
    fault = run(bench, text, bench.device.alloc(128))
    assert (fault.kind, fault.thread) == ("shuffle", (16, 0, 0)) and "its own lane" in fault.sentence


def test_a_loop_without_an_end(bench):
    text = (
        KERNEL
        + """(volatile int* y)
{
    while (y[0] == 0) {}  // here
    y[1] = 1;
}"""
    )
    fault = run(bench, text, bench.array(np.zeros(2, np.int32)), instruction_budget=100_000)
    assert (fault.kind, fault.line) == ("budget", line_of(text))
    assert DEFAULT_BUDGET > 100_000 and "after 100,000 instructions" in fault.sentence


def test_warps_that_wait_for_each_other_take_turns(bench):
    text = (
        KERNEL
        + """(volatile int* y)
{
    __shared__ int sum[2];
    if (threadIdx.x < 32) {
        while (y[1] == 0) {}
        y[0] = 7;
    } else {
        y[1] = 1;
        while (y[0] == 0) {}
        y[2] = 9;
    }
    sum[threadIdx.x / 32] = y[threadIdx.x / 32];
    __syncthreads();
    y[3] = sum[0] + sum[1];
}"""
    )
    module, seen = bench.load(text), []
    for _ in range(2):
        y = bench.array(np.zeros(4, np.int32))
        launch = bench.launch(module, "k", (1,), (64,), y)
        assert launch.fault is None
        assert bench.fetch(y, 4, np.int32).tolist() == [7, 1, 9, 8]
        seen.append(launch.counters)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("spare, kind", [(0, None), (-1, "budget")])
def test_turns_do_not_change_the_budget(bench, spare, kind):
    text = KERNEL + "(volatile int* y) { for (int i = 0; i < 20000; i++) y[0] = i; }"
    module, y = bench.load(text), bench.device.alloc(4)
    needed = bench.launch(module, "k", (2,), (64,), y).estimates["ptx_warp_instructions"]
    fault = bench.launch(module, "k", (2,), (64,), y, instruction_budget=int(needed) + spare).fault
    assert (fault.kind if fault else None) == kind


def test_an_assertion_that_fails(bench):
    text = KERNEL + "(int* y)\n{\n    assert(y[threadIdx.x] == 0);\n}"
    y = bench.array(np.array([0, 0, 1], np.int32))
    fault = run(bench, text, y, block=(3,))
    assert (fault.kind, fault.thread, fault.line) == ("trap", (2, 0, 0), 3)
    assert "y[threadIdx.x] == 0" in fault.sentence


def test_a_trap(bench):
    text = KERNEL + "(int* y) { if (threadIdx.x == 5) __trap(); *y = 1; }"
    fault = run(bench, text, bench.device.alloc(4))
    assert fault.thread == (5, 0, 0) and fault.line == 1 and fault.sentence == "The kernel stopped itself with a trap."


def test_a_trap_that_the_compiler_put(bench):
    text = "__constant__ float c[4];\n" + KERNEL + "(float* y) { ((float*)c)[threadIdx.x & 3] = 1; *y = c[0]; }"
    fault = run(bench, text, bench.device.alloc(4))
    assert (fault.kind, fault.line) == ("trap", None) and "a write to __constant__ memory" in fault.sentence


def test_recursion_that_never_ends(bench):
    text = (
        """__device__ __noinline__ int down(int n, volatile int* y)
{
    return y[0] ? n : down(n + 1, y) + y[1];
}
"""
        + KERNEL
        + "(int* y) { y[1] = down(0, y); }"
    )
    assert run(bench, text, bench.array(np.zeros(2, np.int32)), block=(1,)).kind == "stack"


@pytest.mark.parametrize(
    "grid, block, shared, words",
    [
        ((1,), (1025,), 0, "1024"),
        ((1,), (32, 32, 2), 0, "2048 threads"),
        ((1, 65536), (1,), 0, "65535"),
        ((0,), (32,), 0, "at least 1"),
        ((1,), (0,), 0, "at least 1"),
        ((1,), (1, 1, 65), 0, "64"),
        ((1 << 31,), (32,), 0, "2147483647"),
        ((1,), (32,), 50_000, "shared memory"),
    ],
)
def test_launches_that_a_gpu_refuses(bench, grid, block, shared, words):
    fault = run(
        bench,
        KERNEL + "(int* y) { *y = 1; }",
        bench.device.alloc(4),
        grid=grid,
        block=block,
        shared_bytes=shared,
    )
    assert fault.kind == "launch" and words in fault.sentence and fault.line is None


def test_launch_bounds_are_kept(bench):
    text = 'extern "C" __global__ __launch_bounds__(64) void k(int* y) { *y = 1; }'
    fault = run(bench, text, bench.device.alloc(4), block=(65,))
    assert fault.kind == "launch" and "__launch_bounds__" in fault.sentence


def test_three_dimensions_of_thread_and_block(bench):
    text = (
        KERNEL
        + """(int* y)
{
    if (threadIdx.z == 1 && threadIdx.y == 2 && threadIdx.x == 3 && blockIdx.y == 1) y[100] = 1;
}"""
    )
    fault = run(bench, text, bench.device.alloc(4), grid=(2, 2), block=(4, 4, 2))
    assert (fault.block, fault.thread) == ((0, 1, 0), (3, 2, 1))


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
