import numpy as np


def reference(inputs, attributes):
    points = inputs[0].astype(np.float32)
    lower, size = attributes["lower"].astype(np.float32), attributes["voxel_size"].astype(np.float32)
    grid = attributes["grid"].astype(np.int64)
    # In float32, as in the kernel: which voxel a point falls into is decided by float32 arithmetic.
    at = np.floor((points[:, :3] - lower) / size).astype(np.int64)
    inside = ((at >= 0) & (at < grid)).all(axis=1)
    at, kept = at[inside], points[inside].astype(np.float64)
    number = (at[:, 2] * grid[1] + at[:, 1]) * grid[0] + at[:, 0]
    voxels, where, many = np.unique(number, return_inverse=True, return_counts=True)
    sums = np.zeros((len(voxels), 4))
    np.add.at(sums, where.reshape(-1), kept)
    cells = np.stack([voxels % grid[0], voxels // grid[0] % grid[1], voxels // grid[0] // grid[1]], axis=1)
    return [sums / many[:, None], cells.astype(np.int32), np.int32(len(voxels))]
