"""RelativePositionBias in float64: ``[bias]`` of ``[query, past, table]``; of the first two, only shapes matter."""

import numpy as np


def bucket(relative, buckets, max_distance, bidirectional):
    """T5's bucket of one relative position, in whole numbers: a distance n is in log bucket j where
    (n/e)^steps >= (m/e)^j."""
    first = 0
    if bidirectional:
        buckets //= 2
        first = buckets if relative > 0 else 0
        n = abs(relative)
    else:
        n = max(-relative, 0)
    exact = buckets // 2
    if n < exact:
        return first + n
    steps = buckets - exact
    j = 0
    while j < steps - 1 and n**steps * exact ** (j + 1) >= max_distance ** (j + 1) * exact**steps:
        j += 1
    return first + exact + j


def reference(inputs, attributes):
    query, past, table = inputs
    (q, p), pad = (query.shape[2], past.shape[2]), attributes["pad_to"]
    row = -(-(p + q) // pad) * pad
    bias = np.full((1, table.shape[1], q, row), -np.inf)
    for i in range(q):
        for j in range(p + q):
            which = bucket(j - (p + i), table.shape[0], attributes["max_distance"], attributes["bidirectional"])
            bias[0, :, i, j] = table[which]
    return [bias]
