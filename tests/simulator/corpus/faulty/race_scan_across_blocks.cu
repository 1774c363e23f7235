// Differences are taken in place: only at the borders of the blocks does a thread read what another block writes.
// @fault race
// @buffer x
// @launch grid=4, block=64
// @inout x = integers(256, 100)
extern "C" __global__ void differences(int* x)
{
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = x[i];
    int left = t > 0 ? 0 : i > 0 ? x[i - 1] : 0; // <- fault // fix: int left = 0;
    __syncthreads();
    if (t > 0)
        left = s[t - 1];
    x[i] = s[t] - left; // <- other
}
