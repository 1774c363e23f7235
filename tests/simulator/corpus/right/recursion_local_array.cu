// Each level of a recursion keeps a local array of its own and indexes it by a run-time value.
// @launch grid=1, block=4
// @in pick = array([0, 1, 2, 3], i32)
// @out y = empty(4, i32)
// @expect y = [sum(n * (p + 1) for n in range(1, 7)) for p in range(4)]
__device__ __noinline__ int levels(int n, int pick)
{
    if (n == 0)
        return 0;
    int multiples[4];
    for (int k = 0; k < 4; ++k)
        multiples[k] = n * (k + 1);
    int below = levels(n - 1, pick);
    return below % 100000 + multiples[pick];
}
extern "C" __global__ void sums(int const* pick, int* y)
{
    y[threadIdx.x] = levels(6, pick[threadIdx.x]);
}
