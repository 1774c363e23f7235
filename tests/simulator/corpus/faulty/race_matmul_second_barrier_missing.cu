// The tiled product loads the next tiles while slower warps still multiply the old ones.
// @fault race
// @launch grid=(2, 2), block=(16, 16)
// @in a = normal(32 * 32)
// @in b = normal(32 * 32, seed=2)
// @out c = empty(32 * 32)
// @scalar n = 32
// @expect c = (a.reshape(32, 32).astype(f64) @ b.reshape(32, 32)).ravel()
// @close 1e-4
extern "C" __global__ void matmul(float const* a, float const* b, float* c, int n)
{
    __shared__ float ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0.0f;
    for (int k = 0; k < n; k += 16)
    {
        ta[y][x] = a[row * n + k + x];        // <- fault
        tb[y][x] = b[(k + y) * n + column];   // <- fault
        __syncthreads();
        for (int j = 0; j < 16; ++j)
            sum += ta[y][j] * tb[j][x];       // <- other
        // fix: __syncthreads();
    }
    c[row * n + column] = sum;
}
