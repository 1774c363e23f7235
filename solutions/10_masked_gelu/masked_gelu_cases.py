import numpy as np


def cases(seed):
    """A list of (x, mask): x float32, mask uint8, one-dimensional, equally long."""
    rng = np.random.default_rng(seed)
    found = []

    # Sizes: a lone element, an odd size past one block, and more elements than 8 blocks have threads.
    for n in (1, 259, 3001):
        x = rng.uniform(-4, 4, n).astype(np.float32)
        found.append((x, np.ones(n, np.uint8)))

    # Every byte that a mask can hold, and no two blocks alike.
    x = rng.uniform(0.5, 4, 1024).astype(np.float32)
    mask = np.concatenate([np.roll(np.arange(256), 7 * block) for block in range(4)]).astype(np.uint8)
    found.append((x, mask))

    # Wild numbers, hidden and kept.
    wild = np.array([np.nan, np.inf, -np.inf, -1.0, 0.0], np.float32)
    found.append((wild, np.zeros(wild.size, np.uint8)))
    found.append((wild, np.ones(wild.size, np.uint8)))
    return found
