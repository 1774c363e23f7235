"""Asks an answer cell about cases, and says of which case it speaks."""

from __future__ import annotations

import dataclasses
import json
import weakref
from collections.abc import Iterable, Mapping, Sequence

from grader.checks import Finding
from grader.exercises.python import PythonBench
from grader.verdict import State

_answers: weakref.WeakKeyDictionary[PythonBench, dict] = weakref.WeakKeyDictionary()


def named(case) -> str:
    return f"Case {case.id}" + (f" (“{case.title}”)" if case.title else "")


def ask(bench: PythonBench, function: str, cases: Sequence, arguments: Sequence[tuple]) -> list | Finding:
    """What the answer says to each case, asked once. Of an error the finding names the first case that raises one."""
    asked = _answers.setdefault(bench, {})
    key = repr(arguments)
    if key not in asked:
        answers = bench.call(function, *arguments)
        if isinstance(answers, Finding) and answers.state is State.ERROR:
            answers = _first_error(bench, function, cases, arguments) or answers
        asked[key] = answers
    return asked[key]


def _first_error(bench, function, cases, arguments) -> Finding | None:
    for case, one in zip(cases, arguments, strict=True):
        answer = bench.call(function, one)
        if isinstance(answer, Finding):
            return dataclasses.replace(answer, message=f"{named(case)}: {answer.message}")
    return None


def what_it_holds(case, facts: Mapping, keys: Iterable[str]) -> str:
    """The facts that matter of a case that no notebook shows; of one that can be looked at, nothing."""
    if case.title:
        return ""
    return " There, " + ", ".join(f"`{key}` is {json.dumps(facts[key])}" for key in keys) + "."
