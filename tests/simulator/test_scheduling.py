"""How lanes and warps wait for each other: who may, ends; who waits in vain is told, with both places."""

from __future__ import annotations

import numpy as np
import pytest
from small_kernels import KERNEL, fault, line_of, result

FULL = "0xffffffffu"


# ---- lanes of a warp that wait for each other ----


@pytest.mark.parametrize("grid, block", [((1,), (32,)), ((2,), (96,))])
def test_a_spin_lock_of_each_lane(bench, grid, block):
    text = KERNEL + """(volatile int* y)
{
    while (atomicCAS((int*)y, 0, 1) != 0) {}
    __threadfence();
    y[1] = y[1] + 1;
    __threadfence();
    atomicExch((int*)y, 0);
    y[2 + blockIdx.x * blockDim.x + threadIdx.x] = 7;
}"""
    threads = grid[0] * block[0]
    assert result(bench, text, 2 + threads, grid, block) == [0, threads] + [7] * threads


def test_a_ticket_lock_with_sleep(bench):
    text = KERNEL + """(volatile int* y)
{
    int mine = atomicAdd((int*)y, 1);
    for (unsigned ns = 8; y[1] != mine; ns = ns < 256 ? 2 * ns : ns) __nanosleep(ns);
    __threadfence();
    y[2] += mine * y[3];
    y[3] += 1;
    __threadfence();
    y[1] = mine + 1;
}"""
    assert result(bench, text, 4, block=(64,)) == [64, 64, sum(k * k for k in range(64)), 64]


def test_lanes_that_produce_and_consume(bench):
    """Lane 31 is last in the chain, and every lane waits in the branch that lane 0 never enters."""
    text = KERNEL + """(int* y)
{
    volatile int* v = y;
    int t = threadIdx.x;
    if (t) {
        while (v[t - 1] == 0) {}
        __threadfence();
        v[t] = v[t - 1] + 1;
    } else {
        v[0] = 1;
    }
}"""
    assert result(bench, text) == list(range(1, 33))


def test_lanes_meet_again_behind_the_branch_in_which_one_left_early(bench):
    text = KERNEL + f"""(int* y)
{{
    int t = threadIdx.x;
    if (t < 16) {{
        while (atomicCAS(y, 0, 1) != 0) {{}}
        atomicExch(y, 0);
    }}
    y[1 + t] = __popc(__activemask());
    y[40] = __shfl_sync({FULL}, t, 9);
}}"""
    y = result(bench, text, 64)
    assert y[1:33] == [32] * 32 and y[40] == 9


def test_a_loop_that_only_reads_the_clock_ends(bench):
    text = KERNEL + """(int* y)
{
    long long begin = clock64(), now;
    unsigned first = clock();
    while ((now = clock64()) - begin < 5000 + 100 * threadIdx.x) {}
    unsigned long long timer;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(timer));
    y[threadIdx.x] = now - begin >= 5000 && clock() > first && timer > 0;
}"""
    assert result(bench, text) == [1] * 32


def test_a_sleep_moves_the_clock(bench):
    text = KERNEL + "(int* y) { long long t = clock64(); __nanosleep(1000); *y = clock64() - t >= 1000; }"
    assert result(bench, text, 1, block=(1,)) == [1]


# ---- operations of a warp ----


def test_syncwarp_in_both_branches(bench):
    text = KERNEL + """(int* y)
{
    __shared__ int s[16];
    int t = threadIdx.x;
    if (t < 16) {
        s[t] = 3 * t;
        __syncwarp();
    } else {
        __syncwarp();
        y[t] = s[t - 16];
    }
}"""
    assert result(bench, text)[16:] == [3 * k for k in range(16)]


def test_parts_of_a_warp_meet_alone(bench):
    text = KERNEL + """(int* y)
{
    int t = threadIdx.x;
    unsigned mine = 0xffu << (t & 24);
    int v = t;
    for (int k = 0; k <= t / 8; k++) v += __shfl_xor_sync(mine, v, 1);
    if (t < 12) v = __reduce_add_sync(0xfffu, v);
    y[t] = v;
}"""
    expected = np.arange(32)
    for group in range(4):
        part = slice(8 * group, 8 * group + 8)
        for _ in range(group + 1):
            expected[part] = expected[part] + expected[part][np.arange(8) ^ 1]
    expected[:12] = expected[:12].sum()
    assert result(bench, text) == expected.tolist()


def test_lanes_that_come_one_after_the_other_shuffle_together(bench):
    """Both sides of the branch jump to the same shuffle, and a spin lock has spread the lanes before."""
    text = KERNEL + f"""(int* y)
{{
    int t = threadIdx.x;
    if (t & 1) {{
        while (atomicCAS(y, 0, 1) != 0) {{}}
        y[1] += 1;
        atomicExch(y, 0);
    }}
    int v = 10 * t;
    for (int k = 0; k < 3; k++) {{
        v = __shfl_sync({FULL}, v, t + 1);
        if (t == k) while (atomicAdd(y + 2, 0) < 0) {{}}
    }}
    unsigned all = __ballot_sync({FULL}, t < 5);
    y[3 + t] = v + (all == 31) + __all_sync({FULL}, t < 32) + __popc(__match_any_sync({FULL}, t & 1));
}}"""
    y = result(bench, text, 35, races=False)
    assert y[1] == 16 and y[3:] == [10 * ((t + 3) % 32) + 18 for t in range(32)]


