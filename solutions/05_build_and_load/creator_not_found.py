TEXTS = ("name", "version", "namespace")


def cause(evidence):
    """The first link of the chain that breaks, and the key of the evidence that proves it."""
    file = evidence["file"]
    mine = [(how, result) for how, name, result in evidence["steps"] if name == file]
    if not mine or mine[-1][0] == "deregisterLibrary":
        return "not-loaded", "steps"

    # What came with this file is in the registry: then only its triple can be another.
    registered = [row for row in evidence["registry"] if row[3] == file]
    if registered:
        asked = [evidence[part] for part in TEXTS]
        differing = [[p for p, own, want in zip(TEXTS, row, asked) if own != want] for row in registered]
        return "other-triple", min(differing, key=len)[0]

    # A handle and no creator: opened, and nobody registered anything.
    if any(result == "handle" for how, result in mine):
        return "no-registrar", "registry"

    # No handle. The linker comes first, then the entry points, and what is left is the registry's own refusal.
    if evidence["linker"]:
        return "does-not-load", "linker"
    if not {"getCreators", "setLoggerFinder"} <= set(evidence["exports"]):
        return "no-entry-point", "exports"
    return "refused", "registry"
