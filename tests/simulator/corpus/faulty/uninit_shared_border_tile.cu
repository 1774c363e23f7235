// At the border of the matrix the tile is filled only partly, and the product runs over all of it.
// @fault uninitialised_shared
// @launch grid=1, block=(16, 16)
// @in x = normal(16 * 20)
// @out y = empty(16)
// @scalar columns = 20
// @expect y = x.reshape(16, 20).astype(f64).sum(1)
// @close 1e-5
extern "C" __global__ void row_sums(float const* x, float* y, int columns)
{
    __shared__ float tile[16][16];
    int c = threadIdx.x, r = threadIdx.y;
    float sum = 0.0f;
    for (int base = 16; base >= 0; base -= 16)
    {
        if (base + c < columns)
            tile[r][c] = x[r * columns + base + c];
        // fix: else tile[r][c] = 0.0f;
        __syncthreads();
        if (c == 0)
            for (int k = 0; k < 16; ++k)
                sum += tile[r][k]; // <- fault
        __syncthreads();
    }
    if (c == 0)
        y[r] = sum;
}
