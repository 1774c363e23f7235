// The tiled product with zeros behind the border, both barriers in place.
// @launch grid=(2, 2), block=(16, 16)
// @in a = integers(20 * 24, 9)
// @in b = integers(24 * 28, 9, seed=2)
// @out c = empty(20 * 28, i32)
// @scalar m = 20
// @scalar n = 28
// @scalar k = 24
// @expect c = (a.reshape(20, 24) @ b.reshape(24, 28)).ravel()
extern "C" __global__ void matmul(int const* a, int const* b, int* c, int m, int n, int k)
{
    __shared__ int ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x, sum = 0;
    for (int base = 0; base < k; base += 16)
    {
        ta[y][x] = row < m && base + x < k ? a[row * k + base + x] : 0;
        tb[y][x] = base + y < k && column < n ? b[(base + y) * n + column] : 0;
        __syncthreads();
        for (int j = 0; j < 16; ++j)
            sum += ta[y][j] * tb[j][x];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}
