// LeakyReLU in three kernels: behind a bias by itself, and both at once.
//
// y = x >= 0 ? x : slope * x. TensorRT has this layer (IActivationLayer, kLEAKY_RELU; headers of 8.6 and 10.14), so you
// need not write it. The chapter runs these kernels to see what a fusion saves: bytes.

// First pass of two: adds the bias of each channel. x is (channels, size), row by row.
extern "C" __global__ void add_bias(float const* x, float const* bias, float* y, long long size, long long n)
{
    long long const step = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    {
        y[i] = x[i] + bias[i / size];
    }
}

// Second pass of two: the activation alone. It reads what the first pass has just written.
extern "C" __global__ void leaky_relu(float const* x, float* y, float slope, long long n)
{
    long long const step = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    {
        float const value = x[i];
        y[i] = value >= 0.0f ? value : slope * value;
    }
}

// Both at once: the sum stays in a register, so the tensor between the two is never written and never read.
extern "C" __global__ void bias_leaky_relu(
    float const* x, float const* bias, float* y, float slope, long long size, long long n)
{
    long long const step = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    {
        float const value = x[i] + bias[i / size];
        y[i] = value >= 0.0f ? value : slope * value;
    }
}
