// y[i] = 2 * x[i] + 1, one thread for each element.
//
// The launch has exactly as many threads as there are elements: gridDim.x blocks of blockDim.x threads each.

extern "C" __global__ void thread_index(float const* x, float* y)
{
    int const i = blockIdx.x * blockDim.x + threadIdx.x;

    y[i] = 2.0f * x[i] + 1.0f;
}
