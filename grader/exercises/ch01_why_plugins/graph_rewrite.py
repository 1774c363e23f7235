"""graph-rewrite: edit a graph until NVIDIA's parser accepts it, and ONNX Runtime computes what it computed."""

from __future__ import annotations

import dataclasses
import functools
import weakref
import zlib

import numpy as np

from grader.checks import Check, Finding, failed, passed
from grader.exercises.ch01_why_plugins.graph_models import CASES, OPERATOR, Case
from grader.exercises.ch01_why_plugins.graph_trial import Trial, try_out
from grader.exercises.python import PythonBench, PythonPlan
from grader.verdict import CheckResult, State

FUNCTION = "rewrite"
VISIBLE = 0
Answers = dict[str, list[Trial | Finding]]  # by the check whose models they are

_tried: weakref.WeakKeyDictionary[PythonBench, dict[int, Answers | None]] = weakref.WeakKeyDictionary()


@functools.lru_cache(4)
def _cases(key: int) -> dict[str, list[Case]]:
    """The models of all checks: the same for the same key."""
    return {id: draw(np.random.default_rng([key, zlib.crc32(id.encode())])) for id, draw in CASES.items()}


def _rewritten(bench: PythonBench, cases: list[Case]) -> list[bytes | Finding] | Finding:
    """What the function makes of each model: its bytes, or the finding that says why there are none."""
    answers = bench.call(FUNCTION, *[(np.frombuffer(case.model, np.uint8),) for case in cases])
    return answers if isinstance(answers, Finding) else list(map(_answer, answers, cases))


def _answer(answer, case: Case) -> bytes | Finding:
    answer = answer if isinstance(answer, dict) else {}
    model, error, line = (answer.get(key) for key in ("model", "error", "line"))
    if isinstance(model, np.ndarray):
        return model.tobytes()
    line = line if type(line) is int else None
    where = f" (line {line} of the cell)" if line is not None else ""
    words = error[:1000] if type(error) is str else "it gave no model"
    return failed(f"On {case.words}, {FUNCTION}() failed: {words}{where}", state=State.ERROR, source_line=line)


def _ask(bench: PythonBench, key: int, id: str) -> list[Trial | Finding] | Finding:
    """The trials of a check's models. All checks' models go through the cell in one process, as long as that works."""
    cases = _cases(key)
    known = _tried.setdefault(bench, {})
    if key not in known:
        flat = [case for each in cases.values() for case in each]
        together = _rewritten(bench, flat)
        known[key] = None if isinstance(together, Finding) else _sorted_out(cases, flat, together)
    if known[key] is not None:
        return known[key][id]
    alone = _rewritten(bench, cases[id])  # some model ends the process: find out which check's it is
    return alone if isinstance(alone, Finding) else _sorted_out({id: cases[id]}, cases[id], alone)[id]


def _sorted_out(cases: dict[str, list[Case]], flat: list[Case], rewritten: list[bytes | Finding]) -> Answers:
    good = [(case, model) for case, model in zip(flat, rewritten, strict=True) if not isinstance(model, Finding)]
    tried = iter(try_out([case for case, _ in good], [model for _, model in good]))
    each = iter([model if isinstance(model, Finding) else next(tried) for model in rewritten])
    return {id: [next(each) for _ in of] for id, of in cases.items()}


def _key(rng, seeded: bool) -> int:
    """The same in all checks of one seed."""
    return 1 + int(rng.integers(2**62)) if seeded else VISIBLE


def _accepted(trial: Trial) -> Finding | None:
    if trial.structure:
        return failed(f"In {trial.case.words}: {trial.structure}", state=trial.state, beside=trial.beside)
    return None


class Accepted(Check):
    """Tells its belief, that a node is replaced by adding others, only where the node stands there beside others."""

    def result(self, finding: Finding, **how) -> CheckResult:
        result = super().result(finding, **how)
        told = finding.state is State.PASS or not finding.message or finding.detail.get("beside")
        return result if told else dataclasses.replace(result, misconception=None)


def _whole(trial: Trial) -> Finding | None:
    if finding := _accepted(trial):
        return finding
    return failed(f"In {trial.case.words}: {trial.results}") if trial.results else None


def _judge(id: str, judge, seeded: bool):
    def run(bench, rng) -> Finding:
        answer = _ask(bench, _key(rng, seeded), id)
        if isinstance(answer, Finding):
            return answer
        for trial in answer:
            finding = trial if isinstance(trial, Finding) else judge(trial)
            if finding is not None:
                return finding
        return passed()

    return run


def _valid(trial: Trial) -> Finding | None:
    words = f"In {trial.case.words}: the ONNX checker refuses what came of it: {trial.validity}"
    return failed(words) if trial.validity else None


def _check(
    id, misconception, group, row, sentence, *, needs=("unchanged",), models=None, judge=_whole, kind=Check
) -> Check:
    return kind(
        id=id, misconception=misconception, group=group, sentence=sentence, needs=needs, source=f"contract: {row}",
        run=_judge(models or id, judge, False), run_hidden=_judge(models or id, judge, True), seeded=True,
    )  # fmt: skip


_CHECKS = (
    _check(
        "accepted", "old-node-stays", "accepted", "the parser",
        "NVIDIA's ONNX parser accepts the rewritten model.", needs=("defines",), judge=_accepted,
        kind=Accepted,
    ),
    _check(
        "unchanged", "other-function", "function", "the operator",
        "ONNX Runtime computes from the rewritten model what it computed before.", needs=("accepted",),
        models="accepted",
    ),
    _check("every-node", "one-is-all", "accepted", "any number", f"Every {OPERATOR} of a model is replaced."),
    _check("no-node", "always-there", "accepted", "any number", f"A model without {OPERATOR} stays as it is."),
    _check("by-operator", "by-name", "accepted", "names", "A node is known by its operator, whatever its name."),
    _check("epsilon", "epsilon-lost", "function", "epsilon", "The node's epsilon is kept."),
    _check(
        "epsilon-default", "same-default", "function", "epsilon",
        "Without an epsilon it is 1e-12, which is not the default of another operator.",
    ),
    _check(
        "optional-inputs", "inputs-counted", "function", "inputs",
        "beta and bias may be there or not, each by itself.",
    ),
    _check(
        "sum-used", "one-output", "function", "outputs",
        "Output 3, the sum, goes on being computed where it is used, and is not made where its name is empty.",
        needs=("optional-inputs",),
    ),
    _check(
        "computed-weights", "weights-constant", "anywhere", "inputs", "gamma may be computed by another node."
    ),
    _check(
        "any-shape", "shape-known", "anywhere", "shapes and types",
        "Extents may be unknown, and tensors may have no shape.",
    ),
    _check(
        "half", "float32-only", "anywhere", "shapes and types", "An FP16 model stays FP16.", needs=("optional-inputs",)
    ),
    _check(
        "graph-outputs", "output-renamed", "around", "the rest of the graph",
        "The model's inputs and outputs keep their names and their order.", needs=("sum-used",),
    ),
    _check(
        "bystanders", "looks-alike", "around", "the rest of the graph",
        "Every other node stays, one with a similar operator too.",
    ),
    _check(
        "valid", "unsorted", "around", "a valid model", "The ONNX checker finds the rewritten model valid.",
        models="accepted", judge=_valid,
    ),
)  # fmt: skip

PLAN = PythonPlan(function=FUNCTION, checks=_CHECKS, group="accepted", through="onnx_graph")
