// An embedding gather meets the padding index -1 and reads a row in front of the table.
// @fault out_of_bounds
// @buffer table
// @says in front of
// @launch grid=8, block=32
// @in table = normal(10 * 32)
// @in ids = array([3, 1, 4, 1, 5, -1, 2, 6], i32)
// @out y = empty(8 * 32)
extern "C" __global__ void gather(float const* table, int const* ids, float* y)
{
    int row = blockIdx.x, c = threadIdx.x;
    y[row * 32 + c] = table[ids[row] * 32 + c]; // <- fault // fix: y[row * 32 + c] = ids[row] < 0 ? 0.0f : table[ids[row] * 32 + c];
}
