"""PReLU in float64: ``[y]`` of ``[x]``. One slope is for all channels."""

import numpy as np


def reference(inputs, attributes):
    x = inputs[0].astype(np.float64)
    slope = np.asarray(attributes["slope"], np.float64).reshape(1, -1, 1, 1)
    with np.errstate(invalid="ignore"):
        return [np.where(x < 0, slope * x, x)]
