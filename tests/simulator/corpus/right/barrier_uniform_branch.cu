// A barrier stands in a branch that all threads of the block take alike, and some blocks not at all.
// @launch grid=4, block=64
// @in x = integers(256, 100)
// @out y = empty(256, i32)
// @expect y = where((arange(256) // 64 % 2 == 0)[:, None], x.reshape(4, 64)[:, ::-1].reshape(256, 1), x.reshape(256, 1)).ravel()
extern "C" __global__ void reverse_even_blocks(int const* x, int* y)
{
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t, v = x[i];
    if (blockIdx.x % 2 == 0)
    {
        s[t] = v;
        __syncthreads();
        v = s[63 - t];
    }
    y[i] = v;
}
