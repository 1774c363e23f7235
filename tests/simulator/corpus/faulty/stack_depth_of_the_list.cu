// A list of 100,000 elements is walked by recursion, one frame an element.
// @fault stack
// @launch grid=1, block=1
// @out y = empty(1, i32)
// @scalar n = 100000
// @mended scalar n = 10
// @expect y = [sum(k % 7 for k in range(1, 11))]
__device__ __noinline__ int walk(int n)
{
    if (n == 0)
        return 0;
    volatile int own = n % 7;
    int below = walk(n - 1); // <- fault
    return below + own;
}
extern "C" __global__ void sum(int* y, int n)
{
    y[0] = walk(n);
}
