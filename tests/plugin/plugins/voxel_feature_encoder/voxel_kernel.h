#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

/// A grid of voxels of one size; cell (x, y, z) has the number (z * ny + y) * nx + x.
struct VoxelGrid
{
    float lower[3];
    float size[3];
    int32_t cells[3];

    int64_t count() const noexcept { return int64_t{1} * cells[0] * cells[1] * cells[2]; }
};

/// Bytes of scratch that encodeVoxels needs; they hang on the grid alone.
size_t voxelWorkspace(VoxelGrid const& grid) noexcept;

/// Points are (x, y, z, intensity). Writes mean, cell coordinates and number of the voxels that hold a point, ordered by
/// cell number. features and cells have room for min(points, grid.count()) rows; *count is written for 0 points too.
cudaError_t encodeVoxels(VoxelGrid const& grid, float const* points, int64_t nbPoints, float* features, int32_t* cells,
    int32_t* count, void* workspace, cudaStream_t stream) noexcept;
