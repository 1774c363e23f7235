"""graph-rewrite: what NVIDIA's parser, ONNX Runtime and the ONNX checker say of a rewritten model.

Everything is found out in batches, and remembered by content: the same bytes get the same answer.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from grader.exercises.ch01_why_plugins.graph_models import DOMAIN, OPERATOR, Case
from grader.plugin.onnx_model import ModelRefused, Summary, read
from grader.plugin.onnx_parser import Parser
from grader.plugin.onnx_runtime import ModelFailed, Runtime
from grader.verdict import State

TARGET = f"{DOMAIN}::{OPERATOR}"
# Of the largest value: the operators of a right answer may round in another order, those of FP16 after each step.
TOLERANCE, HALF_TOLERANCE = 1e-4, 1e-2
_MOST_KEPT = 4000
_MOST_STOPPED = 2  # models that had to be stopped, until no other of an answer is tried
_NOT_TRIED = f"It was not tried: {_MOST_STOPPED} other models that came of this answer had to be stopped."
_kept: dict[tuple, object] = {}


@dataclass(frozen=True)
class Trial:
    """One rewritten model. Each sentence is "" where there is nothing to say."""

    case: Case
    state: State = State.FAIL  # of ``structure``
    structure: str = ""  # what is wrong with it before it computes anything
    results: str = ""  # what it computes differently
    validity: str = ""  # what the ONNX checker objects to, if it was asked
    beside: bool = False  # whether nodes to be replaced are there still, and others have come or gone


def try_out(cases: list[Case], models: list[bytes]) -> list[Trial]:
    """What came of ``cases``, in order."""
    _tidy_up()
    pairs = list(zip(cases, models, strict=True))
    _parse(model for case, model in pairs if case.parsed)
    originals = [(case.model, feed) for case in cases for feed in case.feeds]
    rewritten = [(model, feed) for case, model in pairs for feed in case.feeds]
    _run([*originals, *rewritten], [model for case, model in pairs if case.checked])
    return [_trial(case, model) for case, model in pairs]


def _trial(case: Case, model: bytes) -> Trial:
    try:
        was, now = read(case.model), read(model)
    except ModelRefused as refusal:
        return Trial(case, State.FAIL, refusal.sentence)
    state, sentence = _parsed(case, model)
    structure = _surroundings(was, now) if state is State.PASS else sentence
    validity = _kept["check", _hash(model)] if case.checked else ""
    state = State.FAIL if state is State.PASS else state
    same = was.operators == now.operators
    if structure and same and _left(now):
        structure = f"All nodes are as they were, and there is no new one. {structure}"
    beside = bool(_left(now)) and not same
    return Trial(case, state, structure or _left(now), _results(case, model), validity, beside)


def _parsed(case: Case, model: bytes) -> tuple[State, str]:
    return _kept["parse", _hash(model)] if case.parsed else (State.PASS, "")


def _left(now: Summary) -> str:
    left = now.operators[TARGET]
    return f"{left} of the model's {OPERATOR} nodes ({DOMAIN}) are still there." if left else ""


def _surroundings(was: Summary, now: Summary) -> str:
    """What happened to inputs, outputs and the nodes that had to stay."""
    for what, before, after in (("inputs", was.inputs, now.inputs), ("outputs", was.outputs, now.outputs)):
        if before != after:
            return f"The model's {what} were {', '.join(before)}; now they are {', '.join(after) or 'none'}."
    gone = was.operators - now.operators
    del gone[TARGET]
    if gone:
        return f"Gone, though it had to stay: {', '.join(f'{n} {name}' for name, n in sorted(gone.items()))}."
    return ""


def _results(case: Case, model: bytes) -> str:
    for feed in case.feeds:
        expected, found = (_kept["run", _hash(m), _hash_of(feed)] for m in (case.model, model))
        if isinstance(expected, ModelFailed):
            raise RuntimeError(f"{case.words}: {expected}")  # the course's own model: a fault of the grader
        if isinstance(found, ModelFailed):
            return found.sentence
        for name, values in expected.items():
            if problem := _difference(name, found.get(name), values, HALF_TOLERANCE if case.half else TOLERANCE):
                return problem
    return ""


def _difference(name: str, found: np.ndarray | None, expected: np.ndarray, tolerance: float) -> str:
    if found is None:
        return f"There is no output {name}."
    if found.dtype != expected.dtype or found.shape != expected.shape:
        was, now = (f"{a.dtype} {a.shape}" for a in (expected, found))
        return f"Output {name} was {was} and is {now}."
    off = np.abs(found.astype(np.float64) - expected)
    allowed = tolerance * max(1.0, float(np.abs(expected).max()))
    if not (off <= allowed).all():  # NaN is no number that is small enough
        at = tuple(int(i) for i in np.unravel_index(np.argmax(np.where(np.isnan(off), np.inf, off)), off.shape))
        return (
            f"In ONNX Runtime, output {name} at {at} was {expected[at]:.6g} and is {found[at]:.6g};"
            f" a difference of {allowed:.2g} is allowed."
        )
    return ""


def _parse(models) -> None:
    """One child parses what NVIDIA's parser has not seen yet."""
    with Parser() as parser:
        stopped = 0
        for model in models:
            key = "parse", _hash(model)
            if key in _kept:
                continue
            if stopped == _MOST_STOPPED:
                _kept[key] = State.TIMEOUT, _NOT_TRIED
                continue
            parsed = parser.parse(model)
            stopped += parsed.state not in (State.PASS, State.FAIL, State.ERROR)
            _kept[key] = parsed.state, parsed.sentence


def _run(jobs, checked) -> None:
    """One child runs what ONNX Runtime and the ONNX checker have not seen yet."""
    with Runtime() as runtime:
        stopped = 0
        for model, feed in jobs:
            key = "run", _hash(model), _hash_of(feed)
            if key in _kept:
                continue
            if stopped == _MOST_STOPPED:
                _kept[key] = ModelFailed(_NOT_TRIED, State.TIMEOUT)
                continue
            _kept[key] = ran = runtime.run(model, feed)
            stopped += isinstance(ran, ModelFailed) and ran.state not in (State.FAIL, State.ERROR)
        for model in checked:
            key = "check", _hash(model)
            if key not in _kept:
                try:
                    _kept[key] = runtime.check(model)
                except ModelFailed as failed:
                    _kept[key] = failed.sentence


def _tidy_up() -> None:
    """Forget what another time may end otherwise; all, where it is too much."""
    for key, value in list(_kept.items()):
        state = value.state if isinstance(value, ModelFailed) else value[0] if key[0] == "parse" else State.PASS
        if len(_kept) > _MOST_KEPT or state not in (State.PASS, State.FAIL):
            del _kept[key]


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _hash_of(feed: dict[str, np.ndarray]) -> str:
    return _hash(b"".join(name.encode() + array.tobytes() for name, array in feed.items()))
