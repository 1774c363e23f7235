#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

/// A grid of voxels of one size. Cell (x, y, z) has the number (z * ny + y) * nx + x.
struct VoxelGrid
{
    float lower[3];   // where it begins
    float size[3];    // of a voxel
    int32_t cells[3]; // nx, ny, nz

    int64_t count() const noexcept { return int64_t{1} * cells[0] * cells[1] * cells[2]; }
};

/// Bytes of scratch memory that the two launches share. They hang on the grid alone.
size_t voxelWorkspace(VoxelGrid const& grid) noexcept;

/// Adds each point (x, y, z, intensity) that lies in the grid to the sums of its cell, in the workspace, and 1 to *count
/// for each cell that gets its first point. So workspace and *count must hold 0 before. `half`: points are FP16.
/// Launches one thread for each point, and like any launch it fails where that is none.
cudaError_t sumPoints(VoxelGrid const& grid, void const* points, bool half, int64_t nbPoints, void* workspace,
    int32_t* count, cudaStream_t stream) noexcept;

/// Writes a row for each cell that holds a point, ordered by cell number: the mean of its points to features (FP16 where
/// `half`), its x, y, z to cells. It writes as many rows as sumPoints() counted, wherever they lead.
cudaError_t writeVoxels(VoxelGrid const& grid, void const* workspace, bool half, void* features, int32_t* cells,
    cudaStream_t stream) noexcept;
