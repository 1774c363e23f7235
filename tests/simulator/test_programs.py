"""Whole features of CUDA C++: control flow, calls, structures, warp functions."""

from __future__ import annotations

import numpy as np
import pytest
from small_kernels import KERNEL, LANES, ints


def test_nested_divergence_loops_break_and_continue(bench):
    text = (
        KERNEL
        + """(int* y)
{
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < t; i++) {
        if (i % 3 == 0) continue;
        if (i > 20) break;
        for (int j = i; j > 0; j /= 2) {
            if (j == 5) { sum += 100; break; }
            sum += (t & 1) ? j : -j;
        }
    }
    y[t] = sum;
}"""
    )

    def expected(t):
        total = 0
        for i in range(t):
            if i % 3 == 0:
                continue
            if i > 20:
                break
            j = i
            while j > 0:
                if j == 5:
                    total += 100
                    break
                total += j if t & 1 else -j
                j //= 2
        return total

    np.testing.assert_array_equal(ints(bench, text), [expected(t) for t in range(32)])


def test_a_switch_with_many_cases(bench):
    cases = "".join(f"case {k}: v = v * {k + 3} + y[{k}]; break;" for k in range(24))
    text = KERNEL + "(int* y) { int v = threadIdx.x; switch (v) {" + cases + "default: v = -1; }"
    text += " y[threadIdx.x] = v; }"
    expected = [t * (t + 3) if t < 24 else -1 for t in range(32)]
    np.testing.assert_array_equal(ints(bench, text), expected)


def test_a_branch_by_index(bench):
    text = """.version 9.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<4>; .reg .b64 %d<3>;
    ld.param.u64 %d1, [p];
    mov.u32 %r1, %tid.x;
    rem.u32 %r2, %r1, 3;
    mov.u32 %r3, 7;
    brx.idx %r2, LIST;
LIST: .branchtargets A, B, C;
A:  add.u32 %r3, %r3, 10;
    bra C;
B:  mov.u32 %r3, 20;
C:  mul.wide.u32 %d2, %r1, 4;
    add.u64 %d1, %d1, %d2;
    st.global.u32 [%d1], %r3;
    ret;
}"""
    y = bench.device.alloc(128)
    assert bench.launch(bench.device.load(text), "k", (1,), (32,), y).fault is None
    np.testing.assert_array_equal(bench.fetch(y, 32, np.int32), np.choose(LANES % 3, [17, 20, 7]))


def test_recursion_with_every_thread_at_its_own_depth(bench):
    text = (
        """__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
"""
        + KERNEL
        + "(int* y) { y[threadIdx.x] = fibonacci(threadIdx.x); }"
    )
    expected = [0, 1]
    while len(expected) < 16:
        expected.append(expected[-1] + expected[-2])
    np.testing.assert_array_equal(ints(bench, text, 16, (16,)), expected)


def test_functions_with_structures_and_local_arrays(bench):
    text = (
        """struct Pair { int first; double second; };
__device__ __noinline__ Pair mix(Pair a, int* scratch, int n)
{
    for (int i = 0; i < n; i++) scratch[i] += a.first;
    if (threadIdx.x % 4 == 3) return Pair{-1, a.second};
    return Pair{scratch[n - 1], a.second * 2};
}
"""
        + KERNEL
        + """(int* y)
{
    int t = threadIdx.x;
    int scratch[8];
    for (int i = 0; i < 8; i++) scratch[i] = i * t;
    Pair p = mix(Pair{t, 0.5}, scratch, 1 + (t & 7));
    y[t] = p.first + scratch[t & 7] * 1000 + int(p.second * 100000000);
}"""
    )
    t = LANES
    top = (t & 7) * t + t
    expected = np.where(t % 4 == 3, -1, top) + top * 1000 + np.where(t % 4 == 3, 50_000_000, 100_000_000)
    np.testing.assert_array_equal(ints(bench, text), expected)


