// A factorial stops at exactly 0 and is called with -1.
// @fault stack
// @launch grid=1, block=4
// @in x = array([3, 2, 1, -1], i32)
// @mended in x = array([3, 2, 1, 0], i32)
// @out y = empty(4, i32)
// @expect y = [6, 2, 1, 1]
__device__ __noinline__ int factorial(volatile int n)
{
    if (n == 0)
        return 1;
    int m = n;
    return factorial(m - 1) % 1000 * m; // <- fault
}
extern "C" __global__ void factorials(int const* x, int* y)
{
    y[threadIdx.x] = factorial(x[threadIdx.x]);
}
