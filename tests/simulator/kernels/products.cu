// Products of matrices and convolutions.
#include <cuda_fp16.h>

extern "C" __global__ void product_naive(const float* a, const float* b, float* c, int rows, int inner, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || column >= columns) return;
    float sum = 0.0f;
    for (int k = 0; k < inner; k++) sum += a[row * inner + k] * b[k * columns + column];
    c[row * columns + column] = sum;
}

// Tiles of 32 by 32 in shared memory; four rows a thread in registers. Sizes are multiples of 32.
extern "C" __global__ void product_registers(const float* a, const float* b, float* c, int inner, int columns)
{
    __shared__ float left[32][32], right[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * 32 + x, row = blockIdx.y * 32 + y;
    float sum[4] = {};
    for (int tile = 0; tile < inner; tile += 32) {
        for (int r = 0; r < 4; r++) {
            left[y + 8 * r][x] = a[(row + 8 * r) * inner + tile + x];
            right[y + 8 * r][x] = b[(tile + y + 8 * r) * columns + column];
        }
        __syncthreads();
        for (int k = 0; k < 32; k++) {
            float shared_by_four = right[k][x];
            for (int r = 0; r < 4; r++) sum[r] += left[y + 8 * r][k] * shared_by_four;
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++) c[(row + 8 * r) * columns + column] = sum[r];
}

extern "C" __global__ void product_half_vector(const __half2* matrix, const __half2* vector, __half* to, int rows, int pairs)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int k = threadIdx.x; k < pairs; k += 32) {
        float2 m = __half22float2(matrix[row * pairs + k]), v = __half22float2(vector[k]);
        sum += m.x * v.x + m.y * v.y;
    }
    for (int distance = 16; distance; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (threadIdx.x == 0) to[row] = __float2half(sum);
}

// Weights in constant memory: they do not pass the load/store unit that the counters watch.
__constant__ float weights[7] = {0.03f, 0.11f, 0.22f, 0.28f, 0.22f, 0.11f, 0.03f};

extern "C" __global__ void convolve_constant(const float* from, float* to, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k + 6 >= count) return;
    float sum = 0.0f;
    for (int j = 0; j < 7; j++) sum += weights[j] * from[k + j];
    to[k] = sum;
}

// A different weight for each lane: constant memory by a computed address.
extern "C" __global__ void scale_by_constant(const float* from, float* to, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) to[k] = from[k] * weights[k % 7];
}

extern "C" __global__ void convolve_plane(const float* from, const float* kernel, float* to, int width, int height)
{
    __shared__ float tile[18][18];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    for (int k = threadIdx.y * 16 + threadIdx.x; k < 18 * 18; k += 256) {
        int from_x = static_cast<int>(blockIdx.x * 16) + k % 18 - 1, from_y = static_cast<int>(blockIdx.y * 16) + k / 18 - 1;
        bool inside = from_x >= 0 && from_y >= 0 && from_x < width && from_y < height;
        tile[k / 18][k % 18] = inside ? from[from_y * width + from_x] : 0.0f;
    }
    __syncthreads();
    if (x >= width || y >= height) return;
    float sum = 0.0f;
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) sum += tile[threadIdx.y + j][threadIdx.x + i] * kernel[3 * j + i];
    }
    to[y * width + x] = sum;
}
