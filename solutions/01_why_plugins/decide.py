def decide(op):
    """The smallest change that helps: one of the six decisions."""

    def version(text):
        return [int(part) for part in text.split(".")]

    target, newest = version(op["target"]), version(op["newest"])
    whole = bool(op["layer"]) and not op["layer_lacks"]  # a layer that does all of it, in some version
    takes = op["parser"] == "takes"

    if whole and takes and version(op["layer_since"]) <= target:
        return "fusion" if op["wish"] == "faster" and op["merges_with"] else "native layer"
    if not takes and op["rewrite"] and (op["extents"] == "fixed" or not op["rewrite_needs_fixed"]):
        return "graph rewrite"
    if takes and op["combination"] and (op["elementwise"] or op["bytes"] <= 2 * op["least_bytes"]):
        return "native combination"
    if whole and version(op["layer_since"]) <= newest:
        return "newer TensorRT"
    return "plugin"
