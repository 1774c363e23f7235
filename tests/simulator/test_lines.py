"""A fault is told at a line of the learner's file, though the instruction stands in a function of the toolkit."""

from __future__ import annotations

from conftest import compile_text
from small_kernels import KERNEL, fault_of, line_of


def test_a_fault_in_inlined_code_is_told_at_the_learners_line(bench):
    text = (
        "#include <cuda_fp16.h>\n"
        + KERNEL
        + """(half2* y, int k)
{
    half2 v = __ldg(&y[k]);  // here
    y[0] = v;
}"""
    )
    fault = fault_of(bench, text, bench.device.alloc(64, name="y"), 99, block=(1,))
    assert (fault.file, fault.line, fault.offset) == ("kernel.cu", line_of(text), 396)


def test_debug_builds_tell_the_line_that_calls_a_function_of_the_toolkit(bench):
    text = """__device__ int from(int v, int lane)
{
    return __shfl_sync(1u, v, lane);  // shuffle
}
extern "C" __global__ void k(float* y, int n)
{
    int v = threadIdx.x;
    if (n == 0 || v > 3)
        v = from(v, 1);
    if (v == n)
        atomicAdd(y - 100, 1.0f);  // atomic
}"""
    module = bench.device.load(compile_text(text, options=("-G",)))
    y = bench.device.alloc(256, name="y")
    fault = bench.launch(module, "k", (1,), (32,), y, 0).fault
    assert (fault.kind, fault.line) == ("shuffle", line_of(text, "// shuffle"))
    fault = bench.launch(module, "k", (1,), (3,), y, 2).fault
    assert (fault.kind, fault.line) == ("out_of_bounds", line_of(text, "// atomic"))
