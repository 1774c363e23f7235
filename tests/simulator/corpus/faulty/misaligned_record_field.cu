// A packed record, one byte and an int, is read through an int pointer.
// @fault misaligned
// @launch grid=1, block=16
// @in records = arange(16 * 5, dtype=u8)
// @out y = empty(16, i32)
extern "C" __global__ void read_ids(unsigned char const* records, int* y)
{
    unsigned char const* r = records + threadIdx.x * 5;
    y[threadIdx.x] = *reinterpret_cast<int const*>(r + 1); // <- fault // fix: y[threadIdx.x] = r[1] | r[2] << 8 | r[3] << 16 | r[4] << 24;
}
