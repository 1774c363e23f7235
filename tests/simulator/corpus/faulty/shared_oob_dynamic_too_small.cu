// The launch gives dynamic shared memory in elements, not in bytes.
// @fault shared_out_of_bounds
// @launch grid=1, block=128, shared=128
// @mended launch shared=512
// @in x = normal(128)
// @out y = empty(128)
// @expect y = x[::-1]
extern "C" __global__ void reverse(float const* x, float* y)
{
    extern __shared__ float s[];
    int t = threadIdx.x;
    s[t] = x[t]; // <- fault
    __syncthreads();
    y[t] = s[127 - t];
}
