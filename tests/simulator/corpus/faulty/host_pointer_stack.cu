// The address of a variable on the host's stack is passed instead of a device buffer.
// @fault host_pointer
// @launch grid=1, block=32
// @scalar slope = 0x7ffd1a2b3c40
// @mended in slope = array([2], f32)
// @in x = normal(32)
// @out y = empty(32)
// @expect y = where(x > 0, x, x * float32(2))
extern "C" __global__ void prelu(float const* slope, float const* x, float* y)
{
    int i = threadIdx.x;
    float v = x[i];
    y[i] = v > 0.0f ? v : v * slope[0]; // <- fault
}
