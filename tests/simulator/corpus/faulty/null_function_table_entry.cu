// A list of input pointers, as a concat plugin takes it, has a null in its third place.
// @fault null_pointer
// @launch grid=4, block=16
// @in a = normal(16)
// @in table = array([a_at, a_at, 0, a_at], u64)
// @mended in table = array([a_at] * 4, u64)
// @out y = empty(64)
// @expect y = tile(a, 4)
extern "C" __global__ void concat(float const* a, float const* const* table, float* y)
{
    y[blockIdx.x * 16 + threadIdx.x] = table[blockIdx.x][threadIdx.x]; // <- fault
}
