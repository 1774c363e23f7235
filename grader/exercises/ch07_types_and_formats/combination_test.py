"""combination-test: write the test that asks a plugin what it accepts, and looks whether that is true.

The plugins are models in Python (``grader.exercises.adapters.plugin_model``): each is a description, of which the run
child makes an object that can be asked and run. What is wrong with each stands beside the description, here.
"""

from __future__ import annotations

import functools
import json
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from grader.checks import Check, Finding, failed, passed
from grader.exercises.adapters.plugin_model import Model
from grader.exercises.bank import hidden_bank
from grader.exercises.python import PythonBench, PythonPlan

CHAPTER, FUNCTION, BANK = "07_types_and_formats", "problems", "models.jsonl"
MEANS = {
    "nothing": "no complete combination is accepted",
    "forbidden": "BOOL or UINT8 is accepted for x or y",
    "mixed": "x and y are accepted with different types",
    "peeks": "the answer for position 0 depends on what stands at position 1",
    "changes": "the same question gets another answer, after other questions or after configure()",
    "untrue": "a combination is accepted, and run() does not compute PReLU with it",
}
CATCHES = {  # check: problem, theme, misconception, group, sentence
    "catches-nothing": ("nothing", "", "no-is-safe", "asks", "It finds that nothing is accepted."),
    "catches-forbidden": (
        "forbidden", "", "types-are-types", "asks", "It finds types that no tensor of a plugin may have."),
    "catches-mixed": ("mixed", "", "one-by-one", "asks", "It finds outputs of another type than the input's."),
    "catches-peeks": ("peeks", "", "filled-in", "asks", "It finds answers that look behind the position."),
    "catches-changes": ("changes", "", "asked-once", "asks", "It finds answers that change."),
    "untrue-types": ("untrue", "types", "first-is-all", "runs", "It finds a type that is accepted and computed wrong."),
    "untrue-formats": (
        "untrue", "formats", "linear-is-all", "runs", "It finds a format that is accepted and computed wrong."),
    "untrue-inputs": (
        "untrue", "inputs", "any-input-will-do", "runs", "It runs the plugin on an input that can tell."),
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A plugin's description, and what is wrong with it."""

    id: str
    title: str
    theme: str
    model: Mapping
    problems: tuple[str, ...]


def read(data: bytes | str) -> tuple[Case, ...]:
    """The plugins of a file, one a line."""
    return tuple(
        Case(row["id"], row["title"], row["theme"], row["model"], tuple(row["problems"]))
        for row in map(json.loads, data.splitlines())
    )


@functools.cache
def visible() -> tuple[Case, ...]:
    return read((resources.files(__package__) / BANK).read_text())


def plugin(name: str) -> Model:
    """For the notebook: one of the visible plugins, to ask and to run."""
    found = {case.id: case for case in visible()}
    if name not in found:
        raise ValueError(f"there is no plugin {name!r}; there are {', '.join(found)}")
    return Model(dict(found[name].model))


def names() -> None:
    """Print the visible plugins and what is wrong with each."""
    for case in visible():
        print(f"{case.id:17}{case.title:49}{', '.join(case.problems) or '-'}")


def _hidden() -> tuple[Case, ...]:
    """Of the bank; the visible ones where the course has none."""
    bank = hidden_bank(CHAPTER, BANK)
    return read(bank) if bank else visible()


_answers: weakref.WeakKeyDictionary[PythonBench, dict] = weakref.WeakKeyDictionary()


def _ask(bench: PythonBench, cases: Sequence[Case]) -> list | Finding:
    """What the answer says of each plugin, asked once; the finding that says what is wrong with its form."""
    asked = _answers.setdefault(bench, {})
    key = tuple(case.id for case in cases)
    if key not in asked:
        answers = bench.call(FUNCTION, *[(dict(case.model),) for case in cases])
        if not isinstance(answers, Finding):
            answers = next(
                (failed(f"Plugin {case.id}: {told}.", source_line=line)
                 for case, answer in zip(cases, answers, strict=True) for told, line in _problems(answer)),
                answers,
            )  # fmt: skip
        asked[key] = answers
    return asked[key]


def _problems(answer):
    if isinstance(answer, dict) and type(answer.get("error")) is str:
        line = answer.get("line") if type(answer.get("line")) is int else None
        where = f" (line {line} of the cell)" if line is not None else ""
        yield f"{FUNCTION} failed. {answer['error'][:500].rstrip('.')}{where}", line
    elif not isinstance(answer, list | tuple) or not all(isinstance(one, str) for one in answer):
        yield f"{FUNCTION} returned {str(answer)[:80]}, which is not a list of texts", None
    elif unknown := next((one for one in answer if one not in MEANS), None):
        yield f"{unknown[:40]!r} is none of the problems {', '.join(MEANS)}", None


def _named(case: Case) -> str:
    return f"Plugin {case.id}" + (f" (“{case.title}”)" if case.title else "")


def _well_formed(cases, bench) -> Finding:
    answers = _ask(bench, cases)
    return answers if isinstance(answers, Finding) else passed(f"{len(cases)} plugins")


def _catches(problem: str, theme: str, cases: Sequence[Case], bench) -> Finding:
    answers = _ask(bench, cases)
    if isinstance(answers, Finding):
        return answers
    for case, answer in zip(cases, answers, strict=True):
        if problem in case.problems and (not theme or theme == case.theme) and problem not in answer:
            said = ", ".join(answer) or "nothing"
            return failed(
                f"{_named(case)}: your test finds {said}, and misses {problem}: {MEANS[problem]}.", case=case.id
            )
    return passed()


def _quiet(cases: Sequence[Case], bench) -> Finding:
    answers = _ask(bench, cases)
    if isinstance(answers, Finding):
        return answers
    for case, answer in zip(cases, answers, strict=True):
        for problem in answer:
            if problem not in case.problems:
                return failed(
                    f"{_named(case)}: your test says {problem}, which would mean that {MEANS[problem]}. That is not so "
                    "here: this is a false alarm.", case=case.id,
                )  # fmt: skip
    return passed()


def _check(id: str, find, **about) -> Check:
    return Check(
        id=id, run=lambda bench, rng: find(visible(), bench), run_hidden=lambda bench, rng: find(_hidden(), bench),
        seeded=True, **about,
    )  # fmt: skip


PLAN = PythonPlan(
    function=FUNCTION, group="asks", through="plugin_model",
    checks=(
        _check(
            "answers", _well_formed, misconception=None, group="asks", needs=("defines",),
            source="contract: the answer", sentence=f"{FUNCTION}(plugin) returns a list of the six problems.",
        ),
        *(
            _check(
                id, functools.partial(_catches, problem, theme), misconception=misconception, group=group,
                sentence=sentence, source=f"contract: {problem}", needs=("answers",),
            )
            for id, (problem, theme, misconception, group, sentence) in CATCHES.items()
        ),
        _check(
            "quiet", _quiet, misconception="unusual-is-wrong", group="quiet", source="contract: right plugins",
            sentence="It raises no false alarm.", needs=("answers", *CATCHES),
        ),
    ),
)  # fmt: skip
