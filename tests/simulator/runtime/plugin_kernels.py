"""Kernels of a plugin for the tests."""

from __future__ import annotations

from plugin_process import fat_binary

from grader.toolchain.kernel import compile_kernel
from grader.toolchain.records import Source

KERNELS = """
__device__ float bias = 10.0f;
__constant__ float factors[4];
extern "C" __global__ void add(const float* x, float* y, int n, float c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + c;
}
extern "C" __global__ void biased(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x] * factors[0] + bias; }
extern "C" __global__ void wild(float* y) { y[1000000 + threadIdx.x] = 1.0f; }
extern "C" __global__ void trap(float* y) { __trap(); }
extern "C" __global__ void race(float* y) { y[0] = threadIdx.x; }
extern "C" __global__ void shared(float* y)
{
    extern __shared__ float s[];
    s[threadIdx.x] = 1;
    y[threadIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void __launch_bounds__(64) bounded(float* y) { y[threadIdx.x] = 1; }
"""


def image() -> bytes:
    """A fat binary of ``KERNELS``."""
    result = compile_kernel(Source(files={"k.cu": KERNELS.encode()}, main="k.cu"))
    assert result.ptx, result.message
    return fat_binary(result.ptx)
