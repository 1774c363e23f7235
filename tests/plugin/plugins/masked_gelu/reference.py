import math

import numpy as np

erf = np.vectorize(math.erf, otypes=[np.float64])


def reference(inputs, attributes):
    x, mask = inputs[0].astype(np.float64), inputs[1]
    with np.errstate(invalid="ignore", over="ignore"):
        if attributes["approximate"] == "tanh":
            kept = 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
        else:
            kept = 0.5 * x * (1 + erf(x / math.sqrt(2)))
    kept = np.where(np.isneginf(x), 0, kept)
    return [np.where(mask != 0, kept, 0)]
