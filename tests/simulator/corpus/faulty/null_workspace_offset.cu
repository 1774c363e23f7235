// The workspace is null and is written at an offset, so that the address itself is not zero.
// @fault null_pointer
// @launch grid=2, block=64
// @scalar workspace = 0
// @mended out workspace = empty(128)
extern "C" __global__ void fill(float* workspace)
{
    workspace[64 + threadIdx.x] = 0.0f; // <- fault // fix: workspace[blockIdx.x * 64 + threadIdx.x] = 0.0f;
}
