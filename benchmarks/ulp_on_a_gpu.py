"""How far `erff` and `tanhf` are from the truth between -6 and 0, where chapter 10's tolerance depends on them.

    python benchmarks/ulp_on_a_gpu.py        on the device that GRADER_DEVICE chooses; needs SciPy for the reference

Every 64th float of the range, 17 million numbers, of which those with a result below -1/2 count, against float64.
"""

from __future__ import annotations

import numpy as np
from scipy.special import erf

from grader.gpu import cupy as cp
from grader.gpu import device_kind

CODE = r"""
extern "C" __global__ void take(const float* x, float* e, float* t, long long n)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { e[i] = erff(x[i]); t[i] = tanhf(x[i]); }
}
"""


def main() -> None:
    last = int(np.float32(6).view(np.uint32))
    x = (np.arange(0, last + 1, 64, dtype=np.uint32) | np.uint32(1 << 31)).view(np.float32)
    given, e, t = cp.asarray(x), cp.empty(x.size, cp.float32), cp.empty(x.size, cp.float32)
    kernel = cp.RawModule(code=CODE).get_function("take")
    kernel((-(-x.size // 256),), (256,), (given, e, t, np.int64(x.size)))
    for name, got, truth in (("erff", e, erf(x.astype(np.float64))), ("tanhf", t, np.tanh(x.astype(np.float64)))):
        close = truth < -0.5  # there floats lie 2^-24 apart
        error = np.abs(cp.asnumpy(got).astype(np.float64) - truth)[close].max()
        print(f"{device_kind()}: {name} below -1/2: at most {error / 2.0**-24:.2f} units in the last place")


if __name__ == "__main__":
    main()
