// Transposes and row reductions whose counters were measured on an NVIDIA H200 (h200_counters.csv).
constexpr int kTile = 32;
constexpr int kRows = 8;

extern "C" __global__ void transpose_naive(const float* input, float* output, int width, int height)
{
    int column = blockIdx.x * kTile + threadIdx.x;
    int row = blockIdx.y * kTile + threadIdx.y;
    for (int k = 0; k < kTile; k += kRows) {
        if (column < width && row + k < height) output[column * height + row + k] = input[(row + k) * width + column];
    }
}

template <int kPitch>
__device__ void transpose(const float* input, float* output, int width, int height)
{
    __shared__ float tile[kTile][kPitch];
    int column = blockIdx.x * kTile + threadIdx.x;
    int row = blockIdx.y * kTile + threadIdx.y;
    for (int k = 0; k < kTile; k += kRows) {
        if (column < width && row + k < height) {
            tile[threadIdx.y + k][threadIdx.x] = input[(row + k) * width + column];
        }
    }
    __syncthreads();
    column = blockIdx.y * kTile + threadIdx.x;
    row = blockIdx.x * kTile + threadIdx.y;
    for (int k = 0; k < kTile; k += kRows) {
        if (column < height && row + k < width) {
            output[(row + k) * height + column] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}

extern "C" __global__ void transpose_shared(const float* input, float* output, int width, int height)
{
    transpose<kTile>(input, output, width, height);
}

extern "C" __global__ void transpose_padded(const float* input, float* output, int width, int height)
{
    transpose<kTile + 1>(input, output, width, height);
}

struct Max {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Plus {
    __device__ float operator()(float a, float b) const { return a + b; }
};

template <class Op>
__device__ float over_warp(float v, Op op)
{
    for (int distance = 16; distance > 0; distance /= 2) v = op(v, __shfl_xor_sync(0xffffffffu, v, distance));
    return v;
}

template <class Op>
__device__ float over_block(float v, float neutral, float* partial, Op op)
{
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    v = over_warp(v, op);
    if (lane == 0) partial[warp] = v;
    __syncthreads();
    v = lane < blockDim.x / 32 ? partial[lane] : neutral;
    v = over_warp(v, op);
    __syncthreads();
    return v;
}

extern "C" __global__ void softmax_rows(const float* __restrict__ input, float* __restrict__ output, int columns)
{
    __shared__ float partial[32];
    const float* from = input + size_t(blockIdx.x) * columns;
    float* to = output + size_t(blockIdx.x) * columns;
    float most = -__int_as_float(0x7f800000);
    for (int k = threadIdx.x; k < columns; k += blockDim.x) most = fmaxf(most, from[k]);
    most = over_block(most, -__int_as_float(0x7f800000), partial, Max());
    float total = 0.0f;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) total += __expf(from[k] - most);
    total = over_block(total, 0.0f, partial, Plus());
    float scale = 1.0f / total;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) to[k] = __expf(from[k] - most) * scale;
}

extern "C" __global__ void layernorm_rows(const float* __restrict__ input, const float* __restrict__ gain,
                                          const float* __restrict__ bias, float* __restrict__ output, int columns,
                                          float epsilon)
{
    __shared__ float partial[32];
    const float* from = input + size_t(blockIdx.x) * columns;
    float* to = output + size_t(blockIdx.x) * columns;
    float total = 0.0f, squares = 0.0f;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) total += from[k];
    float mean = over_block(total, 0.0f, partial, Plus()) / columns;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) {
        float difference = from[k] - mean;
        squares += difference * difference;
    }
    float scale = rsqrtf(over_block(squares, 0.0f, partial, Plus()) / columns + epsilon);
    for (int k = threadIdx.x; k < columns; k += blockDim.x) to[k] = (from[k] - mean) * scale * gain[k] + bias[k];
}
