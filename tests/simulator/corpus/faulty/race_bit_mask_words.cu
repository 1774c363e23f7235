// Each thread sets its own bit of a packed mask by or-ing into the word that it shares with 31 others.
// @fault race
// @says atomic
// @buffer mask
// @launch grid=1, block=64
// @in x = normal(64)
// @inout mask = zeros(2, u32)
// @expect mask = packbits(x > 0, bitorder='little').view(u32)
extern "C" __global__ void positive_bits(float const* x, unsigned* mask)
{
    int i = threadIdx.x;
    if (x[i] > 0.0f)
        mask[i / 32] |= 1u << i % 32; // <- fault // fix: atomicOr(&mask[i / 32], 1u << i % 32);
}
