def runs(code, gpu):
    """Whether device code, named as nvcc names it, runs on a GPU of this compute capability."""
    kind, made = code.split("_")
    if gpu == "simulated":  # PTX for 8.0 or earlier
        return kind == "compute" and made.isdigit() and int(made) <= 80
    has = gpu.replace(".", "")
    if made.endswith("a"):  # for exactly this one
        return made[:-1] == has
    if kind == "compute":  # compiled when it is loaded, for any newer GPU
        return int(made) <= int(has)
    return made[:-1] == has[:-1] and made <= has  # machine code: the same generation


def problems(facts, target):
    """What will keep this library from working there, told from its file."""
    found = []
    if target["opens"] == "loadLibrary":
        if not {"getCreators", "setLoggerFinder"} <= set(facts["exports"]):
            found.append("no-entry-point")
    elif "getPluginRegistry" not in facts["undefined"]:
        found.append("no-registrar")
    if set(facts["undefined"]) - {"getPluginRegistry", "getLogger"}:
        found.append("undefined-symbol")
    if set(facts["needed"]) - set(target["libraries"]):
        found.append("missing-library")
    for gpu in target["gpus"]:
        if not all(any(runs(code, gpu) for code in codes) for codes in facts["device_code"]):
            found.append("no-code-for-gpu")
            break
    if facts["cuda_runtime"] == "static" and "simulated" in target["gpus"]:
        found.append("runtime-inside")
    return found
