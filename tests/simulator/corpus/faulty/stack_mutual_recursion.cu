// Two functions, for even and odd levels, call each other without an end.
// @fault stack
// @launch grid=1, block=1
// @inout y = zeros(8, i32)
// @scalar n = 4
__device__ __noinline__ int odd(int* y, int n);
__device__ __noinline__ int even(int* y, int n)
{
    y[n & 7] += 1; // <- other
    // fix: if (n > 20) return 0;
    return odd(y, n + 1) + y[n & 3]; // <- fault
}
__device__ __noinline__ int odd(int* y, int n)
{
    y[n & 7] += 2; // <- other
    return even(y, n + 1) + y[n & 3]; // <- other
}
extern "C" __global__ void levels(int* y, int n)
{
    y[0] = even(y, n);
}
