"""A device process, plugin processes in Python, and kernels for them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))  # for plugin_process

from plugin_process import PluginProcess, fat_binary

from grader.simulator.runtime.client import RuntimeDevice
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
extern "C" __global__ void shared(float* y) { extern __shared__ float s[]; s[threadIdx.x] = 1; y[threadIdx.x] = s[threadIdx.x]; }
extern "C" __global__ void __launch_bounds__(64) bounded(float* y) { y[threadIdx.x] = 1; }
"""


@pytest.fixture(scope="session")
def image() -> bytes:
    """A fat binary of ``KERNELS``."""
    result = compile_kernel(Source(files={"k.cu": KERNELS.encode()}, main="k.cu"))
    assert result.ptx, result.message
    return fat_binary(result.ptx)


@pytest.fixture(scope="session")
def shared_device():
    with RuntimeDevice.start() as device:
        yield device


@pytest.fixture
def device(shared_device):
    """An empty device with nobody connected."""
    shared_device.restart()
    yield shared_device
    assert shared_device.defects() == []


@pytest.fixture
def join(device):
    """Makes plugin processes."""
    made = []

    def one(**options) -> PluginProcess:
        made.append(PluginProcess(device.connection(), **options))
        return made[-1]

    yield one
    for process in made:
        process.close()


@pytest.fixture
def process(join):
    return join()


@pytest.fixture
def kernels(process, image):
    """Numbers of the kernels of ``KERNELS`` in ``process``, by name."""
    module = process.ok_module(image)
    names = ("add", "biased", "wild", "trap", "race", "shared", "bounded")
    return {name: process.kernel(module, name) for name in names}

