// The input has room for 1024 elements, but only 1000 were ever written; the kernel sums all of them.
// @fault uninitialised_global
// @buffer x
// @launch grid=4, block=256
// @in x = partly(integers(1000, 9), 1024)
// @inout y = zeros(1, i32)
// @scalar n = 1024
// @mended scalar n = 1000
// @expect y = x.sum()
extern "C" __global__ void sum(int const* x, int* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        int v = x[i]; // <- fault
        atomicAdd(y, v);
    }
}
