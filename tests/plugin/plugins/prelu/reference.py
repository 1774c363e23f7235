import numpy as np


def reference(inputs, attributes):
    x = inputs[0].astype(np.float64)
    slopes = np.asarray(attributes["slopes"], np.float64).reshape(1, -1, 1, 1)
    return [np.where(x < 0, slopes * x, x)]
