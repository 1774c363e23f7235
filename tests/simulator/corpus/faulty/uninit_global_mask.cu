// Elements are kept where a mask is set, and the mask buffer was allocated but never filled.
// @fault uninitialised_global
// @buffer mask
// @launch grid=1, block=64
// @in x = normal(64)
// @in mask = empty(64, u8)
// @mended in mask = ones(64, u8)
// @out y = empty(64)
// @expect y = x
extern "C" __global__ void keep(float const* x, unsigned char const* mask, float* y)
{
    int i = threadIdx.x;
    bool kept = mask[i] != 0; // <- fault
    if (kept) // <- other
        y[i] = x[i];
    else
        y[i] = 0.0f;
}
