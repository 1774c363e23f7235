// Rows are put into gridDim.y, which ends at 65535.
// @fault launch
// @says 70000, 65535
// @launch grid=(1, 70000), block=1
// @mended launch grid=(2, 2)
// @out y = empty(70000)
extern "C" __global__ void fill(float* y)
{
    y[blockIdx.y] = 0.0f; // fix: y[blockIdx.y * 2 + blockIdx.x] = 0.0f;
}
