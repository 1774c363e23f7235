// The number of elements is taken from a difference of byte pointers: four times too many.
// @fault out_of_bounds
// @buffer x
// @launch grid=1, block=32
// @in x = normal(100)
// @scalar end = x_at + 400
// @out y = empty(1)
extern "C" __global__ void longest(char const* x, char const* end, float* y)
{
    float const* values = reinterpret_cast<float const*>(x);
    long long n = end - x; // fix: long long n = (end - x) / 4;
    float best = 0.0f;
    for (long long i = threadIdx.x; i < n; i += 32)
        best = fmaxf(best, fabsf(values[i])); // <- fault
    for (int d = 16; d > 0; d >>= 1)
        best = fmaxf(best, __shfl_xor_sync(0xffffffffu, best, d));
    if (threadIdx.x == 0)
        y[0] = best;
}
