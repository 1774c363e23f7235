// The kernel promises at most 128 threads a block and is launched with 256.
// @fault launch
// @says 256, 128
// @launch grid=1, block=256
// @mended launch block=128
// @out y = empty(256)
extern "C" __global__ void __launch_bounds__(128) fill(float* y)
{
    y[threadIdx.x] = 0.0f;
}
