// A row's maximum and sum are found in one pass and merged by shuffles and shared memory; some threads have no element.
// @launch grid=2, block=128
// @in x = normal(2 * 100)
// @out y = empty(2 * 100)
// @scalar n = 100
// @expect y = (exp(x.reshape(2, 100)) / exp(x.reshape(2, 100)).sum(1, keepdims=True)).ravel()
// @close 1e-5
extern "C" __global__ void softmax(float const* x, float* y, int n)
{
    __shared__ float tops[4], sums[4];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    float v = t < n ? x[blockIdx.x * n + t] : __int_as_float(0xff800000);
    float top = v;
    for (int d = 16; d > 0; d >>= 1)
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
    float sum = t < n ? expf(v - top) : 0.0f;
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0)
    {
        tops[warp] = top;
        sums[warp] = sum;
    }
    __syncthreads();
    float all = fmaxf(fmaxf(tops[0], tops[1]), fmaxf(tops[2], tops[3])), total = 0.0f;
    for (int k = 0; k < 4; ++k)
        total += sums[k] * expf(tops[k] - all);
    if (t < n)
        y[blockIdx.x * n + t] = expf(v - all) / total;
}
