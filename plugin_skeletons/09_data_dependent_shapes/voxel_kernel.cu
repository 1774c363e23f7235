#include "voxel_kernel.h"

#include <cuda_fp16.h>

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
    auto* const base = static_cast<unsigned char*>(workspace);
    size_t const sums = align256(static_cast<size_t>(cells) * kFEATURES * sizeof(float));
    return {reinterpret_cast<float*>(base), reinterpret_cast<int32_t*>(base + sums)};
}

unsigned blocksFor(int64_t n)
{
    int64_t const blocks = (n + kTHREADS - 1) / kTHREADS;
    return static_cast<unsigned>(blocks < 4096 ? blocks : 4096);
}

// Memory holds T, arithmetic is in float.
__device__ float load(float const* p)
{
    return *p;
}

__device__ float load(__half const* p)
{
    return __half2float(*p);
}

__device__ void store(float* p, float value)
{
    *p = value;
}

__device__ void store(__half* p, float value)
{
    *p = __float2half(value);
}

template <typename T>
__global__ void sum(VoxelGrid const grid, T const* points, int64_t nbPoints, Scratch const scratch, int32_t* count)
{
    int64_t const step = int64_t{gridDim.x} * blockDim.x;
    for (int64_t p = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; p < nbPoints; p += step)
    {
        int64_t cell = 0;
        bool inside = true;
        for (int32_t axis = 2; axis >= 0; --axis)
        {
            float const at = floorf((load(points + p * kFEATURES + axis) - grid.lower[axis]) / grid.size[axis]);
            inside = inside && at >= 0.0F && at < static_cast<float>(grid.cells[axis]); // false for a NaN
            cell = cell * grid.cells[axis] + (inside ? static_cast<int64_t>(at) : 0);
        }
        if (inside)
        {
            for (int32_t i = 0; i < kFEATURES; ++i)
            {
                atomicAdd(scratch.sums + cell * kFEATURES + i, load(points + p * kFEATURES + i));
            }
            if (atomicAdd(scratch.points + cell, 1) == 0) // the first one of its cell
            {
                atomicAdd(count, 1);
            }
        }
    }
}

// One block: a prefix sum over the cells that hold a point gives each one its row, in order.
template <typename T>
__global__ void write(VoxelGrid const grid, int64_t nbCells, Scratch const scratch, T* features, int32_t* cells)
{
    __shared__ int32_t sums[kTHREADS];
    int64_t before = 0;
    for (int64_t start = 0; start < nbCells; start += kTHREADS)
    {
        int64_t const cell = start + threadIdx.x;
        int32_t const held = cell < nbCells ? scratch.points[cell] : 0;
        sums[threadIdx.x] = held > 0 ? 1 : 0;
        __syncthreads();
        for (int32_t step = 1; step < kTHREADS; step *= 2)
        {
            int32_t const left = static_cast<int32_t>(threadIdx.x) >= step ? sums[threadIdx.x - step] : 0;
            __syncthreads();
            sums[threadIdx.x] += left;
            __syncthreads();
        }
        if (held > 0)
        {
            int64_t const row = before + sums[threadIdx.x] - 1;
            for (int32_t i = 0; i < kFEATURES; ++i)
            {
                store(features + row * kFEATURES + i,
                    scratch.sums[cell * kFEATURES + i] / static_cast<float>(held));
            }
            cells[row * 3 + 0] = static_cast<int32_t>(cell % grid.cells[0]);
            cells[row * 3 + 1] = static_cast<int32_t>(cell / grid.cells[0] % grid.cells[1]);
            cells[row * 3 + 2] = static_cast<int32_t>(cell / grid.cells[0] / grid.cells[1]);
        }
        before += sums[kTHREADS - 1];
        __syncthreads();
    }
}
} // namespace

size_t voxelWorkspace(VoxelGrid const& grid) noexcept
{
    auto const cells = static_cast<size_t>(grid.count());
    return align256(cells * kFEATURES * sizeof(float)) + align256(cells * sizeof(int32_t));
}

cudaError_t sumPoints(VoxelGrid const& grid, void const* points, bool half, int64_t nbPoints, void* workspace,
    int32_t* count, cudaStream_t stream) noexcept
{
    Scratch const scratch = scratchIn(workspace, grid.count());
    unsigned const blocks = blocksFor(nbPoints);
    if (half)
    {
        sum<<<blocks, kTHREADS, 0, stream>>>(grid, static_cast<__half const*>(points), nbPoints, scratch, count);
    }
    else
    {
        sum<<<blocks, kTHREADS, 0, stream>>>(grid, static_cast<float const*>(points), nbPoints, scratch, count);
    }
    return cudaGetLastError();
}

cudaError_t writeVoxels(VoxelGrid const& grid, void const* workspace, bool half, void* features, int32_t* cells,
    cudaStream_t stream) noexcept
{
    Scratch const scratch = scratchIn(const_cast<void*>(workspace), grid.count());
    if (half)
    {
        write<<<1, kTHREADS, 0, stream>>>(grid, grid.count(), scratch, static_cast<__half*>(features), cells);
    }
    else
    {
        write<<<1, kTHREADS, 0, stream>>>(grid, grid.count(), scratch, static_cast<float*>(features), cells);
    }
    return cudaGetLastError();
}
