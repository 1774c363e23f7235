// A pointer into a file mapped on the host is read by the kernel.
// @fault host_pointer
// @launch grid=1, block=32
// @scalar x = 0x7f3a5c021000
// @mended in x = normal(32)
// @out y = empty(32)
extern "C" __global__ void copy(float const* x, float* y)
{
    y[threadIdx.x] = x[threadIdx.x]; // <- fault
}
