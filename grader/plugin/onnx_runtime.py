"""ONNX Runtime on the CPU, and the checker of the ONNX package, in a child process: what a model computes.

>>> from grader.plugin.onnx_runtime import check_model, run_model
>>> run_model(model, {"x": x})         # {"y": array(...)}
>>> check_model(model)                 # "" or what the checker objects to

Models are run as they are written: no optimisation, one thread. The child has limits: a loop without end, or a tensor
of terabytes, ends it and not the notebook.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping

import numpy as np

from grader.plugin.onnx_model import ModelRefused, as_bytes, read
from grader.sandbox import Child, ChildEnded, Limits, plain, python_child
from grader.toolchain import lane
from grader.verdict import State

LIMITS = Limits(wall_seconds=20.0, memory_bytes=2 << 30, file_bytes=1 << 20, reply_bytes=256 << 20)
MODULES = ("onnx", "onnxruntime")
Outputs = dict[str, np.ndarray]


class ModelFailed(Exception):
    """ONNX Runtime gave no outputs; ``sentence`` says why. ``state`` as of ``Parsed``: ``FAIL`` where it refuses the
    model or a node fails."""

    def __init__(self, sentence: str, state: State = State.FAIL):
        super().__init__(sentence)
        self.sentence, self.state = sentence, state


def run_model(model, inputs: Mapping[str, np.ndarray], *, limits: Limits = LIMITS) -> Outputs:
    """The outputs by name. ``ModelFailed`` else. ``model``: bytes, or an ``onnx.ModelProto``."""
    (outputs,) = run_models([(model, inputs)], limits=limits)
    if isinstance(outputs, ModelFailed):
        raise outputs
    return outputs


def run_models(jobs: Iterable[tuple], *, limits: Limits = LIMITS) -> list[Outputs | ModelFailed]:
    """The outputs of each (model, inputs), or why there are none. The libraries are loaded once."""
    with Runtime(limits) as runtime:
        return [runtime.run(as_bytes(model), inputs) for model, inputs in jobs]


def check_model(model, *, limits: Limits = LIMITS) -> str:
    """What the checker of the ONNX package, with shape inference, objects to; "" for a valid model.

    It does not look into operators of other domains. ``ModelFailed`` where it cannot be asked.
    """
    with Runtime(limits) as runtime:
        return runtime.check(as_bytes(model))


def unavailable() -> str:
    """Why ONNX Runtime cannot be used on this machine, in a sentence; "" where it can."""
    if all(importlib.util.find_spec(name) for name in MODULES):
        return ""
    return f"ONNX Runtime is not installed here. {lane.state().sentence}"


class Runtime:
    """One child for many models. It starts with the first, and again after it ended. A context manager."""

    def __init__(self, limits: Limits = LIMITS):
        self._limits, self._child = limits, None

    def __enter__(self) -> Runtime:
        return self

    def __exit__(self, *_) -> None:
        self._close()

    def _close(self) -> None:
        if self._child is not None:
            self._child.close()
        self._child = None

    def run(self, model: bytes, inputs: Mapping[str, np.ndarray]) -> Outputs | ModelFailed:
        """As ``run_model``, but what went wrong is returned."""
        structure, data = plain.encode({name: np.asarray(value) for name, value in inputs.items()})
        try:
            reply, payload = self._ask("run", model, {"inputs": structure}, data)
            if "refused" in reply:
                raise ModelFailed(f"ONNX Runtime does not run the model: {reply['refused']}")
            outputs = plain.decode(reply.get("outputs"), payload)
            if not isinstance(outputs, dict) or not all(isinstance(each, np.ndarray) for each in outputs.values()):
                raise ValueError("no arrays")
            return outputs
        except ModelFailed as failed:
            return failed
        except ValueError as error:
            return ModelFailed(f"What the model computes cannot be taken over: {error}.", State.ERROR)

    def check(self, model: bytes) -> str:
        """As ``check_model``."""
        reply, _ = self._ask("check", model, {}, b"")
        return str(reply.get("refused", ""))

    def _ask(self, action: str, model: bytes, header: dict, data: bytes) -> tuple[dict, bytes]:
        try:
            read(model)
        except ModelRefused as refusal:
            raise ModelFailed(refusal.sentence, State.ERROR) from None
        if absent := unavailable():
            raise ModelFailed(absent, State.UNSUPPORTED_HERE)
        try:
            if self._child is None:
                self._child = Child(python_child("grader.plugin.onnx_runtime_child"), limits=self._limits)
            reply, payload = self._child.call({"action": action, "model": len(model), **header}, model + data)
        except ChildEnded as ended:
            self._close()
            state = State.ERROR if ended.outcome.state is State.PASS else ended.outcome.state
            words = (ended.outcome.message or "ended").rstrip(".")
            raise ModelFailed(f"The process with ONNX Runtime {words}.", state) from None
        if (problem := reply.get("unavailable")) is not None:
            raise ModelFailed(f"ONNX Runtime cannot be loaded here: {problem}", State.UNSUPPORTED_HERE)
        return reply, payload
