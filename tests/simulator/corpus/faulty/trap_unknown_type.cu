// A cast kernel traps on a type code that it does not know.
// @fault trap
// @launch grid=1, block=32
// @in x = normal(32)
// @out y = empty(32)
// @scalar type = 7
// @mended scalar type = 0
// @expect y = x
extern "C" __global__ void cast(float const* x, float* y, int type)
{
    switch (type)
    {
    case 0: y[threadIdx.x] = x[threadIdx.x]; break;
    case 1: y[threadIdx.x] = rintf(x[threadIdx.x]); break;
    default: __trap(); // <- fault
    }
}
