// Lanes exchange through shared memory with only a shuffle between store and load: a shuffle orders no memory.
// @fault race, uninitialised_shared
// @launch grid=1, block=32
// @in x = integers(32, 100)
// @out y = empty(32, i32)
// @expect y = x[::-1] + x[0]
extern "C" __global__ void reverse(int const* x, int* y)
{
    __shared__ int s[32];
    int t = threadIdx.x, v = x[t];
    s[t] = v; // <- other
    int first = __shfl_sync(0xffffffffu, v, 0);
    // fix: __syncwarp();
    y[t] = s[31 - t] + first; // <- fault
}
