"""``grader plugin engine``, the parent's side. It never imports TensorRT: a process of its own does, for each step."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from grader.gpu.cuda_device import driver_files
from grader.plugin.build import HostUnavailable
from grader.plugin.engine import report as reports
from grader.plugin.engine.compare import compare
from grader.plugin.engine.order import outline, rules
from grader.plugin.fields import field_bytes
from grader.plugin.inputs import Tensor, extents_at, inputs_for
from grader.plugin.reference import ReferenceFailed, ReferenceRunner
from grader.plugin.spec_records import Combination, Spec
from grader.plugin.tracing import read_journal, stand_for
from grader.plugin.types import TYPES
from grader.sandbox import Limits, python_child, run
from grader.toolchain.tensorrt import headers_of
from grader.verdict import State

POINTS = ("min", "opt", "max")
REPEATS = 20
SEED = 20
LIMITS = Limits(wall_seconds=600, memory_bytes=None, processes=None, file_bytes=None)
NO_TRACE = "no call trace: "


class Ended(Exception):
    """A step had no result; ``state`` and ``sentence`` say why."""

    def __init__(self, state: State, sentence: str, messages: list[str] | None = None):
        super().__init__(sentence)
        self.state, self.sentence, self.messages = state, sentence, messages or []


def run_engine(library: Path, spec: Spec, *, limits: Limits = LIMITS) -> dict[str, Any]:
    """The report (``docs/engine_report.md``). Never raises for what the plugin, TensorRT or the machine does."""
    report = reports.empty(library)
    report["plugin"] = {"name": spec.name, "version": spec.version, "namespace": spec.namespace}
    try:
        report["machine"] |= _ask({"do": "facts"}, limits=limits)[0]
        with tempfile.TemporaryDirectory(prefix="grader-engine-") as scratch:
            folder = Path(scratch)
            loaded, report["trace"] = _stand(library, report["machine"]["tensorrt"], folder)
            for combination in _linear(spec):
                report["combinations"].append(_one(spec, combination, loaded, folder, limits))
    except Ended as ended:
        return report | {"state": ended.state.value, "sentence": ended.sentence}
    return report | _whole(report["combinations"])


def _linear(spec: Spec) -> list[Combination]:
    """The combinations of linear tensors: those of a network's inputs and outputs."""
    if spec.name is None:
        raise Ended(State.ERROR, "The spec must name the plugin, [plugin] name: a network asks for it by that name.")
    found = [each for each in spec.combinations() if set(each.formats) <= {"linear"}]
    if not found or any(each.shape is None for each in spec.tensors):
        raise Ended(State.ERROR, "The spec must say inputs with shapes: without them there is no network to build.")
    return found


def _stand(library: Path, version: str, folder: Path) -> tuple[Path, str]:
    """What to load in place of the library, and "" or why there will be no trace.

    The tracing library is compiled here, against headers of the same major version as the TensorRT that loads it.
    """
    if library.suffix == ".py":
        return library, f"{NO_TRACE}a Python plugin is no library."
    major = version.split(".")[0]
    headers = headers_of(int(major)) if major.isdecimal() else None
    if headers is None:
        return library, f"{NO_TRACE}the headers of TensorRT {major} are not here; TENSORRT_ROOT says where they are."
    try:
        return stand_for(library, folder / "journal", folder, headers=headers), ""
    except HostUnavailable as error:
        return library, NO_TRACE + error.sentence


def _one(spec: Spec, combination: Combination, loaded: Path, folder: Path, limits: Limits) -> dict[str, Any]:
    """A plan and its runs with one choice of types."""
    told: dict[str, Any] = {"types": list(combination.types), "state": State.PASS.value, "sentence": "", "build": None}
    told |= {key: [] for key in ("runs", "calls", "order", "outline", "messages", "layers")}
    journal = folder / "journal"
    journal.unlink(missing_ok=True)
    try:
        made, plan = _ask(build_request(spec, combination, loaded), limits=limits)
        told["build"] = {"seconds": made["seconds"], "plan_bytes": len(plan), "interface": made["interface"]}
        told["messages"] += made["messages"]
        cases = [(at, extents_at(spec, at)) for at in POINTS]
        drawn = [_draw(spec, combination, extents) for _, extents in cases]
        expected = _expected(spec, drawn)
        answer, data = _ask(*run_request(spec, combination, loaded, plan, drawn), limits=limits)
        told["messages"] += answer["messages"]
        told["layers"] = _layers(answer["layers"])
        at = 0
        for (name, extents), ran, right in zip(cases, answer["runs"], expected, strict=True):
            outputs = []
            for index, nbytes in enumerate(ran["nbytes"]):
                outputs.append(compare(spec, combination, index, ran["shapes"][index], data[at : at + nbytes], right))
                at += nbytes
            told["runs"].append(
                {"at": name, "extents": extents, "milliseconds": ran["milliseconds"], "outputs": outputs}
            )
        wrong = [f"{one['name']} at {r['at']}" for r in told["runs"] for one in r["outputs"] if one["state"] == "fail"]
        if wrong:
            told |= {"state": State.FAIL.value, "sentence": f"Wrong values: {', '.join(wrong)}."}
    except (Ended, ReferenceFailed) as ended:
        told |= {"state": ended.state.value, "sentence": ended.sentence}
        told["messages"] += getattr(ended, "messages", [])
    calls = read_journal(journal)
    return told | {"calls": calls, "order": rules(calls), "outline": outline(calls)}


