import numpy as np


def reference(inputs, attributes):
    tokens = inputs[0]
    table = attributes["table"].reshape(-1, attributes["width"])
    known = (tokens >= 0) & (tokens < len(table))
    return [np.where(known[..., None], table[np.where(known, tokens, 0)], np.float32(0))]
