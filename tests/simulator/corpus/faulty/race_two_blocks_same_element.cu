// Every block stores its partial sum to the same element of the output instead of adding to it.
// @fault race
// @buffer y
// @launch grid=8, block=64
// @in x = integers(512, 10)
// @inout y = zeros(1, i32)
// @expect y = x.sum()
extern "C" __global__ void total(int const* x, int* y)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    atomicAdd(&s, x[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0)
        y[0] += s; // <- fault // fix: atomicAdd(y, s);
}
