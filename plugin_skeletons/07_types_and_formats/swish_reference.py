"""Swish in float64: ``[y]`` of ``[x]``."""

import numpy as np


def reference(inputs, attributes):
    x = inputs[0].astype(np.float64)
    return [x / (1 + np.exp(-x))]
