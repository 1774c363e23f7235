// An empty tensor leads to a grid of zero blocks.
// @fault launch
// @says 0
// @launch grid=0, block=256
// @mended launch grid=1
// @out y = empty(256)
extern "C" __global__ void fill(float* y)
{
    y[threadIdx.x] = 0.0f;
}
