def problems(trace):
    """The ids of all that is wrong with a life, in any order; an empty list for a life that is right."""
    found = set()
    objects = {}  # (process, object) -> what is known of it
    kept = []  # the fields of every getFieldsToSerialize so far

    for call in trace:
        method, name = call["method"], (call["process"], call["object"])
        me = objects.get(name)  # None for the creator
        if me and me["ended"]:
            found.add("used-after-end")

        if method == "getFieldsToSerialize":
            kept.append(call["fields"])
        elif method == "createPlugin":
            if call["phase"] == "kRUNTIME" and call["fields"] not in kept:
                found.add("unplanned")
        elif method == "configurePlugin":
            me["configured"] = True
        elif method in ("getNbTactics", "getValidTactics"):
            if not me["configured"]:
                found.add("unconfigured")
        elif method == "setTactic":
            me["tactic"] = True
        elif method == "onShapeChange":
            me["shapes"] = True
        elif method == "enqueue":
            if not me["tactic"]:
                found.add("no-tactic")
            if not me["shapes"]:
                found.add("no-shapes")
            if not me["attached"]:
                found.add("unattached")
        elif method == "~IPluginV3":
            me["ended"] = True

        if method in ("createPlugin", "clone", "attachToContext"):
            new = (call["process"], call["result"])
            if new in objects:
                found.add("shared")
            else:
                objects[new] = {
                    "configured": bool(me and me["configured"]),  # as its original is by now
                    "tactic": bool(me and me["tactic"]),
                    "shapes": False,
                    "attached": False,
                    "ended": False,
                }
            if method == "attachToContext":
                objects[new]["attached"] = True

    if not all(each["ended"] for each in objects.values()):
        found.add("never-ended")
    return sorted(found)
