// The loop of an atomic maximum of floats compares with the value that it read first, for ever.
// @fault budget
// @launch grid=1, block=32
// @in x = arange(32, dtype=f32)
// @inout y = zeros(1, f32)
// @expect y = [31]
extern "C" __global__ void top(float const* x, float* y)
{
    int* at = reinterpret_cast<int*>(y);
    int old = atomicAdd(at, 0);
    while (__int_as_float(old) < x[threadIdx.x]) // <- other
    {
        int seen = atomicCAS(at, old, __float_as_int(x[threadIdx.x])); // <- fault
        if (seen == old) // <- other
            break;
        // fix: old = seen;
    }
}
