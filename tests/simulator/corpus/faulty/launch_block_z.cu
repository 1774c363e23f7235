// A block of 1 x 1 x 128 threads: z ends at 64.
// @fault launch
// @says 128, 64
// @launch grid=1, block=(1, 1, 128)
// @mended launch block=(2, 1, 64)
// @out y = empty(128)
extern "C" __global__ void fill(float* y)
{
    y[threadIdx.z * blockDim.x + threadIdx.x] = 0.0f;
}
