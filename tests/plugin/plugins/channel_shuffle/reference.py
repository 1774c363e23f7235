def reference(inputs, attributes):
    x, groups = inputs[0], attributes["groups"]
    n, c, h, w = x.shape
    return [x.reshape(n, groups, c // groups, h, w).swapaxes(1, 2).reshape(n, c, h, w)]
