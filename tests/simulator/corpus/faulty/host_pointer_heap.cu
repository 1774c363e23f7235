// A vector's data pointer on the host's heap is written by the kernel.
// @fault host_pointer
// @launch grid=1, block=32
// @scalar y = 0x555555a9bc10
// @mended out y = empty(32)
extern "C" __global__ void fill(float* y)
{
    y[threadIdx.x] = 1.0f; // <- fault
}
