// A tiled matrix product of two square row-major matrices; the side is a multiple of the tile.
constexpr int kTile = 16;

extern "C" __global__ void matmul(const float* left, const float* right, float* product, int side)
{
    __shared__ float a[kTile][kTile];
    __shared__ float b[kTile][kTile];
    int row = blockIdx.y * kTile + threadIdx.y;
    int column = blockIdx.x * kTile + threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < side; start += kTile) {
        a[threadIdx.y][threadIdx.x] = left[row * side + start + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = right[(start + threadIdx.y) * side + column];
        __syncthreads();
        for (int k = 0; k < kTile; k++) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }
    product[row * side + column] = sum;
}
