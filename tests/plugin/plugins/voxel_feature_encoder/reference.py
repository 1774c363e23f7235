import numpy as np


def reference(inputs, attributes):
    points = inputs[0]
    grid = attributes["grid"].astype(np.int64)
    # In float32, as the contract says: which voxel a point falls into is decided by float32 arithmetic.
    at = np.floor((points[:, :3] - attributes["lower"]) / attributes["voxel_size"]).astype(np.int64)
    inside = ((at >= 0) & (at < grid)).all(axis=1)
    at, kept = at[inside], points[inside].astype(np.float64)
    number = (at[:, 2] * grid[1] + at[:, 1]) * grid[0] + at[:, 0]
    voxels = np.unique(number)
    features = np.array([kept[number == v].mean(axis=0) for v in voxels]).reshape(len(voxels), 4)
    cells = np.array([at[number == v][0] for v in voxels], np.int32).reshape(len(voxels), 3)
    return [features, cells, np.int32(len(voxels))]
