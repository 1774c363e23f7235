import numpy as np


def reference(inputs, attributes):
    x = inputs[0].astype(np.float64) / attributes["temperature"]
    if x.size == 0:
        return [x]
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return [e / e.sum(axis=-1, keepdims=True)]
