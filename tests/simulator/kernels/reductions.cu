// Sums over blocks of 256 threads and over rows.

__device__ float over_warp(float v)
{
    for (int distance = 16; distance; distance /= 2) v += __shfl_down_sync(0xffffffffu, v, distance);
    return v;
}

// Neighbours first: the threads that add lie ever further apart.
extern "C" __global__ void sum_interleaved(const float* from, float* sums, int count)
{
    __shared__ float part[256];
    int t = threadIdx.x, k = blockIdx.x * 256 + t;
    part[t] = k < count ? from[k] : 0.0f;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        if (t % (2 * step) == 0) part[t] += part[t + step];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

// The same additions by the first threads of the block: bank conflicts instead of idle lanes.
extern "C" __global__ void sum_interleaved_banks(const float* from, float* sums, int count)
{
    __shared__ float part[256];
    int t = threadIdx.x, k = blockIdx.x * 256 + t;
    part[t] = k < count ? from[k] : 0.0f;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        int at = 2 * step * t;
        if (at < 256) part[at] += part[at + step];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

extern "C" __global__ void sum_sequential(const float* from, float* sums, int count)
{
    __shared__ float part[256];
    int t = threadIdx.x, k = blockIdx.x * 256 + t;
    part[t] = k < count ? from[k] : 0.0f;
    __syncthreads();
    for (int half = 128; half; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

extern "C" __global__ void sum_shuffle(const float* from, float* sums, int count)
{
    __shared__ float part[8];
    int t = threadIdx.x;
    float v = 0.0f;
    for (int k = blockIdx.x * 256 + t; k < count; k += gridDim.x * 256) v += from[k];
    v = over_warp(v);
    if (t % 32 == 0) part[t / 32] = v;
    __syncthreads();
    if (t >= 32) return;
    v = over_warp(t < 8 ? part[t] : 0.0f);
    if (t == 0) sums[blockIdx.x] = v;
}

// One atomic a block joins the blocks' sums.
extern "C" __global__ void sum_grid(const float* from, float* sum, int count)
{
    __shared__ float part[8];
    int t = threadIdx.x;
    float v = 0.0f;
    for (int k = blockIdx.x * 256 + t; k < count; k += gridDim.x * 256) v += from[k];
    v = over_warp(v);
    if (t % 32 == 0) part[t / 32] = v;
    __syncthreads();
    if (t < 32) v = over_warp(t < 8 ? part[t] : 0.0f);
    if (t == 0) atomicAdd(sum, v);
}

// One warp a row, blockDim.y rows a block.
extern "C" __global__ void row_maximum(const float* from, float* most, int rows, int columns)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float v = from[row * columns];
    for (int k = threadIdx.x; k < columns; k += 32) v = fmaxf(v, from[row * columns + k]);
    for (int distance = 16; distance; distance /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, distance));
    if (threadIdx.x == 0) most[row] = v;
}

// One thread a row: neighbouring threads read a whole row apart.
extern "C" __global__ void row_sum_by_thread(const float* from, float* sums, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int k = 0; k < columns; k++) sum += from[row * columns + k];
    sums[row] = sum;
}

extern "C" __global__ void column_sum(const float* from, float* sums, int rows, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    float sum = 0.0f;
    for (int k = 0; k < rows; k++) sum += from[k * columns + column];
    sums[column] = sum;
}

extern "C" __global__ void root_mean_square(const float* from, const float* gain, float* to, int columns)
{
    __shared__ float part[32];
    const float* row = from + blockIdx.x * columns;
    float squares = 0.0f;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) squares += row[k] * row[k];
    squares = over_warp(squares);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = squares;
    __syncthreads();
    float all = 0.0f;
    for (int w = 0; w < blockDim.x / 32; w++) all += part[w];
    float scale = rsqrtf(all / columns + 1e-6f);
    for (int k = threadIdx.x; k < columns; k += blockDim.x) to[blockIdx.x * columns + k] = row[k] * scale * gain[k];
}

// The four largest of a row, one after the other, by one warp; what was taken becomes minus infinity.
extern "C" __global__ void top_four(float* rows, float* largest, int* where, int columns)
{
    float* row = rows + blockIdx.x * columns;
    for (int n = 0; n < 4; n++) {
        float best = -__int_as_float(0x7f800000);
        int at = 0;
        for (int k = threadIdx.x; k < columns; k += 32) {
            if (row[k] > best) best = row[k], at = k;
        }
        for (int distance = 16; distance; distance /= 2) {
            float other = __shfl_xor_sync(0xffffffffu, best, distance);
            int place = __shfl_xor_sync(0xffffffffu, at, distance);
            if (other > best || (other == best && place < at)) best = other, at = place;
        }
        if (threadIdx.x == 0) {
            largest[blockIdx.x * 4 + n] = best;
            where[blockIdx.x * 4 + n] = at;
            row[at] = -__int_as_float(0x7f800000);
        }
        __syncwarp();
    }
}
