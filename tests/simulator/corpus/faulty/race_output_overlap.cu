// Blocks of 128 threads start 120 elements apart, as for an input with a halo; the outputs overlap with other values.
// @fault race
// @buffer y
// @launch grid=3, block=128
// @in x = normal(400)
// @out y = empty(400)
extern "C" __global__ void centred(float const* x, float* y)
{
    int i = blockIdx.x * 120 + threadIdx.x;
    float mean = (x[blockIdx.x * 120] + x[blockIdx.x * 120 + 127]) / 2;
    y[i] = x[i] - mean; // <- fault // fix: if (threadIdx.x < 120) y[i] = x[i] - mean;
}
