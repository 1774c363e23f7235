// A voxel scatter adds points to cells without atomics although several points fall into one cell.
// @fault race
// @says atomic
// @buffer grid
// @launch grid=2, block=128
// @in cell = integers(256, 64)
// @in value = integers(256, 50, seed=2)
// @inout grid = zeros(64, i32)
// @expect grid = bincount(cell, weights=value, minlength=64)
extern "C" __global__ void scatter(int const* cell, int const* value, int* grid)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    grid[cell[i]] += value[i]; // <- fault // fix: atomicAdd(&grid[cell[i]], value[i]);
}
