// Each lane votes one bit of a packed mask, and one lane stores the word.
// @launch grid=2, block=64
// @in x = normal(128)
// @out mask = empty(4, u32)
// @expect mask = packbits(x > 0, bitorder='little').view(u32)
extern "C" __global__ void pack(float const* x, unsigned* mask)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    unsigned word = __ballot_sync(0xffffffffu, x[i] > 0.0f);
    if (i % 32 == 0)
        mask[i / 32] = word;
}
