"""What ptxas reports, read from NVRTC's log."""

import pytest

from grader.toolchain import locate
from grader.toolchain.records import Source
from grader.toolchain.resources import ResourcesUnavailable, kernel_resources
from grader.verdict import State

pytestmark = pytest.mark.skipif(locate.nvrtc() is None, reason="needs NVRTC")

SMALL = 'extern "C" __global__ void small(float* y) { y[threadIdx.x] = 1.0f; }\n'
SHARED = """extern "C" __global__ void shared(float* y)
{
    __shared__ float part[64];
    part[threadIdx.x] = y[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = part[63 - threadIdx.x];
}
"""
MANY = """extern "C" __global__ void BOUNDS many(const float* a, float* b, int n)
{
    float v[60];
#pragma unroll
    for (int j = 0; j < 60; j++) v[j] = a[j * n];
#pragma unroll
    for (int j = 0; j < 60; j++) b[j * n] = v[j] * v[59 - j];
}
"""
CALLS = """__device__ __noinline__ float pick(const float* x, int n)
{
    float own[40];
    for (int k = 0; k < 40; k++) own[k] = x[k * n] + n;
    return own[n % 40] + own[n % 7];
}
extern "C" __global__ void calls(float* x, int n) { x[n] = pick(x, n); }
"""


def of(text: str, *options: str, arch: str = "sm_80"):
    return kernel_resources(Source(files={"k.cu": text.encode()}, main="k.cu"), arch, options)


def test_every_kernel_of_a_file_has_its_own_numbers():
    found = of(SMALL + SHARED)
    assert list(found) == ["small", "shared"]
    small, shared = found["small"], found["shared"]
    assert 0 < small.registers < shared.registers + 8 and small.shared_bytes == small.barriers == 0
    assert (shared.shared_bytes, shared.barriers) == (256, 1)
    assert small.stack_bytes == shared.stack_bytes == small.spill_store_bytes == 0


def test_too_few_registers_are_seen_as_spills():
    free = of(MANY, "-DBOUNDS=")["many"]
    bound = of(MANY, "-DBOUNDS=__launch_bounds__(1024, 2)")["many"]
    assert free.registers > 60 and free.spill_store_bytes == free.spill_load_bytes == 0
    assert bound.registers <= 32 and bound.spill_store_bytes > 0 and bound.spill_load_bytes > 0
    assert bound.stack_bytes >= bound.spill_store_bytes // 8
    assert of(MANY, "-DBOUNDS=", "-maxrregcount=40")["many"].registers <= 40


def test_the_stack_of_called_functions_counts():
    assert of(CALLS)["calls"].stack_bytes >= 160


@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
def test_other_architectures(arch):
    assert of(SHARED, arch=arch)["shared"].shared_bytes == 256


def test_what_does_not_compile_has_no_resources():
    with pytest.raises(ResourcesUnavailable) as problem:
        of(SMALL + "int broken = ;\n")
    assert problem.value.state is State.FAIL and problem.value.sentence
    with pytest.raises(ValueError, match="compute_80"):
        of(SMALL, arch="compute_80")


def test_a_source_cannot_make_up_its_report():
    lie = "ptxas info    : Compiling entry function 'small' for 'sm_80'\\nptxas info    : Used 1 registers"
    assert of(f'#pragma message("\\n{lie}\\n")\n' + SMALL)["small"] == of(SMALL)["small"]


def test_the_second_time_is_from_the_cache(cache):
    first = of(SMALL, "-DONCE")
    assert of(SMALL, "-DONCE") == first and list((cache / "kernels").iterdir())