def build_request(spec: Spec, combination: Combination, library: Path) -> dict[str, Any]:
    """What ``network.build`` needs, as plain data."""
    types = spec.input_types(combination)
    ranges = [extents_at(spec, at) for at in POINTS]
    shapes = [spec.shapes(extents) for extents in ranges]
    inputs = []
    for each in spec.inputs:
        values = None
        if each.shape_input:
            drawn = [_draw(spec, combination, extents) for extents in ranges]
            tensors = [next(one for one in row if one.name == each.name) for row in drawn]
            values = [np.atleast_1d(one.values).tolist() for one in tensors]
            profile = [list(one.values.shape) for one in tensors]
        else:
            profile = [list(one[each.name] or ()) for one in shapes]
        fixed = [low if low == high else -1 for low, high in zip(profile[0], profile[2], strict=True)]
        inputs.append(
            {"name": each.name, "type": types[each.name], "shape": fixed, "profile": profile, "values": values}
        )
    fields = [{"name": each.name, "type": each.type, "data": field_bytes(each.type, each.value)[0].hex()}
              for each in spec.attributes]  # fmt: skip
    return {
        "do": "build",
        "library": str(library.absolute()),
        "plugin": [spec.name, spec.version, spec.namespace],
        "fields": fields,
        "inputs": inputs,
        "outputs": [each.name for each in spec.outputs],
        "aliasing": bool(spec.aliased),
    }


def run_request(
    spec: Spec, combination: Combination, library: Path, plan: bytes, drawn: list[list[Tensor]]
) -> tuple[dict[str, Any], bytes]:
    """What ``child._run`` needs, and the payload: the plan, then each run's inputs."""
    types = combination.types[len(spec.tensors) :]
    request = {
        "do": "run",
        "library": str(library.absolute()),
        "plan": len(plan),
        "aliases": {each.name: each.aliases for each in spec.outputs if each.aliases},
        "outputs": [{"name": each.name, "size": TYPES[kind].size}
                    for each, kind in zip(spec.outputs, types, strict=True)],
        "runs": [{"inputs": [{"name": one.name, "shape": list(one.shape), "host": one.shape_input,
                              "nbytes": len(one.data)} for one in row]} for row in drawn],
        "repeats": REPEATS,
    }  # fmt: skip
    return request, plan + b"".join(one.data for row in drawn for one in row)


def _draw(spec: Spec, combination: Combination, extents: Mapping[str, int]) -> list[Tensor]:
    try:
        return inputs_for(spec, extents, spec.input_types(combination), np.random.default_rng(SEED))
    except ValueError as error:
        raise Ended(State.ERROR, f"The spec cannot be followed: {error}.") from None


def _expected(spec: Spec, drawn: list[list[Tensor]]) -> list[list[np.ndarray] | None]:
    if spec.reference is None:
        return [None] * len(drawn)
    with ReferenceRunner(spec) as reference:
        return [reference(row) for row in drawn]


def _ask(request: dict[str, Any], payload: bytes = b"", *, limits: Limits) -> tuple[dict[str, Any], bytes]:
    reads = [*driver_files(), *([request["library"]] if "library" in request else [])]
    outcome = run(
        python_child("grader.plugin.engine.child"), header=request, payload=payload, limits=limits, reads=reads
    )
    answer = outcome.header
    if answer is None:
        state = State.ERROR if outcome.state is State.PASS else outcome.state
        raise Ended(state, f"The process with TensorRT {outcome.message or 'ended without an answer'}.")
    if missing := answer.get("missing"):
        raise Ended(State.UNSUPPORTED_HERE, f"The real engine cannot run here. {missing}")
    if problem := answer.get("problem"):
        messages = answer.get("messages", [])
        said = f" TensorRT said: {messages[-1]}" if messages else ""
        raise Ended(State.FAIL, f"{problem}{said}", messages)
    return answer, outcome.payload


def _layers(text: str) -> list[str]:
    """The names of the engine's layers: beside the plugin there may be reformats."""
    try:
        layers = json.loads(text).get("Layers", [])
    except (ValueError, AttributeError):
        return []
    return [one if isinstance(one, str) else str(one.get("Name", "")) for one in layers]


def _whole(combinations: list[dict[str, Any]]) -> dict[str, str]:
    """State and sentence of the report: those of the first combination that did not pass."""
    bad = next((one for one in combinations if one["state"] != State.PASS.value), None)
    if bad is None:
        return {"state": State.PASS.value, "sentence": ""}
    return {"state": bad["state"], "sentence": f"With {', '.join(bad['types'])}: {bad['sentence']}"}
