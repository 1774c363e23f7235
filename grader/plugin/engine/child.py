"""The process that uses full TensorRT: ``python -I -m grader.plugin.engine.child --channel=N``; it answers one request.

Requests: ``facts`` (which TensorRT, which GPU), ``build`` (a plan, as the payload of the answer), ``run`` (a plan and
inputs in the payload). An answer with "missing" says what is not here, one with "problem" what went wrong.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grader.sandbox import channel

NO_TENSORRT = "TensorRT's Python package is not installed: pip install tensorrt (10.x or 11.x)."
NO_BUILDER = "The package tensorrt that is installed has no builder: the full TensorRT is needed, not the lean one."


def main() -> None:
    wire = channel()
    received = wire.receive()
    if received is None:
        return
    request, payload = received
    try:
        answer, data = _answer(request, payload)
    except BaseException as error:  # whatever a plugin or TensorRT raises is the answer
        answer, data = {"problem": _words(error, request)}, b""
    wire.send(answer, data)
    sys.stdout.flush()


def _answer(request: dict[str, Any], payload: bytes) -> tuple[dict[str, Any], bytes]:
    try:
        import tensorrt as trt
    except ImportError:
        return {"missing": NO_TENSORRT}, b""
    if not hasattr(trt, "Builder"):
        return {"missing": NO_BUILDER}, b""
    from grader.plugin.engine.driver import Driver, NoGpu

    try:
        driver = Driver()
    except NoGpu as none:
        return {"missing": str(none)}, b""
    facts = {"tensorrt": trt.__version__, **driver.facts()}
    if request["do"] == "facts":
        return facts, b""
    from grader.plugin.engine import network

    log = network.Log()
    try:
        kept = network.load(request["library"])
        if request["do"] == "build":
            plan, made = network.build(request, log)
            return {**made, "messages": log.messages}, plan
        answer, data = _run(request, payload, driver, log)
        del kept
        return {**answer, "messages": log.messages}, data
    except Exception as error:
        return {"problem": _words(error, request), "messages": log.messages}, b""


def _run(request: dict[str, Any], payload: bytes, driver: Any, log: Any) -> tuple[dict[str, Any], bytes]:
    from grader.plugin.engine.execution import Execution, median

    plan, at = payload[: request["plan"]], request["plan"]
    execution = Execution(plan, driver, log, request["aliases"])
    told: list[dict[str, Any]] = []
    found: list[bytes] = []
    for run in request["runs"]:
        inputs = []
        for one in run["inputs"]:
            inputs.append((one, payload[at : at + one["nbytes"]]))
            at += one["nbytes"]
        results, times = execution.run(inputs, request["outputs"], request["repeats"])
        told.append({"shapes": [list(shape) for shape, _ in results], "nbytes": [len(data) for _, data in results],
                     "milliseconds": median(times)})  # fmt: skip
        found += [data for _, data in results]
    return {"runs": told, "layers": execution.layers()}, b"".join(found)


def _words(error: BaseException, request: dict[str, Any]) -> str:
    """The exception, and the line of a Python plugin's file where it has one. No folder of this machine."""
    library = Path(str(request.get("library", "")))
    if library.suffix == ".py":
        from grader.plugin.python_file import told

        return told(error, library)
    frames: Sequence[traceback.FrameSummary] = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    plain = type(error).__name__ in ("CannotBuild", "RuntimeError", "DriverError")
    return f"{error}" if plain else f"{type(error).__name__}: {error}{where}"


if __name__ == "__main__":
    main()
