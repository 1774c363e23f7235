#include "voxel_kernel.h"

namespace
{
constexpr int32_t kTHREADS = 256;
constexpr int32_t kFEATURES = 4;

struct Scratch
{
    float* sums;     // (cells, 4)
    int32_t* points; // (cells)
};

constexpr size_t align256(size_t n)
{
    return (n + 255) / 256 * 256;
}

Scratch scratchIn(void* workspace, int64_t cells) noexcept
{
    auto* base = static_cast<unsigned char*>(workspace);
    size_t const sums = align256(static_cast<size_t>(cells) * kFEATURES * sizeof(float));
    return {reinterpret_cast<float*>(base), reinterpret_cast<int32_t*>(base + sums)};
}

unsigned blocksFor(int64_t n)
{
    int64_t const blocks = (n + kTHREADS - 1) / kTHREADS;
    return static_cast<unsigned>(blocks < 4096 ? blocks : 4096);
}

__global__ void accumulate(VoxelGrid const grid, float const* points, int64_t nbPoints, Scratch const scratch)
{
    int64_t const step = int64_t{gridDim.x} * blockDim.x;
    for (int64_t p = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; p < nbPoints; p += step)
    {
        int64_t cell = 0;
        bool inside = true;
        for (int32_t axis = 2; axis >= 0; --axis)
        {
            float const at = floorf((points[p * kFEATURES + axis] - grid.lower[axis]) / grid.size[axis]);
            inside = inside && at >= 0.0F && at < static_cast<float>(grid.cells[axis]); // false for a NaN
            cell = cell * grid.cells[axis] + (inside ? static_cast<int64_t>(at) : 0);
        }
        if (inside)
        {
            for (int32_t i = 0; i < kFEATURES; ++i)
            {
                atomicAdd(scratch.sums + cell * kFEATURES + i, points[p * kFEATURES + i]);
            }
            atomicAdd(scratch.points + cell, 1);
        }
    }
}

// One block: an exclusive prefix sum over the occupied cells gives every one its row, in order.
__global__ void compact(VoxelGrid const grid, int64_t nbCells, Scratch const scratch, float* features, int32_t* cells,
    int32_t* count)
{
    __shared__ int32_t sums[kTHREADS];
    int32_t before = 0;
    for (int64_t start = 0; start < nbCells; start += kTHREADS)
    {
        int64_t const cell = start + threadIdx.x;
        int32_t const held = cell < nbCells ? scratch.points[cell] : 0;
        int32_t const mine = held > 0 ? 1 : 0;
        sums[threadIdx.x] = mine;
        __syncthreads();
        for (int32_t step = 1; step < kTHREADS; step *= 2)
        {
            int32_t const left = static_cast<int32_t>(threadIdx.x) >= step ? sums[threadIdx.x - step] : 0;
            __syncthreads();
            sums[threadIdx.x] += left;
            __syncthreads();
        }
        if (mine != 0)
        {
            int64_t const row = before + sums[threadIdx.x] - 1;
            for (int32_t i = 0; i < kFEATURES; ++i)
            {
                features[row * kFEATURES + i] = scratch.sums[cell * kFEATURES + i] / static_cast<float>(held);
            }
            cells[row * 3 + 0] = static_cast<int32_t>(cell % grid.cells[0]);
            cells[row * 3 + 1] = static_cast<int32_t>(cell / grid.cells[0] % grid.cells[1]);
            cells[row * 3 + 2] = static_cast<int32_t>(cell / grid.cells[0] / grid.cells[1]);
        }
        before += sums[kTHREADS - 1];
        __syncthreads();
    }
    if (threadIdx.x == 0)
    {
        *count = before;
    }
}
} // namespace

size_t voxelWorkspace(VoxelGrid const& grid) noexcept
{
    auto const cells = static_cast<size_t>(grid.count());
    return align256(cells * kFEATURES * sizeof(float)) + align256(cells * sizeof(int32_t));
}

cudaError_t encodeVoxels(VoxelGrid const& grid, float const* points, int64_t nbPoints, float* features, int32_t* cells,
    int32_t* count, void* workspace, cudaStream_t stream) noexcept
{
    if (nbPoints == 0)
    {
        return cudaMemsetAsync(count, 0, sizeof(int32_t), stream);
    }
    Scratch const scratch = scratchIn(workspace, grid.count());
    cudaError_t status = cudaMemsetAsync(workspace, 0, voxelWorkspace(grid), stream);
    if (status != cudaSuccess)
    {
        return status;
    }
    accumulate<<<blocksFor(nbPoints), kTHREADS, 0, stream>>>(grid, points, nbPoints, scratch);
    status = cudaGetLastError();
    if (status != cudaSuccess)
    {
        return status;
    }
    compact<<<1, kTHREADS, 0, stream>>>(grid, grid.count(), scratch, features, cells, count);
    return cudaGetLastError();
}
