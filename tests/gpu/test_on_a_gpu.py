"""The CUDA device process on a real GPU, and CuPy beside its mirror. Skipped where CuPy finds no GPU."""

import struct

import numpy as np
import pytest

from grader import gpu
from grader.gpu.choice import _no_cuda
from grader.gpu.cuda_device import open_cuda
from grader.sandbox import confinement
from grader.simulator.device import DeviceError
from grader.toolchain import Source, compile_kernel

pytestmark = pytest.mark.skipif(bool(_no_cuda()), reason=f"no GPU here: {_no_cuda()}")

CODE = r"""#include "kernel_types.cuh"
extern "C" __global__ void scale(const float* x, float* y, int n, float s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = s * x[i];
}

extern "C" __global__ void poke(unsigned char* y, long long at) { y[at] = 1; }

extern "C" __global__ void forever(float* y)
{
    for (volatile int i = 0; i >= 0; i = 1) {}
}

struct Three { double a; float b; short c; };

extern "C" __global__ void by_value(double* out, Three three, signed char d, bool e)
{
    out[0] = three.a; out[1] = three.b; out[2] = three.c; out[3] = d; out[4] = e;
}
"""


@pytest.fixture(scope="module")
def ptx():
    compilation = compile_kernel(Source({"k.cu": CODE.encode()}, "k.cu"))
    assert compilation.ptx, compilation.message
    return compilation.ptx


@pytest.fixture(scope="module")
def device():
    with open_cuda() as device:
        yield device


def poke(device, module, address, at):
    return device.launch(module, "poke", (1, 1, 1), (1, 1, 1), struct.pack("<Qq", address, at))


@pytest.mark.parametrize("kind", confinement.KINDS)
def test_the_driver_works_in_a_confined_process(ptx, kind):
    found = confinement.probe(kind)
    if not found.works:
        pytest.skip(f"{kind} does not work here: {found.found}")
    confinement.use(kind)
    try:
        with open_cuda() as device:
            target = device.alloc(4, name="y")
            assert not poke(device, device.load(ptx), target, 2).fault
            assert device.read(target, 4)[2] == 1
    finally:
        confinement.use(None)


def test_a_launch_computes(device, ptx):
    module = device.load(ptx)
    x = np.arange(1000, dtype=np.float32)
    source, target = device.alloc(x.nbytes, name="x", read_only=True), device.alloc(x.nbytes, name="y")
    device.write(source, x)
    assert device.read(target, 8) == b"\xcd" * 8
    args = struct.pack("<QQif", source, target, 1000, 0.5)
    launch = device.launch(module, "scale", (4, 1, 1), (256, 1, 1), args)
    assert launch.fault is None and launch.counters is None and launch.seconds > 0
    assert np.array_equal(np.frombuffer(device.read(target, x.nbytes), np.float32), x / 2)


@pytest.mark.parametrize("at, outside", [(100, True), (-1, True), (4000, True), (99, False)])
def test_canaries(device, ptx, at, outside):
    module = device.load(ptx)
    address = device.alloc(100, name="y")
    fault = poke(device, module, address, at).fault
    if outside:
        assert (fault.kind, fault.buffer, fault.offset) == ("out_of_bounds", "y", at)
    else:
        assert fault is None
    device.reset()


def test_a_read_only_buffer(device, ptx):
    module = device.load(ptx)
    address = device.alloc(1 << 20, name="x", read_only=True)
    device.write(address, bytes(1 << 20))
    assert poke(device, module, device.alloc(4), 0).fault is None
    fault = poke(device, module, address, (1 << 20) - 1).fault
    assert (fault.kind, fault.buffer) == ("read_only", "x")
    device.reset()


def test_after_a_sticky_error_a_reset_brings_a_fresh_device(device, ptx):
    module = device.load(ptx)
    fault = poke(device, module, 0, 1 << 45).fault
    assert fault.kind == "out_of_bounds" and "GRADER_DEVICE=simulated" in fault.sentence
    with pytest.raises(DeviceError, match="context is lost"):
        device.alloc(4)
    device.reset()
    assert poke(device, device.load(ptx), device.alloc(4), 0).fault is None


def test_a_kernel_that_never_ends_is_left_behind(device, ptx):
    module = device.load(ptx)
    fault = device.launch(module, "forever", (1, 1, 1), (1, 1, 1), bytes(8)).fault
    assert fault.kind == "budget"
    device.reset()
    assert poke(device, device.load(ptx), device.alloc(4), 0).fault is None


