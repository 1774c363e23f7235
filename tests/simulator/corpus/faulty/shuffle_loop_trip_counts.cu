// Lanes go round a loop as often as their row is long, and shuffle with the full mask in it.
// @fault shuffle, deadlock
// @launch grid=1, block=32
// @in length = array([4, 3, 2, 1] * 8, i32)
// @out y = empty(32, i32)
// @expect y = full(32, 4)
extern "C" __global__ void longest(int const* length, int* y)
{
    int t = threadIdx.x, n = length[t], most = 0;
    for (int k = 0; k < n; ++k) // fix: for (int k = 0; k < 4; ++k)
        most = max(most, __shfl_xor_sync(0xffffffffu, n, k)); // <- fault
    __syncthreads(); // <- other
    y[t] = most;
}
