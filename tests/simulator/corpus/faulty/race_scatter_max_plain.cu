// The farthest point of each cell is found by comparing and storing, without atomicMax.
// @fault race
// @buffer farthest
// @launch grid=2, block=64
// @in cell = integers(128, 16)
// @in depth = integers(128, 1000, seed=2)
// @inout farthest = zeros(16, i32)
// @expect farthest = [max([0, *depth[cell == c]]) for c in range(16)]
extern "C" __global__ void scatter_max(int const* cell, int const* depth, int* farthest)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int c = cell[i];
    if (depth[i] > farthest[c]) // <- fault // fix: ;
        farthest[c] = depth[i]; // <- other // fix: atomicMax(&farthest[c], depth[i]);
}
