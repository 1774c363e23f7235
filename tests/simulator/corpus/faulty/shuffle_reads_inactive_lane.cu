// A row of 24 elements is shifted: lane 23 takes its value from lane 24, which does not take part, and stores it.
// @fault shuffle
// @launch grid=1, block=32
// @in x = integers(24, 100)
// @inout y = zeros(24, i32)
// @scalar n = 24
// @expect y = concatenate([x[1:], [0]])
extern "C" __global__ void shift_left(int const* x, int* y, int n)
{
    int t = threadIdx.x;
    if (t < n)
    {
        int v = x[t];
        int next = __shfl_down_sync(0x00ffffffu, v, 1); // <- fault
        y[t] = next; // <- other // fix: y[t] = t + 1 < n ? next : 0;
    }
}
