"""What is rarer in CUDA C++: calls through pointers, wide integers, special functions."""

from __future__ import annotations

import numpy as np
from conftest import compile_text
from small_kernels import LANES, ints

POINTERS = """
__device__ int doubled(int x) { return 2 * x; }
__device__ int tripled(int x) { return 3 * x; }
typedef int (*Function)(int);
__device__ Function table[] = {doubled, tripled, nullptr};
extern "C" __global__ void k(int* y) { y[threadIdx.x] = table[threadIdx.x % N](threadIdx.x); }"""


def test_functions_called_through_pointers(bench):
    np.testing.assert_array_equal(ints(bench, POINTERS.replace("N", "2")), LANES * (2 + LANES % 2))


def test_a_call_through_a_null_pointer(bench):
    y = bench.array(np.zeros(32, np.int32), "y")
    fault = bench.launch(bench.load(POINTERS.replace("N", "3")), "k", (1,), (32,), y).fault
    assert (fault.kind, fault.thread, fault.line) == ("bad_call", (2, 0, 0), 6)


def test_virtual_functions(bench):
    text = """
struct Shape { __device__ virtual int area() const = 0; __device__ virtual ~Shape() {} };
struct Square : Shape { int side; __device__ int area() const override { return side * side; } };
struct Box : Shape { int a, b; __device__ int area() const override { return a * b; } };
__device__ __noinline__ int area(const Shape& shape) { return shape.area(); }
extern "C" __global__ void k(int* y) {
    int t = threadIdx.x;
    Square square;
    square.side = t;
    Box box;
    box.a = t, box.b = 3;
    y[t] = area(t % 3 ? static_cast<Shape&>(square) : box);
}"""
    np.testing.assert_array_equal(ints(bench, text), np.where(LANES % 3, LANES * LANES, LANES * 3))


def test_simd_intrinsics(bench):
    text = """
extern "C" __global__ void k(int* y) {
    unsigned a = threadIdx.x * 0x9e3779b9u, b = (threadIdx.x + 7) * 0x85ebca6bu;
    y[threadIdx.x] = __vadd4(a, b), y[threadIdx.x + 32] = __vabsdiffu4(a, b), y[threadIdx.x + 64] = __vmaxs2(a, b);
    unsigned c;
    asm("vadd4.u32.u32.u32.sat %0, %1, %2, %3;" : "=r"(c) : "r"(a), "r"(b), "r"(0));
    y[threadIdx.x + 96] = c;
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(c) : "r"(a), "r"(b), "r"(5));
    y[threadIdx.x + 128] = c;
}"""
    y = ints(bench, text, count=160).view(np.uint32).reshape(5, 32)
    a = LANES.astype(np.uint32) * np.uint32(0x9E3779B9)
    b = (LANES + 7).astype(np.uint32) * np.uint32(0x85EBCA6B)
    p, q = a.view(np.uint8).astype(int).reshape(32, 4), b.view(np.uint8).astype(int).reshape(32, 4)
    np.testing.assert_array_equal(y[0].view(np.uint8).reshape(32, 4), (p + q) % 256)
    np.testing.assert_array_equal(y[1].view(np.uint8).reshape(32, 4), np.abs(p - q))
    np.testing.assert_array_equal(y[2].view(np.int16), np.maximum(a.view(np.int16), b.view(np.int16)))
    np.testing.assert_array_equal(y[3].view(np.uint8).reshape(32, 4), np.minimum(p + q, 255))
    np.testing.assert_array_equal(y[4], np.abs(p - q).sum(1) + 5)


def test_eight_bit_floats(bench):
    """Every e4m3 and e5m2 to f16 and back."""
    text = """#include <cuda_fp8.h>
extern "C" __global__ void k(int* y) {
    int t = threadIdx.x;
    __half_raw h = __nv_cvt_fp8_to_halfraw(t, __NV_E4M3), g = __nv_cvt_fp8_to_halfraw(t, __NV_E5M2);
    y[t] = __nv_cvt_halfraw_to_fp8(h, __NV_SATFINITE, __NV_E4M3);
    y[t + 256] = __nv_cvt_halfraw_to_fp8(g, __NV_SATFINITE, __NV_E5M2);
}"""
    y = bench.array(np.zeros(512, np.int32), "y")
    module = bench.device.load(compile_text(text, arch="compute_90"))
    launch = bench.launch(module, "k", (1,), (256,), y)
    assert launch.fault is None, launch.fault
    found = bench.fetch(y, 512, np.int32).reshape(2, 256)
    for row, finite in ((found[0], 0x7F), (found[1], 0x7C)):
        same = np.array([k for k in range(256) if k & 0x7F < finite])
        np.testing.assert_array_equal(row[same], same)
        assert set(row[[k for k in range(256) if k & 0x7F > 0x7C]]) <= {0x7F, 0x7D, 0x7E, 0xFD, 0xFE, 0xFF}


