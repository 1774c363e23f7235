"""The child of ``onnx_parser``: ``python -I -m grader.plugin.onnx_parser_child``. It alone loads TensorRT-RTX.

Each model is parsed in a fork of its own, so that no model meets what another left behind, and a fork that ends leaves
its log behind. The library has one thread once it is imported, so it can be forked.
"""

from __future__ import annotations

import json
import os
import signal

from grader.sandbox import channel

MOST_LINES = 4000  # of the log; warnings and errors after them, half as many again
LONGEST_LINE = 4000  # characters
_CHUNK = 1 << 16


def main() -> None:
    wire = channel()
    problem = library = None
    try:
        library = _library()
    except (ImportError, OSError) as error:  # OSError: a shared library that does not load
        problem = f"{type(error).__name__}: {error}"
    while (request := wire.receive()) is not None:
        header, model = request
        wire.send(*(({"unavailable": problem}, b"") if problem else _apart(library, header, model)))


def _library():
    """``tensorrt_rtx`` imports the bindings; the plugin lane has these alone."""
    try:
        import tensorrt_rtx_bindings as library
    except ModuleNotFoundError:
        import tensorrt_rtx as library
    return library


def _apart(library, header: dict, model: bytes) -> tuple[dict, bytes]:
    """What a fork found: lines of JSON on a pipe (the log as it comes, then the result), then the engine."""
    here, there = os.pipe()
    if not (pid := os.fork()):
        try:
            os.close(here)
            with os.fdopen(there, "wb") as pipe:
                try:
                    result, engine = _work(library, header, model, pipe)
                except Exception as error:  # a profile that does not fit, say
                    result, engine = {"failed": f"{type(error).__name__}: {error}"[:LONGEST_LINE]}, b""
                pipe.write(json.dumps(result).encode() + b"\n" + engine)
        finally:
            os._exit(0)
    os.close(there)
    with os.fdopen(here, "rb") as pipe:
        log, result = [], None
        while result is None and (line := pipe.readline()):
            try:
                said = json.loads(line)
            except ValueError:  # it ended in the middle of a line
                break
            if isinstance(said, list):
                log.append(said)
            else:
                result = said
        engine = pipe.read() if result is not None else b""
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if result is None:
        return {"log": log, "ended": signal.Signals(-code).name if code < 0 else f"exit code {code}"}, b""
    return {"log": log, "version": library.__version__, **result}, engine


def _work(library, header: dict, model: bytes, pipe) -> tuple[dict, bytes]:
    """Runs in the fork."""

    class Log(library.ILogger):
        def __init__(self):
            library.ILogger.__init__(self)
            self.lines = 0

        def log(self, severity, text):
            name = severity.name
            self.lines += 1
            if self.lines <= MOST_LINES * (1 if name in ("VERBOSE", "INFO") else 1.5):
                pipe.write(json.dumps([name, text[:LONGEST_LINE]]).encode() + b"\n")
                pipe.flush()

    log = Log()
    builder = library.Builder(log)
    network = builder.create_network(0)
    parser = library.OnnxParser(network, log)
    accepted = parser.parse(model)
    errors = [_error(parser.get_error(i)) for i in range(parser.num_errors)]
    tensors = {
        "inputs": [_tensor(network.get_input(i)) for i in range(network.num_inputs)] if accepted else [],
        "outputs": [_tensor(network.get_output(i)) for i in range(network.num_outputs)] if accepted else [],
    }
    engine = _build(builder, network, header["profile"]) if accepted and header["build"] else b""
    return {"accepted": bool(accepted), "errors": errors, **tensors}, engine


def _build(builder, network, shapes: dict) -> bytes:
    """The engine, ahead of time; empty where the builder gave none, for which the log has the reason."""
    config = builder.create_builder_config()
    if shapes:
        profile = builder.create_optimization_profile()
        for name, (smallest, usual, largest) in shapes.items():
            profile.set_shape(name, smallest, usual, largest)
        config.add_optimization_profile(profile)
    engine = builder.build_serialized_network(network, config)
    return bytes(engine) if engine is not None else b""


def _error(error) -> dict:
    return {
        "code": error.code().name, "text": error.desc(), "node": error.node(), "name": error.node_name(),
        "operator": error.node_operator(), "function": error.func(), "file": error.file(), "line": error.line(),
    }  # fmt: skip


def _tensor(tensor) -> list:
    return [tensor.name, tensor.dtype.name, list(tensor.shape)]


if __name__ == "__main__":
    main()