def test_a_shuffle_of_lanes_in_different_calls(bench):
    """The function is entered by two paths at two places, and recursion has left lanes in frames below."""
    text = """
__device__ __noinline__ int turn(int v, int depth)
{
    if (depth) return turn(v + 1, depth - 1) + 1;
    return __shfl_sync(0xffffffffu, v, threadIdx.x + 16);
}
""" + KERNEL + """(int* y)
{
    int t = threadIdx.x;
    y[t] = t < 16 ? turn(t, 0) : turn(t, 2);
}"""
    assert result(bench, text) == [t + 18 if t < 16 else t - 16 + 2 for t in range(32)]


@pytest.mark.parametrize("sync", ["__syncthreads();", "__syncwarp();", f"y[t] = __shfl_xor_sync({FULL}, t, 1);"])
def test_an_early_return_with_work_before_it(bench, sync):
    text = KERNEL + f"""(int* y)
{{
    int t = threadIdx.x;
    if (t >= 20) {{
        for (int k = 0; k < t; k++) y[t] += k & 1;
        return;
    }}
    {sync}
    y[t] = 100 + t;
}}"""
    assert result(bench, text) == [100 + t if t < 20 else t // 2 for t in range(32)]


def test_a_value_from_nobody_is_told_where_it_is_used(bench):
    text = KERNEL + f"""(int* y)
{{
    int t = threadIdx.x;
    if (t >= 20) return;
    int v = __shfl_down_sync({FULL}, t, 8);  // here
    y[t] = t < LIMIT ? v : 0;
}}"""
    assert result(bench, text.replace("LIMIT", "12"))[:13] == [*range(8, 20), 0]
    found = fault(bench, text.replace("LIMIT", "14"))
    assert (found.kind, found.thread, found.line) == ("shuffle", (12, 0, 0), line_of(text))
    assert "lane 20, which does not take part" in found.sentence


def test_a_sum_down_half_a_warp_needs_only_lane_0(bench):
    text = KERNEL + """(int* y)
{
    int v = threadIdx.x;
    if (threadIdx.x < 16) {
        for (int d = 8; d; d /= 2) v += __shfl_down_sync(0xffffu, v, d);
        if (threadIdx.x == 0) *y = v;
    }
}"""
    assert result(bench, text, 1) == [120]


@pytest.mark.parametrize(
    "body, line, other, words",
    [  # one side of the wait is `here`, the other `there`
        (f"if (t < 16) y[t] = __shfl_sync({FULL}, t, 0);  // here\ny[t] += 1;", "here", None, "lane 16"),
        (f"if (t < 16) y[t] = __shfl_sync({FULL}, t, 0);  // here\nelse y[t] = __shfl_sync({FULL}, t, 1);  // there\ny[t] += 1;",
         "here", "there", "different warp functions"),
        ("if (t < 16) __syncwarp();  // here\nelse __syncthreads();  // there", "here", "there", "lane 16"),
        ("if (t < 16) __syncwarp();  // here\nelse y[t] = __ballot_sync(~0u, t);  // there", "here", "there", "different"),
        ("if (t < 16) __syncwarp(); // here\nelse __syncwarp(0xffff8000u);  // there", "here", "there", "different masks"),
        ("if (t < 16) { y[t] = 1; __syncwarp(); }  // here\ny[t] += 1;", "here", None, "lane 16"),
        ("__syncwarp(0xffffu);  // here", "here", None, "own lane"),
        (f"y[t] = __shfl_xor_sync(t < 16 ? 0xffffu : {FULL}, t, 1);  // here", "here", None, "lane 0"),
        (f"for (int k = 0; k < 2; k++) y[t] = __shfl_sync(k || t > 15 ? {FULL} : 0xffffu, t, 9);  // there", "there", "there",
         "both at line"),
    ],
)  # fmt: skip
def test_lanes_that_never_come(bench, body, line, other, words):
    text = KERNEL + "(volatile int* y)\n{\nint t = threadIdx.x;\n" + body + "\n}"
    found = fault(bench, text)
    assert found is not None and found.kind == "shuffle", found
    assert found.line == line_of(text, f"// {line}") and words in found.sentence
    assert (found.other.line if found.other else None) == (line_of(text, f"// {other}") if other else None)
    assert other is None or str(line_of(text, f"// {other}")) in found.sentence


# ---- barriers of the block ----

NAMED = """
__device__ void wait(int number, int count) { asm volatile("bar.sync %0, %1;" :: "r"(number), "r"(count) : "memory"); }
__device__ void arrive(int number, int count) { asm volatile("bar.arrive %0, %1;" :: "r"(number), "r"(count) : "memory"); }
"""


@pytest.mark.parametrize("producers", [1, 2])
def test_warps_that_produce_and_consume(bench, producers):
    text = NAMED + KERNEL + f"""(int* y)
{{
    __shared__ int s[64];
    int t = threadIdx.x, count = {32 * producers} + 32;
    for (int k = 0; k < 5; k++) {{
        if (t < {32 * producers}) {{
            if (k) wait(2, count);
            s[t] = 10 * k + t;
            arrive(1, count);
        }} else {{
            wait(1, count);
            y[t] += s[t - {32 * producers}];
            if (k < 4) arrive(2, count);
        }}
    }}
}}"""
    base = 32 * producers
    y = result(bench, text, 96, block=(base + 32,))
    assert y[base : base + 32] == [100 + 5 * t for t in range(32)]


def test_barriers_of_parts_of_a_block_with_votes(bench):
    text = KERNEL + """(int* y)
{
    int t = threadIdx.x, half = t / 64, count, any, all;
    asm volatile("{.reg .pred p, q;\\n setp.gt.s32 p, %3, 70;\\n bar.red.popc.u32 %0, %4, 64, p;\\n"
                 "bar.red.or.pred q, %4, 64, p;\\n selp.s32 %1, 1, 0, q;\\n"
                 "barrier.red.and.pred q, %4, 64, !p;\\n selp.s32 %2, 1, 0, q;}"
                 : "=r"(count), "=r"(any), "=r"(all) : "r"(t), "r"(half + 3));
    y[t] = 100 * count + 10 * any + all;
}"""
    assert result(bench, text, 128, block=(128,)) == [1] * 64 + [5710] * 64


def test_a_barrier_without_aligned_is_met_from_two_places(bench):
    text = KERNEL + """(int* y)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    if (t & 1) asm volatile("barrier.sync 0;" ::: "memory");
    else asm volatile("barrier.sync 0;" ::: "memory");
    y[t] = s[63 - t];
}"""
    assert result(bench, text, 64, block=(64,)) == list(range(63, -1, -1))


def test_a_spin_between_warps_beside_a_barrier(bench):
    text = KERNEL + """(volatile int* y)
{
    int t = threadIdx.x;
    if (t == 40) { while (y[0] == 0) {} __threadfence(); y[1] = 5; }
    if (t == 3) { __threadfence(); y[0] = 1; }
    __syncthreads();
    y[2 + t] = y[1];
}"""
    assert result(bench, text, 66, block=(64,))[2:] == [5] * 64


@pytest.mark.parametrize(
    "body, kind, line, other, words",
    [
        ("if (t & 1) __syncthreads();  // here\ny[t] = 1;", "barrier", "here", None, "some threads of a warp"),
        ("if (t & 1) { y[t] = 2; __syncthreads(); }  // there\nelse { y[t] = 3; asm volatile(\"bar.sync 1;\"); }  // here",
         "barrier", None, "there", "different barriers"),
        ("if (t < 32) wait(1, 64);  // here\nelse wait(2, 64);  // there", "deadlock", None, None, "barrier"),
        ("if (t >= 32) return;\nwait(3, 64);", "deadlock", None, None, "64 threads, of which 32 have come"),
        ("if (t < 32) wait(1, 64);\nelse __syncthreads();", "deadlock", None, None, "of which 32"),
        ("wait(1, 40);", "barrier", None, None, "multiple of 32"),
        ("wait(16, 64);", "barrier", None, None, "from 0 to 15"),
        ("if (t < 32) wait(1, 64); else wait(1, 96);", "barrier", None, None, "different barriers"),
        ("if (t < 32) { y[t] = 2; __syncthreads(); }  // here\nelse { y[t] = 3; __syncthreads(); }  // there",
         "barrier", None, None, "different barriers"),
    ],
)  # fmt: skip
def test_barriers_that_never_open(bench, body, kind, line, other, words):
    text = NAMED + KERNEL + "(volatile int* y)\n{\nint t = threadIdx.x;\n" + body + "\n}"
    found = fault(bench, text, 64, block=(64,))
    assert found is not None and found.kind == kind, found
    assert words in found.sentence
    if line:
        assert found.line == line_of(text, f"// {line}")
    if other:
        assert {found.line, found.other.line} == {line_of(text, "// here"), line_of(text, "// there")}


def test_other_warps_have_their_turn_while_lanes_poll_in_a_branch(bench):
    """Half of the lanes look, and the other half could leave the branch early again and again."""
    text = KERNEL + f"""(volatile int* y)
{{
    int t = threadIdx.x;
    if (t < 32) {{
        int seen = 0;
        do {{
            if (t & 1) seen = y[0];
        }} while (!__any_sync({FULL}, seen));
        y[t] = 7;
    }} else {{
        y[0] = 1;
    }}
}}"""
    assert result(bench, text, block=(64,), races=False) == [7] * 32
