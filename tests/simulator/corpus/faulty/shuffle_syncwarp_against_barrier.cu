// Half of the warp waits for the whole warp at __syncwarp(), the other half for the whole block at __syncthreads().
// @fault shuffle, deadlock, barrier
// @launch grid=1, block=32
// @out y = empty(32, i32)
// @expect y = arange(32) ^ 1
extern "C" __global__ void exchange(int* y)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    if (t < 16)
        __syncwarp(); // <- fault // fix: __syncwarp(0xffffu);
    __syncthreads(); // <- other
    y[t] = s[t ^ 1];
}
