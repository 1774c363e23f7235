// The bits of floats are looked at as ints in a union and in shared memory.
// @launch grid=1, block=32
// @in x = normal(32)
// @out y = empty(32, u32)
// @expect y = x.view(u32)[::-1] ^ 0x80000000
union Bits
{
    float f;
    unsigned u;
    unsigned short h[2];
};
extern "C" __global__ void flip_sign(float const* x, unsigned* y)
{
    __shared__ Bits s[32];
    int t = threadIdx.x;
    s[t].f = x[t];
    __syncthreads();
    Bits b;
    b.u = s[31 - t].u;
    b.h[1] ^= 0x8000;
    y[t] = b.u;
}
