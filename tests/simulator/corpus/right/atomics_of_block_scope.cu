// Atomics of block scope on a slot of global memory that only one block uses.
// @launch grid=3, block=64
// @in x = integers(192, 100)
// @inout y = zeros(3, i32)
// @expect y = x.reshape(3, 64).sum(1)
extern "C" __global__ void sums(int const* x, int* y)
{
    atomicAdd_block(&y[blockIdx.x], x[blockIdx.x * 64 + threadIdx.x]);
}
