import numpy as np


def bucket(relative, buckets, max_distance, bidirectional):
    """T5's bucket of one k - q, in whole numbers: a distance n starts log bucket j where (n/e)^L >= (m/e)^j."""
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
    scores, table = (each.astype(np.float64) for each in inputs)
    q, k = scores.shape[2:]
    which = np.array(
        [
            [bucket(j - i, table.shape[0], attributes["max_distance"], attributes["bidirectional"]) for j in range(k)]
            for i in range(q)
        ],
        np.int64,
    ).reshape(q, k)
    return [scores + table[which].transpose(2, 0, 1)]
