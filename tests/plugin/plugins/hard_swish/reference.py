import numpy as np


def reference(inputs, attributes):
    x = inputs[0].astype(np.float64)
    return [x * np.clip(x + 3, 0, 6) / 6]
