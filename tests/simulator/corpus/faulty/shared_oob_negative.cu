// A scan step reads its left partner without asking whether there is one.
// @fault shared_out_of_bounds
// @says in front of
// @launch grid=1, block=64, shared=256
// @in x = integers(64, 100)
// @out y = empty(64, i32)
// @expect y = cumsum(x)
extern "C" __global__ void scan(int const* x, int* y)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2)
    {
        int left = s[t - d]; // <- fault // fix: int left = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += left;
        __syncthreads();
    }
    y[t] = s[t];
}
