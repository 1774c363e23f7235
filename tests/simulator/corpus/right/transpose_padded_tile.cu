// Several tiles a block, transposed through a padded tile with two barriers a round.
// @launch grid=2, block=(16, 8)
// @in x = normal(32 * 48)
// @out y = empty(32 * 48)
// @expect y = x.reshape(32, 48).T.ravel()
extern "C" __global__ void transpose(float const* x, float* y)
{
    __shared__ float tile[16][17];
    int c = threadIdx.x;
    for (int base = 0; base < 48; base += 16)
    {
        for (int r = threadIdx.y; r < 16; r += 8)
            tile[r][c] = x[(blockIdx.x * 16 + r) * 48 + base + c];
        __syncthreads();
        for (int r = threadIdx.y; r < 16; r += 8)
            y[(base + r) * 32 + blockIdx.x * 16 + c] = tile[c][r];
        __syncthreads();
    }
}
