// A ramp is filled without any guard: the last block writes past the end.
// @fault out_of_bounds
// @buffer y
// @says writes, byte 4000
// @launch grid=4, block=256
// @out y = empty(1000)
// @scalar n = 1000
// @expect y = arange(1000) * 0.5
extern "C" __global__ void ramp(float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < gridDim.x * blockDim.x) // fix: if (i < n)
    {
        y[i] = 0.5f * i; // <- fault
    }
}
