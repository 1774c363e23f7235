import numpy as np


def reference(inputs, attributes):
    [x] = inputs
    return [np.pad(x, ((0, 0), (0, -x.shape[1] % 4)))]
