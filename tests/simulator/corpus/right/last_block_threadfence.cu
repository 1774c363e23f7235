// The last block to finish adds up the partial sums of all: fence, then counter, as in the programming guide.
// @launch grid=6, block=64
// @in x = integers(384, 100)
// @inout partial = zeros(6, i32)
// @inout counter = zeros(1, u32)
// @out y = empty(1, i32)
// @expect y = x.sum()
extern "C" __global__ void total(int const* x, volatile int* partial, unsigned* counter, int* y)
{
    __shared__ int s[64];
    __shared__ bool last;
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 64 + t];
    __syncthreads();
    for (int d = 32; d > 0; d >>= 1)
    {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
    {
        partial[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(counter, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0)
    {
        int sum = 0;
        for (int b = 0; b < gridDim.x; ++b)
            sum += partial[b];
        y[0] = sum;
        *counter = 0;
    }
}