def test_atomics_on_vectors_count_as_one_request(bench):
    text = """
extern "C" __global__ void k(float4* y, float4* old) {
    float4 before = atomicAdd(&y[threadIdx.x & 1], make_float4(1, 2, 3, 4));
    if (threadIdx.x == 31) *old = before;
}"""
    y, old = bench.array(np.zeros(8, np.float32), "y"), bench.array(np.zeros(4, np.float32), "old")
    module = bench.device.load(compile_text(text, arch="compute_90"))
    launch = bench.launch(module, "k", (1,), (32,), y, old)
    assert launch.fault is None, launch.fault
    np.testing.assert_array_equal(bench.fetch(y, 8, np.float32), [16, 32, 48, 64] * 2)
    np.testing.assert_array_equal(bench.fetch(old, 4, np.float32), [15, 30, 45, 60])


def test_registers_of_128_bits(bench):
    text = """
extern "C" __global__ void k(int* y) {
    asm volatile("{ .reg .b128 q; .reg .b64 a, b; mov.b64 a, 5; mov.b64 b, 7; mov.b128 q, {a, b}; "
                 "st.global.b128 [%0], q; ld.global.b128 q, [%0]; mov.b128 {b, a}, q; "
                 "st.global.v2.b64 [%0+16], {a, b}; }" :: "l"(y) : "memory");
}"""
    np.testing.assert_array_equal(ints(bench, text, count=8, block=(1,)), [5, 0, 7, 0, 7, 0, 5, 0])


def test_registers_of_eight_bits(bench):
    text = """
extern "C" __global__ void k(int* y) {
    unsigned x = 0x11223344u + threadIdx.x, r, s;
    asm("{ .reg .b8 a, b, c, d; mov.b32 {a, b, c, d}, %1; mov.b32 %0, {d, c, b, a}; }" : "=r"(r) : "r"(x));
    asm("{ .reg .b8 a; .reg .b16 h; cvt.u8.u32 a, %1; mov.b16 h, {a, 5}; cvt.u32.u16 %0, h; }" : "=r"(s) : "r"(x));
    y[threadIdx.x] = r, y[threadIdx.x + 32] = s;
}"""
    y = ints(bench, text, count=64).view(np.uint32)
    x = (0x11223344 + LANES).astype(np.uint32)
    np.testing.assert_array_equal(y[:32], x.byteswap())
    np.testing.assert_array_equal(y[32:], (x & 0xFF) | 0x500)


def test_blocks_lie_on_multiprocessors_by_their_numbers(bench):
    text = """
extern "C" __global__ void k(int* y) {
    unsigned own, all;
    asm volatile("mov.u32 %0, %%smid; mov.u32 %1, %%nsmid;" : "=r"(own), "=r"(all));
    y[blockIdx.x] = 1000 * all + own;
}"""
    expected = 132_000 + np.arange(140) % 132
    np.testing.assert_array_equal(ints(bench, text, count=140, grid=(140,), block=(1,)), expected)


def test_a_launch_without_clusters_has_one_for_each_block(bench):
    text = """
extern "C" __global__ void k(int* y) {
    int rank, size, place;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(place));
    y[blockIdx.x] = rank + 10 * size + 100 * place;
}"""
    y = bench.array(np.zeros(3, np.int32), "y")
    module = bench.device.load(compile_text(text, arch="compute_90"))
    assert bench.launch(module, "k", (3,), (1,), y).fault is None
    np.testing.assert_array_equal(bench.fetch(y, 3, np.int32), [10, 110, 210])


def test_a_function_of_two_kernels_is_decoded_twice(bench):
    text = """
__device__ __noinline__ int f(int x) {
    int r;
    asm("lop3.b32 %0, %1, 15, 255, 0x80;" : "=r"(r) : "r"(x));
    asm("vadd.u32.u32.u32 %0, %1.b1, %1.b0;" : "=r"(x) : "r"(x));
    return 1000 * r + x;
}
extern "C" __global__ void other(int* y) { y[threadIdx.x] = f(y[threadIdx.x]); }
extern "C" __global__ void k(int* y) { y[threadIdx.x] = f(threadIdx.x + 256); }"""
    np.testing.assert_array_equal(ints(bench, text), 1000 * ((LANES + 256) & 15) + LANES + 1)