def test_a_block_too_large_is_refused(device, ptx):
    fault = device.launch(device.load(ptx), "poke", (1, 1, 1), (2048, 1, 1), bytes(16)).fault
    assert fault.kind == "launch"
    assert device.alloc(4)


def test_memory_past_two_gigabytes(device, ptx):
    nbytes = (1 << 31) + 4096
    address = device.alloc(nbytes, name="large", sparse=True)
    assert poke(device, device.load(ptx), address, nbytes - 1).fault is None
    assert device.read(address + nbytes - 2, 2) == b"\0\1"
    device.reset()


def test_cupy_passes_arguments_as_the_mirror_does(monkeypatch):
    monkeypatch.setenv("GRADER_DEVICE", "cuda")
    cp = gpu.cupy
    module = cp.RawModule(code=CODE, options=gpu.kernel_options())
    x = cp.asarray(np.arange(1000, dtype=np.float32))
    y = cp.empty_like(x)
    with gpu.profile() as p:
        module.get_function("scale")((4,), (256,), (x, y, 1000, np.float32(0.5)))
    assert np.array_equal(cp.asnumpy(y), np.arange(1000, dtype=np.float32) / 2)
    with pytest.raises(gpu.CountersUnavailable, match="ncu"):
        p.counters  # noqa: B018
    three = np.zeros(1, np.dtype([("a", "f8"), ("b", "f4"), ("c", "i2")], align=True))
    three["a"], three["b"], three["c"] = 1.5, -2.25, -3
    out = cp.zeros(5, cp.float64)
    module.get_function("by_value")((1,), (1,), (out, three, np.int8(-4), True))
    assert out.get().tolist() == [1.5, -2.25, -3, -4, 1]


STAGE = r"""
struct Table { int a[4]; int b; };

__device__ __noinline__ int look_up(const Table* t, int k) { return t->a[k] + t->b; }

extern "C" __global__ void parameter(const __grid_constant__ Table t, int* y)
{
    int i = threadIdx.x;
    y[i] = look_up(&t, i % 4) + 100 * __isGridConstant(&t) + 200 * __isGlobal(&t) + 400 * __isGridConstant(y);
}

extern "C" __global__ void stage(int* y, int words)
{
    __shared__ int own[16];
    extern __shared__ int held[];
    own[threadIdx.x % 16] = 1;
    for (int i = threadIdx.x; i < words; i += blockDim.x) held[i] = i;
    __syncthreads();
    y[threadIdx.x] = held[words - 1 - threadIdx.x] * own[y[threadIdx.x]];
}
"""


def test_dynamic_shared_memory_above_48_kilobytes(device):
    compilation = compile_kernel(Source({"k.cu": STAGE.encode()}, "k.cu"))
    module, y = device.load(compilation.ptx), device.alloc(128, fill=0)
    args = struct.pack("<Qi", y, 100_000 // 4)

    def launch(asked):
        return device.launch(module, "stage", (1,), (32,), args, shared_bytes=100_000, max_dynamic_shared=asked).fault

    assert launch(None).kind == "launch"
    assert launch(1 << 20).kind == "launch"
    assert launch(100_000) is None
    assert np.frombuffer(device.read(y, 128), np.int32).tolist() == list(range(24_999, 24_967, -1))
    device.reset()


def test_cupys_attributes_and_parameters_are_the_mirrors(monkeypatch):
    monkeypatch.setenv("GRADER_DEVICE", "cuda")
    cp = gpu.cupy
    module = cp.RawModule(code=STAGE, options=gpu.kernel_options())
    stage = module.get_function("stage")
    assert stage.max_dynamic_shared_size_bytes == 49152 - stage.shared_size_bytes
    stage.max_dynamic_shared_size_bytes = 100_000
    assert module.get_function("stage").max_dynamic_shared_size_bytes == 100_000
    with pytest.raises(cp.cuda.driver.CUDADriverError):
        stage.max_dynamic_shared_size_bytes = 1 << 20
    y, table = cp.zeros(32, cp.int32), np.zeros(1, np.dtype([("values", "i4", 5)]))
    table["values"] = 1, 2, 3, 4, 10
    module.get_function("parameter")((1,), (32,), (table, y))
    assert cp.asnumpy(y).tolist() == [311, 312, 313, 314] * 8
