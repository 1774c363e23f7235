// Where the data of one element lies: structures, indices, masks, neighbours.
#include <cuda_fp16.h>

struct Particle {
    float x, y, z, mass;
    float vx, vy, vz, charge;
};

extern "C" __global__ void move_structures(Particle* all, float dt, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= count) return;
    all[k].x += dt * all[k].vx;
    all[k].y += dt * all[k].vy;
    all[k].z += dt * all[k].vz;
}

extern "C" __global__ void move_arrays(float* x, float* y, float* z, const float* vx, const float* vy, const float* vz,
                                       float dt, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= count) return;
    x[k] += dt * vx[k];
    y[k] += dt * vy[k];
    z[k] += dt * vz[k];
}

// Three floats an element: 12 bytes, no vector access fits.
extern "C" __global__ void lengths(const float3* points, float* length, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) length[k] = points[k].x * points[k].x + points[k].y * points[k].y + points[k].z * points[k].z;
}

extern "C" __global__ void gather(const float* from, const int* where, float* to, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) to[k] = from[where[k]];
}

extern "C" __global__ void scatter(const float* from, const int* where, float* to, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) to[where[k]] = from[k];
}

// One block copies one row of an embedding table.
extern "C" __global__ void gather_rows(const __half* table, const int* row, __half* to, int width)
{
    for (int k = threadIdx.x; k < width; k += blockDim.x) {
        to[blockIdx.x * width + k] = table[row[blockIdx.x] * width + k];
    }
}

extern "C" __global__ void where_mask(const float* x, const unsigned char* mask, float* y, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) y[k] = mask[k] ? x[k] : 0.0f;
}

extern "C" __global__ void stencil_row(const float* from, float* to, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < 1 || k >= count - 1) return;
    to[k] = 0.25f * from[k - 1] + 0.5f * from[k] + 0.25f * from[k + 1];
}

extern "C" __global__ void stencil_plane(const float* from, float* to, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    int k = y * width + x;
    to[k] = 0.2f * (from[k] + from[k - 1] + from[k + 1] + from[k - width] + from[k + width]);
}

// A block holds its part of the row, with a border of `kReach` on either side.
constexpr int kReach = 3;

extern "C" __global__ void stencil_shared(const float* from, float* to, int count)
{
    __shared__ float part[128 + 2 * kReach];
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x + kReach] = k < count ? from[k] : 0.0f;
    if (threadIdx.x < kReach) {
        part[threadIdx.x] = k >= kReach ? from[k - kReach] : 0.0f;
        part[threadIdx.x + blockDim.x + kReach] = k + blockDim.x < count ? from[k + blockDim.x] : 0.0f;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int j = -kReach; j <= kReach; j++) sum += part[threadIdx.x + kReach + j];
    if (k < count) to[k] = sum;
}

// scores[head][i][j] += table[bucket(j - i)][head], as in attention with relative positions.
extern "C" __global__ void relative_position_bias(__half* scores, const __half* table, int heads, int length, int reach)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y, head = blockIdx.z;
    if (j >= length) return;
    int distance = min(max(j - i, -reach), reach) + reach;
    int at = (head * length + i) * length + j;
    scores[at] = __hadd(scores[at], table[distance * heads + head]);
}

extern "C" __global__ void bias_gelu(__half* x, const __half* bias, int width, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= count) return;
    float v = __half2float(x[k]) + __half2float(bias[k % width]);
    x[k] = __float2half(0.5f * v * (1.0f + erff(v * 0.70710678f)));
}

// One pair of elements a thread, one slope a channel.
extern "C" __global__ void prelu_half2(const __half2* x, const __half* slope, __half2* y, int plane, int channels, int pairs)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= pairs) return;
    __half2 s = __half2half2(slope[2 * k / plane % channels]), v = x[k], zero = __float2half2_rn(0.0f);
    y[k] = __hadd2(__hmax2(v, zero), __hmul2(s, __hmin2(v, zero)));
}
