// Each warp has a tile of its own in shared memory and needs no barrier of the block.
// @launch grid=1, block=96
// @in x = integers(96 * 4, 100)
// @out y = empty(96 * 4, i32)
// @expect y = x.reshape(3, 32, 4).transpose(0, 2, 1).ravel()
extern "C" __global__ void to_planes(int const* x, int* y)
{
    __shared__ int tile[3][32][5];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int k = 0; k < 4; ++k)
        tile[warp][(k * 32 + lane) / 4][lane % 4] = x[warp * 128 + k * 32 + lane];
    __syncwarp();
    for (int k = 0; k < 4; ++k)
        y[warp * 128 + k * 32 + lane] = tile[warp][lane][k];
}
