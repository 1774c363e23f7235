// A helper with a barrier inside is called by the valid threads only; the others go on to the next barrier.
// @fault barrier, deadlock
// @launch grid=1, block=64
// @in x = integers(40, 100)
// @out y = empty(1, i32)
// @scalar n = 40
// @expect y = [x.sum()]
__device__ int block_sum(int v, int* s)
{
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads(); // <- fault
    for (int d = 32; d > 0; d >>= 1)
    {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads(); // <- other
    }
    return s[0];
}
extern "C" __global__ void total(int const* x, int* y, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;
    s[t] = 0;
    __syncthreads(); // <- other
    if (t < n) // fix: ;
        sum = block_sum(x[t], s); // fix: sum = block_sum(t < n ? x[t] : 0, s);
    __syncthreads(); // <- other
    if (t == 0)
        y[0] = sum;
}
