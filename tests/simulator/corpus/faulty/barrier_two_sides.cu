// Even and odd warps wait at a __syncthreads() of their own: the condition is not the same for the whole block.
// @fault barrier, deadlock
// @launch grid=1, block=64
// @out y = empty(64, i32)
// @expect y = where(arange(64) < 32, 63 - arange(64), 3 * arange(64) - 63)
extern "C" __global__ void exchange(int* y)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    // fix: __syncthreads();
    if (t / 32 == 0)
    {
        __syncthreads(); // <- fault // fix: ;
        y[t] = s[63 - t];
    }
    else
    {
        int mine = 2 * s[t];
        __syncthreads(); // <- other // fix: ;
        y[t] = mine - s[63 - t];
    }
}
