// Neighbouring threads store neighbouring bytes, and neighbouring halves of one word in shared memory.
// @launch grid=2, block=64
// @in x = normal(128)
// @out mask = empty(128, u8)
// @out y = empty(128, u16)
// @expect mask = x > 0
// @expect y = (arange(128) ^ 1) % 64
extern "C" __global__ void neighbours(float const* x, unsigned char* mask, unsigned short* y)
{
    __shared__ unsigned short s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    mask[i] = x[i] > 0.0f;
    s[t] = t;
    __syncthreads();
    y[i] = s[t ^ 1];
}
