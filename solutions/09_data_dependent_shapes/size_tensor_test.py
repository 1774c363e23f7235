WAITS = ("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize")


def problems(record):
    """The ids of all that is wrong with a plugin, in any order; an empty list for a right one."""
    found = set()
    count = record["outputs"][record["count"]]
    if count["type"] != "int32":
        found.add("type")
    if count["rank"] != 0:
        found.add("not-scalar")

    upper = {}
    for each in record["declared"]:
        upper[each["points"]] = each["upper"]
        if not 0 <= each["opt"] <= each["upper"]:
            found.add("opt-outside")

    before = {}  # context -> the count of its last run
    for run in record["runs"]:
        if run["rows"] > upper[run["points"]]:
            found.add("bound-small")
        held = before.get(run["context"])
        if held and run["rows"] > 0 and run["count"] == held + run["rows"]:
            found.add("not-reset")
        if held is not None and run["count"] == held != run["rows"]:
            found.add("not-written")
        before[run["context"]] = run["count"]
        if any(each["call"] in WAITS or each.get("to") == "host" for each in run["cuda"]):
            found.add("read-on-host")
    return sorted(found)
