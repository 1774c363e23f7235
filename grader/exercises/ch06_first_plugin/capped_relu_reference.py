import numpy as np


def reference(inputs, attributes):
    x, cap = inputs[0], np.float32(attributes["cap"])
    return [np.where(x < 0, np.float32(0), np.where(x > cap, cap, x)).astype(np.float32)]
