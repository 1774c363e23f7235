// Threads past the end first fill their slot of shared memory, then leave before the barrier.
// @launch grid=2, block=64
// @in x = integers(100, 100)
// @out y = empty(100, i32)
// @scalar n = 100
// @expect y = concatenate([x[:64][::-1], zeros(28, i32), x[64:][28:][::-1]])
extern "C" __global__ void reverse(int const* x, int* y, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = i < n ? x[i] : 0;
    if (i >= n)
        return;
    __syncthreads();
    y[i] = s[63 - t];
}
