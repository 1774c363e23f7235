import numpy as np


def reference(inputs, attributes):
    x, (rows, columns) = inputs[0], inputs[1]
    i = np.arange(rows) * x.shape[2] // max(rows, 1)
    j = np.arange(columns) * x.shape[3] // max(columns, 1)
    return [x[:, :, i][:, :, :, j]]
