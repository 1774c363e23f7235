"""Processes that use the stand-in CUDA runtime, and libraries that nvcc builds for them."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.simulator.build import sanitizer_environment
from grader.simulator.runtime.build import FLAGS, SANITIZED, build_cudart
from grader.toolchain.locate import cuda_include

CHILD = Path(__file__).with_name("cudart_child.py")
LIBRARY = """
#include <cuda_runtime.h>
__device__ float bias = 10.0f;
__constant__ float factors[4];
__device__ unsigned ran;
__global__ void scale(float* y, const float* x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] * factors[0] + bias;
    if (i == 0) atomicAdd(&ran, 1);
}
__global__ void __launch_bounds__(64) small(float* y)
{
    __shared__ float kept[256];
    kept[threadIdx.x] = 1.0f;
    y[threadIdx.x] = kept[threadIdx.x];
}
__global__ void wild(float* y) { y[1 << 24] = 1.0f; }
#define EXPORT extern "C" int
EXPORT factor(float value) { return cudaMemcpyToSymbol(factors, &value, sizeof value); }
EXPORT launches(unsigned* count) { return cudaMemcpyFromSymbol(count, ran, sizeof ran); }
EXPORT run(float* y, const float* x, double a, int n, cudaStream_t stream)
{
    scale<<<(n + 127) / 128, 128, 0, stream>>>(y, x, a, n);
    return cudaGetLastError();
}
EXPORT run_wild(float* y) { wild<<<1, 1>>>(y); return cudaGetLastError(); }
EXPORT run_small(float* y, unsigned threads, size_t shared)
{
    small<<<1, threads, shared>>>(y);
    return cudaGetLastError();
}
EXPORT run_nothing(float* y) { scale<<<0, 128>>>(y, y, 1.0f, 0); return cudaGetLastError(); }
EXPORT ask_for(int bytes) { return cudaFuncSetAttribute(small, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes); }
EXPORT occupancy(int* blocks, int threads, size_t dynamic)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, small, threads, dynamic);
}
EXPORT attributes(int* all)
{
    cudaFuncAttributes a;
    int status = cudaFuncGetAttributes(&a, small);
    int values[] = {(int)a.sharedSizeBytes, a.maxThreadsPerBlock, a.numRegs, a.maxDynamicSharedSizeBytes};
    for (int i = 0; i < 4; i++) all[i] = values[i];
    return status;
}
EXPORT cooperative(float* y, const float* x, float a, int n)
{
    void* arguments[] = {&y, &x, &a, &n};
    return cudaLaunchCooperativeKernel((void*)scale, dim3(1), dim3(32), arguments, 0, 0);
}
EXPORT extensible(float* y, const float* x, double a, int n, unsigned cluster)
{
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {cluster, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = 2, config.blockDim = 32, config.attrs = &attribute, config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, scale, y, x, (float)a, n);
}
EXPORT by_handle(float* y, const float* x, float a, int n)
{
    cudaFunction_t function;
    void* arguments[] = {&y, &x, &a, &n};
    if (int status = cudaGetFuncBySymbol(&function, (void*)scale)) return status;
    return cudaLaunchKernel((void*)function, dim3(1), dim3(32), arguments, 0, 0);
}
"""


SANITIZE = False  # see sanitized_cudart.py


class Process:
    """A script's process, which has a connection to ``device`` unless that is None."""

    def __init__(self, device, script: str, *, libraries: tuple[Path, ...] = (), descriptors: tuple[int, ...] = ()):
        prelude = "".join(f"{path.stem} = Calls(ctypes.CDLL({str(path)!r}))\n" for path in libraries)
        runtime = build_cudart(SANITIZED if SANITIZE else FLAGS)
        environment = {**os.environ, **(sanitizer_environment() if SANITIZE else {})}
        command = [sys.executable, "-I", str(CHILD), str(runtime), prelude + script]
        with contextlib.ExitStack() as stack:
            if device is not None:
                descriptors = (stack.enter_context(device.connection()).fileno(), *descriptors)
                command.append(f"--device={descriptors[0]}")
            self.popen = subprocess.Popen(
                command, pass_fds=descriptors, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True, env=environment,
            )  # fmt: skip

    def heard(self):
        """The next thing that the script says."""
        return json.loads(self.popen.stdout.readline())

    def end(self) -> list:
        """What else it says; ``AssertionError`` where it does not end well."""
        out, err = self.popen.communicate(timeout=60)
        assert self.popen.returncode == 0, err or f"exit status {self.popen.returncode}"
        return [json.loads(line) for line in out.splitlines()]


def said(device, script: str, **options) -> list:
    """What a script says."""
    return Process(device, script, **options).end()


def nvcc() -> Path:
    found = (cuda_include() or Path()).parent / "bin" / "nvcc"
    if not found.is_file():
        pytest.skip("nvcc is not here")
    return found


def compiled(
    folder: Path, name: str, *flags: str, runtime: int = 13, target: str = "compute_80", source: str = LIBRARY
) -> Path:
    """A library for CUDA 13's runtime; for 12's with the launch stubs that CUDA 12 had. Neither is the stand-in: what
    the linker sees are empty functions."""
    compiler = nvcc()
    (folder / f"{name}.cu").write_text(source)
    code = folder / f"{name}.o"
    legacy = ["-D__NV_LEGACY_LAUNCH", "-Xcompiler=-D__NV_LEGACY_LAUNCH"] if runtime == 12 else []
    command = [str(compiler), "-arch=compute_80", f"-code={target}", "-Xcompiler=-fPIC", *legacy, *flags]
    environment = {"PATH": os.environ["PATH"]}
    subprocess.run([*command, "-c", str(folder / f"{name}.cu"), "-o", str(code)], check=True, env=environment)
    asked = subprocess.run(["nm", "-u", str(code)], check=True, capture_output=True, text=True).stdout.split()
    empty = "".join(f"int {symbol}() {{ return 0; }}\n" for symbol in asked if symbol.lstrip("_").startswith("cuda"))
    soname = f"libcudart.so.{runtime}"
    (folder / "empty.c").write_text(empty)
    (folder / "empty.map").write_text(f"{soname} {{ *; }};\n")
    link = ["gcc", "-shared", "-fPIC", str(folder / "empty.c"), f"-Wl,-soname,{soname}"]
    subprocess.run([*link, f"-Wl,--version-script={folder / 'empty.map'}", "-o", str(folder / soname)], check=True)
    library = folder / f"{name}.so"
    subprocess.run(["g++", "-shared", str(code), str(folder / soname), "-o", str(library)], check=True)
    (folder / soname).unlink()
    return library
