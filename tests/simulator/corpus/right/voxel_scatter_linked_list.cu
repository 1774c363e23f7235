// Points are pushed onto a list per voxel by atomicExch; each list is then walked by its own thread in the last block.
// @launch grid=3, block=32
// @in cell = integers(96, 10)
// @inout head = full(10, -1, i32)
// @out next = empty(96, i32)
// @inout done = zeros(1, u32)
// @out count = empty(10, i32)
// @expect count = bincount(cell, minlength=10)
extern "C" __global__ void voxels(int const* cell, int* head, int* next, unsigned* done, int* count)
{
    __shared__ bool last;
    int i = blockIdx.x * 32 + threadIdx.x;
    next[i] = atomicExch(&head[cell[i]], i);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(done, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x < 10)
    {
        __threadfence();
        int n = 0;
        for (int at = head[threadIdx.x]; at >= 0; at = next[at])
            ++n;
        count[threadIdx.x] = n;
    }
}
