// A block transposes several tiles one after another; a warp fills the tile again before the others have read it.
// @fault race
// @launch grid=1, block=(16, 16)
// @in x = normal(16 * 64)
// @out y = empty(16 * 64)
// @expect y = x.reshape(16, 64).T.ravel()
extern "C" __global__ void transpose(float const* x, float* y)
{
    __shared__ float tile[16][17];
    int c = threadIdx.x, r = threadIdx.y;
    for (int base = 0; base < 64; base += 16)
    {
        tile[r][c] = x[r * 64 + base + c]; // <- fault
        __syncthreads();
        y[(base + r) * 16 + c] = tile[c][r]; // <- other
        // fix: __syncthreads();
    }
}
