"""The child of ``onnx_runtime``: ``python -I -m grader.plugin.onnx_runtime_child``. It runs or checks models."""

from __future__ import annotations

import re

from grader.sandbox import channel, plain

LONGEST = 1500  # characters of an error
_NOISE = re.compile(r"\x1b\[[0-9;]*m|\[ONNXRuntimeError\] : \d+ : \w+ : ")


def main() -> None:
    wire = channel()
    while (request := wire.receive()) is not None:
        header, payload = request
        model = payload[: header["model"]]
        try:
            if header["action"] == "check":
                wire.send(_check(model))
            else:
                inputs = plain.decode(header["inputs"], payload[header["model"] :])
                wire.send(*_run(model, inputs))
        except (ImportError, OSError) as error:  # OSError: a shared library that does not load
            wire.send({"unavailable": f"{type(error).__name__}: {error}"})


def _check(model: bytes) -> dict:
    import onnx

    try:
        onnx.checker.check_model(onnx.load_from_string(model), full_check=True)
    except Exception as error:  # several kinds, and those of protobuf
        return {"refused": _words(error)}
    return {}


def _run(model: bytes, inputs: dict) -> tuple[dict, bytes]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # what it would print comes as an exception too
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        names = [output.name for output in session.get_outputs()]
        structure, data = plain.encode(dict(zip(names, session.run(names, inputs), strict=True)))
    except Exception as error:  # ONNX Runtime has its own kinds; TypeError: an output that is no array of numbers
        return {"refused": _words(error)}, b""
    return {"outputs": structure}, data


def _words(error: Exception) -> str:
    return " ".join(_NOISE.sub("", str(error) or type(error).__name__).split())[:LONGEST]


if __name__ == "__main__":
    main()
