"""Answers as ``grader.plugin.engine.child`` would, for ScaleShift (2 x + 0.25). Its first argument says how."""

import json
import os
import signal
import sys
from pathlib import Path

import numpy as np

from grader.sandbox import channel

CALL = {"interface": "IPluginV3OneRuntime", "arguments": {}, "result": 0, "seconds": 1e-6}
FACTS = {"tensorrt": "10.14.1.48", "gpu": "NVIDIA H200", "compute_capability": "9.0", "driver_cuda": "13.0"}


def main(mode: str) -> None:
    wire = channel()
    request, payload = wire.receive()
    if request["do"] == mode.removeprefix("crash-"):
        os.kill(os.getpid(), signal.SIGSEGV)
    if request["do"] == "facts":
        return wire.send(FACTS | ({"tensorrt": "11.4.0.106"} if mode == "eleven" else {}))
    if request["do"] == "build":
        if mode == "no-engine":
            return wire.send(
                {"problem": "TensorRT built no engine with the plugin.", "messages": ["ERROR: no formats"]}
            )
        return wire.send({"seconds": 0.5, "interface": "IPluginV3", "messages": []}, b"a plan")
    write_journal(Path(request["library"]))
    kind = np.float32 if request["outputs"][0]["size"] == 4 else np.float16
    at, runs, found = request["plan"], [], []
    assert payload[:at] == b"a plan"
    for run in request["runs"]:
        (one,) = run["inputs"]
        x = np.frombuffer(payload, kind, one["nbytes"] // kind().itemsize, at).astype(np.float64)
        y = (2 * x + (0.5 if mode == "wrong" and len(runs) == 1 else 0.25)).astype(kind).tobytes()
        runs.append({"shapes": [one["shape"]], "nbytes": [len(y)], "milliseconds": 0.01})
        found.append(y)
        at += one["nbytes"]
    layers = json.dumps({"Layers": ["ScaleShift"]})
    return wire.send({"runs": runs, "layers": layers, "messages": []}, b"".join(found))


def write_journal(library: Path) -> None:
    note = library.with_name(library.name + ".trace")
    if not note.exists():
        return
    calls = [("ScaleShift#1", "attachToContext"), ("ScaleShift#2", "onShapeChange"), ("ScaleShift#2", "enqueue")]
    with open(note.read_text().splitlines()[1], "a") as journal:
        for seq, (name, method) in enumerate(calls):
            result = "ScaleShift#2" if method == "attachToContext" else 0
            journal.write(json.dumps(CALL | {"seq": seq, "object": name, "method": method, "result": result}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
