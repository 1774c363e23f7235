// A five-point filter reads its sixth weight from constant memory.
// @fault out_of_bounds
// @buffer weights
// @launch grid=1, block=32
// @in x = normal(64)
// @out y = empty(32)
// @scalar taps = 6
// @mended scalar taps = 5
__constant__ float weights[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
extern "C" __global__ void filter(float const* x, float* y, int taps)
{
    float sum = 0.0f;
    for (int k = 0; k < taps; ++k)
        sum += weights[k] * x[threadIdx.x + k]; // <- fault
    y[threadIdx.x] = sum;
}
