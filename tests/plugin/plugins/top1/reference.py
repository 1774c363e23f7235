import numpy as np


def reference(inputs, attributes):
    x = inputs[0]
    return [x.max(axis=-1, initial=-np.inf), x.argmax(axis=-1).astype(np.int32)]
