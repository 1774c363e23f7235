def reference(inputs, attributes):
    return [inputs[0] * inputs[0]]
