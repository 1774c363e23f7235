// Square blocks of a matrix are transposed in place by blocks that know nothing of their mirror images.
// @fault race
// @buffer x
// @launch grid=(2, 2), block=(16, 16)
// @inout x = normal(32 * 32)
extern "C" __global__ void transpose(float* x)
{
    __shared__ float tile[16][17];
    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = x[r * 32 + c]; // <- fault // fix: if (blockIdx.x != blockIdx.y) return; tile[threadIdx.y][threadIdx.x] = x[r * 32 + c];
    __syncthreads();
    c = blockIdx.y * 16 + threadIdx.x, r = blockIdx.x * 16 + threadIdx.y;
    x[r * 32 + c] = tile[threadIdx.x][threadIdx.y]; // <- other
}
