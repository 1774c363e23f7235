extern "C" __global__ void reduce(const float* x, float* sums, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float v = t < n ? x[t] : 0.0f;
    for (int distance = 16; distance > 0; distance /= 2)
        v += __shfl_down_sync(0xffffffff, v, distance);
    if (threadIdx.x % 32 == 0) sums[t / 32] = v;
}

extern "C" __global__ void odd_even(int* y)
{
    int t = threadIdx.x, v;
    if (t % 2) {
        v = y[7 * t % 32] * 7;
    } else {
        v = y[(t + 100) % 32] + 1;
    }
    __syncwarp();
    y[t] = v;
}

extern "C" __global__ void columns(float* y)
{
    __shared__ float tile[32 * 32];
    int t = threadIdx.x;
    tile[32 * t] = t;
    __syncwarp();
    y[t] = tile[32 * t] * 2.0f;
}

__device__ __noinline__ float half(float v) { return v > 8.0f ? v * 0.5f : v; }

extern "C" __global__ void calls(float* y)
{
    y[threadIdx.x] = half(threadIdx.x);
}

extern "C" __global__ void early(float* y)
{
    int t = threadIdx.x;
    if (t > 20) return;
    for (int k = 0; k < t; ++k) y[t] += k;
}

extern "C" __global__ void one_after_another(int* y)
{
    int t = threadIdx.x, v = 0;
#pragma unroll 1
    for (int k = 0; k < 2; ++k) {
        if (k == t % 2) {
            asm volatile("shfl.sync.idx.b32 %0, %1, 5, 31, 0xffffffff;" : "=r"(v) : "r"(100 + t));
            break;
        }
        y[t] = k;
    }
    y[t] = v;
}

extern "C" __global__ void leaves(float* y)
{
    if (threadIdx.x >= 8) asm volatile("exit;");
    y[threadIdx.x] = 1.0f;
}
