import numpy as np


def gather(data, indices):
    depth = indices.shape[-1]
    flat = indices.reshape(-1, depth)
    rows = [data[tuple(index)] for index in flat]
    return np.array(rows, data.dtype).reshape(indices.shape[:-1] + data.shape[depth:])


def reference(inputs, attributes):
    data, indices = inputs
    if attributes["batch_dims"] == 0:
        return [gather(data, indices)]
    pairs = [gather(d, i) for d, i in zip(data, indices, strict=True)]
    return [np.array(pairs, data.dtype).reshape((len(pairs),) + indices.shape[1:-1] + data.shape[3:])]
