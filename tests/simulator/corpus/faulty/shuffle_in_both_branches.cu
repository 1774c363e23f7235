// Both sides of a branch shuffle with the full mask, each at its own place, and expect to meet.
// @fault shuffle, deadlock
// @launch grid=1, block=32
// @in x = integers(32, 100)
// @out y = empty(32, i32)
extern "C" __global__ void rotate(int const* x, int* y)
{
    int t = threadIdx.x, v = x[t], w;
    if (t % 2)
        w = __shfl_sync(0xffffffffu, v, t - 1) + 1; // <- fault // fix: w = v + 1;
    else
        w = __shfl_down_sync(0xffffffffu, v, 1) - 1; // <- other // fix: w = v - 1;
    __syncwarp();
    y[t] = w;
}
