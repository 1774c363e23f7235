// row * columns is computed in 32 bits: the rows behind 2^31 elements are looked for in front of the buffer.
// @fault out_of_bounds
// @launch grid=70000, block=128, blocks=(69998, 70000)
// @in x = sparse(70000 * 40000, f16)
// @inout y = sparse(70000)
// @scalar columns = 40000
extern "C" __global__ void row_first(unsigned short const* x, float* y, int columns)
{
    int row = blockIdx.x;
    int at = row * columns + threadIdx.x; // fix: long long at = (long long)row * columns + threadIdx.x;
    unsigned short v = x[at]; // <- fault
    if (threadIdx.x == 0)
        y[row] = v;
}