def test_a_structure_as_parameter(bench):
    text = (
        """struct Shape { int dims[4]; float scale; };
"""
        + KERNEL
        + "(int* y, Shape s, int k) { y[threadIdx.x] = s.dims[(threadIdx.x + k) & 3] * s.scale; }"
    )
    y = bench.device.alloc(128)
    shape = np.array([3, 5, 7, 11], np.int32).tobytes() + np.float32(2.0).tobytes()
    assert bench.launch(bench.load(text), "k", (1,), (32,), y, shape, 1).fault is None
    np.testing.assert_array_equal(bench.fetch(y, 32, np.int32), np.array([3, 5, 7, 11])[(LANES + 1) & 3] * 2)


def test_pointers_to_any_memory(bench):
    text = (
        """__device__ __noinline__ int follow(const int* p) { return *p; }
"""
        + KERNEL
        + """(int* y)
{
    __shared__ int s[32];
    int mine[2] = {int(threadIdx.x) * 3, 5};
    s[threadIdx.x] = threadIdx.x + 100;
    __syncthreads();
    const int* p = y + 32;
    if (threadIdx.x % 3 == 0) p = &s[31 - threadIdx.x];
    if (threadIdx.x % 3 == 1) p = &mine[0];
    y[threadIdx.x] = follow(p);
}"""
    )
    y = bench.array(np.full(33, 7, np.int32))
    launch = bench.launch(bench.load(text), "k", (1,), (32,), y)
    assert launch.fault is None
    expected = np.choose(LANES % 3, [131 - LANES, LANES * 3, 7])
    np.testing.assert_array_equal(bench.fetch(y, 32, np.int32), expected)
    assert launch.counters["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] == 1


def test_votes_matches_and_reductions(bench):
    text = (
        KERNEL
        + """(int* y)
{
    unsigned all = 0xffffffffu;
    int t = threadIdx.x;
    y[t] = __ballot_sync(all, t % 5 == 0);
    y[32 + t] = __any_sync(all, t == 7) * 2 + __all_sync(all, t < 32);
    y[64 + t] = __match_any_sync(all, t / 10);
    y[96 + t] = __reduce_add_sync(all, t) + __reduce_max_sync(all, t * 3);
    if (t < 12) y[128 + t] = __activemask();
    y[160 + t] = __reduce_min_sync(all, -t);
    int same;
    y[192 + t] = __match_all_sync(all, 4, &same) + same;
    int odd = t & 1, ballot;  // as CUB writes it
    asm("{.reg .pred p; setp.ne.s32 p, %1, 0; vote.ballot.sync.b32 %0, p, 0xffffffff;}" : "=r"(ballot) : "r"(odd));
    y[224 + t] = ballot;
}"""
    )
    y = ints(bench, text, 256)
    ballot = sum(1 << t for t in range(0, 32, 5))
    np.testing.assert_array_equal(y[:32].view(np.uint32), np.full(32, ballot))
    np.testing.assert_array_equal(y[32:64], 3)
    groups = [sum(1 << k for k in range(32) if k // 10 == t // 10) for t in range(32)]
    np.testing.assert_array_equal(y[64:96].view(np.uint32), groups)
    np.testing.assert_array_equal(y[96:128], 496 + 93)
    np.testing.assert_array_equal(y[128:140], 0xFFF)
    np.testing.assert_array_equal(y[160:192], -31)
    np.testing.assert_array_equal(y[192:224], 0)
    np.testing.assert_array_equal(y[224:].view(np.uint32), 0xAAAAAAAA)


@pytest.mark.parametrize("width", [32, 16, 8])
def test_shuffles(bench, width):
    text = (
        KERNEL
        + f"""(int* y)
{{
    unsigned all = 0xffffffffu;
    int t = threadIdx.x;
    y[t] = __shfl_sync(all, t * 10, 3, {width});
    y[32 + t] = __shfl_up_sync(all, t * 10, 2, {width});
    y[64 + t] = __shfl_down_sync(all, t * 10, 5, {width});
    y[96 + t] = __shfl_xor_sync(all, t * 10, 4, {width});
    double d = __shfl_xor_sync(all, t * 0.5, 1, {width});
    y[128 + t] = int(d * 2);
}}"""
    )
    y = ints(bench, text, 160)
    base, inside = LANES // width * width, LANES % width
    np.testing.assert_array_equal(y[:32], (base + 3) * 10)
    np.testing.assert_array_equal(y[32:64], np.where(inside >= 2, LANES - 2, LANES) * 10)
    np.testing.assert_array_equal(y[64:96], np.where(inside + 5 < width, LANES + 5, LANES) * 10)
    np.testing.assert_array_equal(y[96:128], (LANES ^ 4) * 10)
    np.testing.assert_array_equal(y[128:], LANES ^ 1)


def test_block_wide_votes(bench):
    text = (
        KERNEL
        + """(int* y)
{
    int t = threadIdx.x;
    y[t] = __syncthreads_count(t % 3 == 0) + 1000 * __syncthreads_and(t < 70);
    y[t] += 2000 * __syncthreads_or(t == 69);
}"""
    )
    np.testing.assert_array_equal(ints(bench, text, 70, (70,)), 24 + 1000 + 2000)


def test_atomics_of_every_kind(bench):
    text = (
        KERNEL
        + """(int* y)
{
    int t = threadIdx.x;
    unsigned* u = (unsigned*)y;
    atomicAdd(y, t); atomicMin(y + 1, -t); atomicMax(y + 2, t);
    atomicAnd(u + 3, ~(1u << t)); atomicOr(u + 4, 1u << t); atomicXor(u + 5, 1u << (t & 3));
    atomicExch(y + 6, t); atomicCAS(y + 7, t, t + 1); atomicInc(u + 8, 9); atomicDec(u + 9, 5);
    atomicAdd((float*)(y + 10), 0.5f); atomicAdd((double*)(y + 12), 0.25);
    atomicAdd((unsigned long long*)(y + 14), 1ull << 33);
    __shared__ int s[2];
    if (t < 2) s[t] = 0;
    __syncthreads();
    atomicAdd(&s[t & 1], t);
    __syncthreads();
    if (t < 2) y[16 + t] = s[t];
}"""
    )
    y = ints(bench, text)
    assert y[:10].tolist() == [496, -31, 31, 0, -1, 0, 31, 32, 2, 4]
    assert y[10:11].view(np.float32)[0] == 16 and y[12:14].view(np.float64)[0] == 8
    assert y[14:16].view(np.uint64)[0] == 32 << 33 and y[16:18].tolist() == [240, 256]


def test_packed_halves_and_vectors(bench):
    text = (
        """#include <cuda_fp16.h>
"""
        + KERNEL
        + """(const half2* x, half2* y, const short4* s, short4* t)
{
    int i = threadIdx.x;
    half2 a = x[i];
    y[i] = __hfma2(a, a, __float2half2_rn(1.0f));
    short4 v = s[i];
    t[i] = make_short4(v.w, v.z, v.y, v.x);
}"""
    )
    halves = np.linspace(-3, 3, 64).astype(np.float16)
    shorts = np.arange(128, dtype=np.int16) - 60
    x, y, s, t = bench.array(halves), bench.device.alloc(128), bench.array(shorts), bench.device.alloc(256)
    assert bench.launch(bench.load(text), "k", (1,), (32,), x, y, s, t).fault is None
    exact = halves.astype(np.float64) ** 2 + 1
    np.testing.assert_array_equal(bench.fetch(y, 64, np.float16), exact.astype(np.float16))
    np.testing.assert_array_equal(bench.fetch(t, 128, np.int16).reshape(32, 4), shorts.reshape(32, 4)[:, ::-1])


def test_dynamic_shared_memory_behind_static(bench):
    text = (
        """extern __shared__ int dynamic[];
"""
        + KERNEL
        + """(int* y)
{
    __shared__ int fixed[32];
    int t = threadIdx.x;
    fixed[t] = t;
    dynamic[t] = 100 - t;
    __syncthreads();
    y[t] = fixed[31 - t] * 1000 + dynamic[31 - t];
}"""
    )
    np.testing.assert_array_equal(ints(bench, text, shared_bytes=128), (31 - LANES) * 1000 + 69 + LANES)


def test_a_partial_warp_takes_part_with_the_threads_it_has(bench):
    text = (
        KERNEL
        + """(int* y)
{
    int v = threadIdx.x;
    for (int o = 4; o; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
    if (threadIdx.x == 0) y[0] = v;
}"""
    )
    assert ints(bench, text, 8, (8,))[0] == 28
