"""What is rarer in CUDA C++: calls through pointers, wide integers, special functions."""

from __future__ import annotations

import numpy as np
from test_programs import LANES, ints


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
