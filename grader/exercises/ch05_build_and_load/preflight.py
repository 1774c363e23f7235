"""preflight: write the test that catches a wrong library before it is loaded, and keeps quiet about a right one."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from grader.checks import Check, Finding, failed, passed
from grader.exercises.bank import hidden_bank
from grader.exercises.ch05_build_and_load.asking import ask, named, what_it_holds
from grader.exercises.python import PythonPlan

CHAPTER, FUNCTION, BANK = "05_build_and_load", "problems", "preflight.jsonl"
CATCHES = {  # problem: misconception, group, sentence, why it is there
    "no-entry-point": (
        "entry-points-half", "linking", "It finds that loadLibrary will not find the entry points.",
        "the application calls loadLibrary, and `exports` lacks getCreators or setLoggerFinder by its plain name"),
    "no-registrar": (
        "any-way-in", "linking", "It finds that nothing in a library registers itself where dlopen opens it.",
        "the application calls dlopen, and the file never calls getPluginRegistry (see `undefined`)"),
    "undefined-symbol": (
        "undefined-is-normal", "linking", "It finds symbols that nobody will define.",
        "`undefined` has a symbol that TensorRT does not have"),
    "missing-library": (
        "it-loads-here", "linking", "It finds libraries that are needed and are not there.",
        "`needed` has a library that is not among the target's"),
    "no-code-for-gpu": (
        "older-runs-on-newer", "device", "It finds device code that does not run on one of the GPUs.",
        "none of the codes of a kernel file runs on one of the GPUs"),
    "runtime-inside": (
        "one-runtime-is-as-good", "device", "It finds a CUDA runtime inside that the simulated GPU cannot replace.",
        "the CUDA runtime is a part of the file, and the target is the simulated GPU"),
}  # fmt: skip
MATTERS = {  # what a problem is read from
    "no-entry-point": ("exports",),
    "no-registrar": ("undefined",),
    "undefined-symbol": ("undefined",),
    "missing-library": ("needed", "libraries"),
    "no-code-for-gpu": ("device_code", "gpus"),
    "runtime-inside": ("cuda_runtime", "gpus"),
}
ALARMS = {  # check: misconception, group, sentence, the problems that it is about
    "quiet-linking": (
        "odd-is-wrong", "linking", "It raises no false alarm about symbols, libraries and entry points.",
        ("no-entry-point", "no-registrar", "undefined-symbol", "missing-library")),
    "quiet-device": (
        "exact-code-only", "device", "It raises no false alarm about device code and the CUDA runtime.",
        ("no-code-for-gpu", "runtime-inside")),
}  # fmt: skip
EVERY_KERNEL = "every-kernel"


@dataclass(frozen=True)
class Case:
    """The facts of a library's file, where it is to run, and what is wrong with it there."""

    id: str
    title: str
    theme: str
    facts: Mapping
    target: Mapping
    problems: tuple[str, ...]


def read(data: bytes | str) -> tuple[Case, ...]:
    """The cases of a file, one a line."""
    return tuple(
        Case(row["id"], row["title"], row.get("theme", ""), row["facts"], row["target"], tuple(row["problems"]))
        for row in map(json.loads, data.splitlines())
    )


@functools.cache
def visible() -> tuple[Case, ...]:
    return read((resources.files(__package__) / BANK).read_text())


def _hidden() -> tuple[Case, ...]:
    """Of the bank; the visible ones where the course has none."""
    bank = hidden_bank(CHAPTER, BANK)
    return read(bank) if bank else visible()


def _ask(bench, cases: Sequence[Case]) -> list | Finding:
    """What the answer says to each case; the finding that says what is wrong with its form."""
    answers = ask(bench, FUNCTION, cases, [(dict(case.facts), dict(case.target)) for case in cases])
    if isinstance(answers, Finding):
        return answers
    for case, answer in zip(cases, answers, strict=True):
        if problem := _problem(answer):
            return failed(f"{named(case)}: {problem}.", case=case.id)
    return answers


def _problem(answer) -> str | None:
    if not isinstance(answer, list | tuple) or not all(isinstance(one, str) for one in answer):
        return f"{FUNCTION} returned {str(answer)[:80]}, which is not a list of texts"
    unknown = next((one for one in answer if one not in CATCHES), None)
    return unknown and f"{unknown[:40]!r} is none of the problems {', '.join(CATCHES)}"


def _shown(case: Case, problem: str) -> str:
    return what_it_holds(case, {**case.facts, **case.target}, MATTERS[problem])


def _well_formed(cases, bench) -> Finding:
    answers = _ask(bench, cases)
    return answers if isinstance(answers, Finding) else passed(f"{len(cases)} libraries")


def _catches(problem: str, theme: str, cases: Sequence[Case], bench) -> Finding:
    answers = _ask(bench, cases)
    if isinstance(answers, Finding):
        return answers
    for case, answer in zip(cases, answers, strict=True):
        if case.theme == theme and problem in case.problems and problem not in answer:
            said = ", ".join(answer) or "nothing"
            why = CATCHES[problem][3]
            return failed(
                f"{named(case)}: your test finds {said}, and misses {problem}: {why}.{_shown(case, problem)}",
                case=case.id,
            )  # fmt: skip
    return passed()


def _quiet(about: Sequence[str], cases: Sequence[Case], bench) -> Finding:
    answers = _ask(bench, cases)
    if isinstance(answers, Finding):
        return answers
    for case, answer in zip(cases, answers, strict=True):
        for problem in answer:
            if problem in about and problem not in case.problems:
                return failed(
                    f"{named(case)}: your test says {problem}, which would mean that {CATCHES[problem][3]}. That is "
                    f"not so here: this is a false alarm.{_shown(case, problem)}", case=case.id,
                )  # fmt: skip
    return passed()


def _check(id: str, find, **about) -> Check:
    return Check(
        id=id, run=lambda bench, rng: find(visible(), bench), run_hidden=lambda bench, rng: find(_hidden(), bench),
        seeded=True, **about,
    )  # fmt: skip


def _checks() -> tuple[Check, ...]:
    needs = {"needs": ("answers",)}
    catches = [
        _check(f"catches-{id}", functools.partial(_catches, id, ""), misconception=misconception, group=group,
               sentence=sentence, source=f"contract: {id}", **needs)
        for id, (misconception, group, sentence, _) in CATCHES.items()
    ]  # fmt: skip
    quiet = [  # silence says something of a test that can speak
        _check(id, functools.partial(_quiet, about), misconception=misconception, group=group, sentence=sentence,
               source="contract: right libraries", needs=("answers", *(f"catches-{one}" for one in about)))
        for id, (misconception, group, sentence, about) in ALARMS.items()
    ]  # fmt: skip
    return (
        _check(
            "answers", _well_formed, misconception=None, group="linking", needs=("defines",),
            source="contract: the answer", sentence=f"{FUNCTION}(facts, target) returns a list of the six problems.",
        ),
        *catches,
        _check(
            EVERY_KERNEL, functools.partial(_catches, "no-code-for-gpu", EVERY_KERNEL), group="device",
            misconception="one-kernel-is-all", sentence="It looks at the device code of every kernel file.",
            source="contract: no-code-for-gpu", **needs,
        ),
        *quiet,
    )  # fmt: skip


PLAN = PythonPlan(function=FUNCTION, checks=_checks(), group="linking")
