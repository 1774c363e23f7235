import numpy as np


def problems(plugin):
    """The ids of all that is wrong with a plugin, in any order; an empty list for one that is right."""
    found = set()
    pairs = [(kind, layout) for kind in plugin.TYPES for layout in plugin.FORMATS]

    for x in pairs:
        if len({plugin.supports(0, [x, y]) for y in [*pairs, ("", "")]}) > 1:
            found.add("peeks")
    # As TensorRT asks: position 0, then position 1.
    combinations = [(x, y) for x in pairs if plugin.supports(0, [x, x]) for y in pairs if plugin.supports(1, [x, y])]
    if not combinations:
        found.add("nothing")
    for combination in combinations:  # each was accepted; other questions came in between
        plugin.configure(combination)
        if not plugin.supports(1, combination):
            found.add("changes")
    for x, y in combinations:
        if {"bool", "uint8"} & {*x, *y}:
            found.add("forbidden")
        if x[0] != y[0]:
            found.add("mixed")
        if x[0] == y[0] in ("float32", "float16", "bfloat16") and not is_right(plugin, [x, y]):
            found.add("untrue")
    return sorted(found)


def is_right(plugin, combination):
    """On an input that can tell: two images, 37 channels with slopes of their own, odd extents, both signs."""
    x = np.random.default_rng(7).uniform(-4, 4, (2, 37, 3, 5)).astype(np.float32)
    slope = np.linspace(-2, 3, 37)
    expected = np.where(x < 0, slope[:, None, None] * x, x)
    y = plugin.run(x, slope, combination)
    with np.errstate(invalid="ignore"):
        return np.all(np.abs(y - expected) <= 0.05 + 0.02 * np.abs(expected))
