// A block of 33 x 32 threads is launched.
// @fault launch
// @says 1056, 1024
// @launch grid=1, block=(33, 32)
// @mended launch block=(32, 32)
// @out y = empty(1056)
extern "C" __global__ void fill(float* y)
{
    y[threadIdx.y * blockDim.x + threadIdx.x] = 0.0f;
}
