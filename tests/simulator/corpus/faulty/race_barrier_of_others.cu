// The warps of the lower half and those of the upper half have a barrier of their own; only a warp of the other half is
// not waited for, whose elements were there before, from the last round.
// @fault race
// @launch grid=1, block=128
// @in x = integers(128, 100)
// @out y = empty(128, i32)
// @expect y = x[::-1] + 1
extern "C" __global__ void reverse(int const* x, int* y)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    s[t] += 1; // <- other
    asm volatile("bar.sync %0, 64;" ::"r"(1 + t / 64) : "memory"); // fix: __syncthreads();
    y[t] = s[127 - t]; // <- fault
}
