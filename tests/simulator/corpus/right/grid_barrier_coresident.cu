// A barrier across four resident blocks, used twice, by counting arrivals.
// @launch grid=4, block=64
// @inout x = arange(256, dtype=i32)
// @inout arrived = zeros(1, u32)
// @out z = empty(256, i32)
// @expect z = (arange(256)[::-1] + 1) * 2
__device__ void grid_barrier(unsigned* arrived, unsigned goal)
{
    __syncthreads();
    if (threadIdx.x == 0)
    {
        __threadfence();
        atomicAdd(arrived, 1u);
        while (*(volatile unsigned*)arrived < goal)
        {
        }
        __threadfence();
    }
    __syncthreads();
}
extern "C" __global__ void phases(int* x, unsigned* arrived, int* z)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    x[i] += 1;
    grid_barrier(arrived, gridDim.x);
    int v = x[255 - i];
    grid_barrier(arrived, 2 * gridDim.x);
    z[i] = 2 * v;
    x[i] = v;
}
