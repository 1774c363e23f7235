// Pairs of halves start at odd elements: the shifted input is read as half2.
// @fault misaligned
// @says 4
// @launch grid=1, block=32
// @in x = normal(80, f16)
// @out y = empty(32, u32)
// @scalar shift = 1
// @mended scalar shift = 2
// @expect y = x.view(u32)[1:33]
extern "C" __global__ void shifted(unsigned short const* x, unsigned* y, int shift)
{
    int i = 2 * threadIdx.x + shift;
    y[threadIdx.x] = *reinterpret_cast<unsigned const*>(x + i); // <- fault
}
