// Neighbouring threads read and write, in place, the two halves of one 32-bit word.
// @launch grid=1, block=64
// @inout x = arange(64, dtype=u16)
// @expect x = arange(64) * 3
extern "C" __global__ void triple(unsigned short* x)
{
    x[threadIdx.x] = 3 * x[threadIdx.x];
}
