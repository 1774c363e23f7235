// A softmax keeps the warps' maxima and then their sums in the same slots; a fast warp overwrites a maximum too early.
// @fault race
// @launch grid=1, block=128
// @in x = normal(128)
// @out y = empty(128)
// @expect y = exp(x - x.max()) / exp(x - x.max()).sum()
// @close 1e-4
extern "C" __global__ void softmax(float const* x, float* y)
{
    __shared__ float part[4];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float v = x[threadIdx.x], top = v;
    for (int d = 16; d > 0; d >>= 1)
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
    if (lane == 0)
        part[warp] = top;
    __syncthreads();
    top = fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3])); // <- fault
    // fix: __syncthreads();
    float e = expf(v - top), sum = e;
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0)
        part[warp] = sum; // <- other
    __syncthreads();
    y[threadIdx.x] = e / (part[0] + part[1] + part[2] + part[3]);
}
