// The workspace was freed when the context was destroyed, and the kernel still uses it.
// @fault freed_pointer
// @buffer workspace
// @launch grid=1, block=32
// @freed workspace = zeros(32)
// @mended inout workspace = zeros(32)
extern "C" __global__ void fill(float* workspace)
{
    workspace[threadIdx.x] = threadIdx.x; // <- fault
}
