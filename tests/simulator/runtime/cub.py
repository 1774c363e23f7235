"""NVIDIA's CUB, as nvcc compiles it, on the simulated GPU: a reduction, a prefix sum and a radix sort; a minute.

CUB asks the runtime much that plugins ask it too: attributes of the device and of kernels, occupancy, errors.
"""

import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parent))

from cudart_process import compiled, said

from grader.simulator.runtime.client import RuntimeDevice
from grader.toolchain.locate import cuda_include

LIBRARY = """
#include <cub/cub.cuh>
template <class Algorithm>
int with_scratch(Algorithm algorithm)
{
    void* scratch = nullptr;
    size_t bytes = 0;
    if (int status = algorithm(scratch, bytes)) return status;
    if (int status = cudaMalloc(&scratch, bytes)) return status;
    int status = algorithm(scratch, bytes);
    return status ? status : cudaFree(scratch);
}
extern "C" int sum(const int* x, int* y, int n)
{
    return with_scratch([=](void* t, size_t& bytes) { return cub::DeviceReduce::Sum(t, bytes, x, y, n); });
}
extern "C" int scan(const int* x, int* y, int n)
{
    return with_scratch([=](void* t, size_t& bytes) { return cub::DeviceScan::ExclusiveSum(t, bytes, x, y, n); });
}
extern "C" int sort(const int* x, int* y, int n)
{
    return with_scratch([=](void* t, size_t& bytes) { return cub::DeviceRadixSort::SortKeys(t, bytes, x, y, n); });
}
"""
SCRIPT = """
n = 5000
values = [(7919 * i) % 1000 - 300 for i in range(n)]
host = (c_int * n)(*values)
x, y = made("cudaMalloc", 4 * n), made("cudaMalloc", 4 * n)
ok.cudaMemcpy(x, host, 4 * n, 1)
def result(name):
    assert getattr(many, name)(x, y, n) == 0, name
    ok.cudaMemcpy(host, y, 4 * n, 2)
    return list(host)
assert result("sum")[0] == sum(values)
assert result("scan") == [sum(values[:i]) for i in range(n)]
assert result("sort") == sorted(values)
"""


def main() -> None:
    include = cuda_include()
    assert include, "there are no CUDA headers here"
    with tempfile.TemporaryDirectory() as folder, RuntimeDevice.start() as device:
        library = compiled(Path(folder), "many", "-std=c++17", f"-I{include / 'cccl'}", source=LIBRARY)
        said(device, SCRIPT, libraries=(library,))
        launches = sum(record.call == "cudaLaunchKernel" for record in device.log())
        assert device.fault() is None and device.defects() == []
    print(f"CUB's reduction, prefix sum and radix sort are right: {launches} launches")


if __name__ == "__main__":
    main()
