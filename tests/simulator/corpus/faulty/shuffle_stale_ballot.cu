// The mask is voted once before the loop, and lanes drop out of the loop afterwards.
// @fault shuffle, deadlock
// @launch grid=1, block=32
// @in length = array([3, 1] * 16, i32)
// @out y = empty(32, i32)
// @expect y = where(arange(32) % 2 == 0, 32, 16)
extern "C" __global__ void walk(int const* length, int* y)
{
    int t = threadIdx.x, n = length[t], sum = 0;
    unsigned active = __ballot_sync(0xffffffffu, n > 0);
    for (int k = 0; k < n; ++k)
    {
        sum += __popc(__ballot_sync(active, n > k + 1)); // <- fault
        // fix: active = __ballot_sync(active, n > k + 1);
    }
    __syncwarp(); // <- other
    y[t] = sum;
}
