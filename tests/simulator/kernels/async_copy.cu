// cp.async as a textbook uses it: tiles come into shared memory while others are computed with.
#include <cuda_pipeline.h>

// Each block doubles `tiles` tiles of blockDim.x numbers, two buffers in turn.
extern "C" __global__ void double_buffered(const float* x, float* y, int tiles) {
    extern __shared__ float buffer[];
    const int t = threadIdx.x, width = blockDim.x;
    x += blockIdx.x * tiles * width;
    y += blockIdx.x * tiles * width;
    __pipeline_memcpy_async(&buffer[t], &x[t], 4);
    __pipeline_commit();
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles) __pipeline_memcpy_async(&buffer[(k + 1) % 2 * width + t], &x[(k + 1) * width + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        y[k * width + t] = 2 * buffer[k % 2 * width + (width - 1 - t)];
        __syncthreads();
    }
}

// C = A B for n x n matrices, n a multiple of 32: tiles of 32 x 32 by 64 threads, `STAGES` of them on their way.
template <int STAGES>
__device__ void staged_matmul(const float* a, const float* b, float* c, int n) {
    __shared__ __align__(16) float tile_a[STAGES][32][32], tile_b[STAGES][32][32];
    const int t = threadIdx.x, row = blockIdx.y * 32, column = blockIdx.x * 32, steps = n / 32;
    auto fetch = [&](int step) {
        if (step < steps) {
            for (int q = t; q < 256; q += 64) {  // 256 times four numbers
                int i = q / 8, j = q % 8 * 4;
                __pipeline_memcpy_async(&tile_a[step % STAGES][i][j], &a[(row + i) * n + step * 32 + j], 16);
                __pipeline_memcpy_async(&tile_b[step % STAGES][i][j], &b[(step * 32 + i) * n + column + j], 16);
            }
        }
        __pipeline_commit();
    };
    for (int step = 0; step < STAGES - 1; step++) fetch(step);
    float sum[16] = {};
    const int x = t % 32, y = t / 32;
    for (int step = 0; step < steps; step++) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();  // everybody's part of this tile is there, and nobody still reads the one before
        fetch(step + STAGES - 1);
        for (int k = 0; k < 32; k++) {
            for (int i = 0; i < 16; i++) sum[i] += tile_a[step % STAGES][2 * i + y][k] * tile_b[step % STAGES][k][x];
        }
    }
    for (int i = 0; i < 16; i++) c[(row + 2 * i + y) * n + column + x] = sum[i];
}
extern "C" __global__ void two_stages(const float* a, const float* b, float* c, int n) { staged_matmul<2>(a, b, c, n); }
extern "C" __global__ void three_stages(const float* a, const float* b, float* c, int n) {
    staged_matmul<3>(a, b, c, n);
}

// The last tile may be short: what lies past the end becomes zero.
extern "C" __global__ void padded_with_zeros(const float* x, float* y, int count) {
    __shared__ __align__(16) float tile[128];
    const int t = threadIdx.x, first = 4 * t, left = count - first;
    const int bytes = left >= 4 ? 16 : left > 0 ? 4 * left : 0;
    __pipeline_memcpy_async(&tile[first], bytes ? &x[first] : x, 16, 16 - bytes);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int k = t; k < 128; k += 32) y[k] = tile[127 - k];
}

// How accesses are counted: `bytes` at once, `stride` elements from lane to lane in global memory, `jump` bytes in
// shared memory.
template <int BYTES>
__device__ void count_copies(const char* x, char* y, int stride, int jump) {
    extern __shared__ __align__(16) char bytes[];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&bytes[t * jump], &x[t * stride * BYTES], BYTES);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    y[t] = bytes[t * jump];
}
extern "C" __global__ void count_4(const char* x, char* y, int stride, int jump) { count_copies<4>(x, y, stride, jump); }
extern "C" __global__ void count_8(const char* x, char* y, int stride, int jump) { count_copies<8>(x, y, stride, jump); }
extern "C" __global__ void count_16(const char* x, char* y, int stride, int jump) {
    count_copies<16>(x, y, stride, jump);
}

// Four numbers a thread; what lies past the end becomes zero, and nothing is read for it.
extern "C" __global__ void zeros_past_the_end(const float* x, float* y, int count) {
    extern __shared__ __align__(16) float tile[];
    const int t = threadIdx.x, first = 4 * (blockIdx.x * blockDim.x + t);
    __pipeline_memcpy_async(&tile[4 * t], &x[first], 16, first < count ? 0 : 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    y[first / 4] = tile[4 * t];
}
