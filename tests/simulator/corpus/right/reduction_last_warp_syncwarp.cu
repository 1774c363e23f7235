// The last warp of a tree reduction goes on alone, with __syncwarp() between reading and writing.
// @launch grid=4, block=256
// @in x = integers(1024, 1000)
// @out y = empty(4, i32)
// @expect y = x.reshape(4, 256).sum(1)
extern "C" __global__ void block_sum(int const* x, int* y)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 128; d >= 32; d >>= 1)
    {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t < 32)
    {
        for (int d = 16; d > 0; d >>= 1)
        {
            int v = s[t] + s[t + d];
            __syncwarp();
            s[t] = v;
            __syncwarp();
        }
        if (t == 0)
            y[blockIdx.x] = s[0];
    }
}
