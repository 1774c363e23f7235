// Rows of 30 floats are read as float4: every second row begins in the middle of one.
// @fault misaligned
// @buffer x
// @launch grid=1, block=8
// @in x = normal(8 * 32)
// @out y = empty(8)
// @scalar pitch = 30
// @mended scalar pitch = 32
// @expect y = x.reshape(8, 32)[:, 0] + x.reshape(8, 32)[:, 3]
extern "C" __global__ void first(float const* x, float* y, int pitch)
{
    float4 v = *reinterpret_cast<float4 const*>(x + threadIdx.x * pitch); // <- fault
    y[threadIdx.x] = v.x + v.w;
}
