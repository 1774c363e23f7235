"""The records that cross every border of the grader, and their JSON form.

A record holds plain data only: text, numbers, booleans, lists and dicts of these.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

SCHEMA = 1


class State(StrEnum):
    """How a check, a child process or an exercise ended. Only ``PASS`` earns points."""

    PASS = "pass"
    FAIL = "fail"
    ERROR = "error"
    CRASH = "crash"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out_of_memory"
    UNSUPPORTED_HERE = "unsupported_here"
    GRADER_FAULT = "grader_fault"


# From the most to the least telling: the state of a whole is the first of these that any part has.
_SEVERITY = (
    State.GRADER_FAULT,
    State.CRASH,
    State.TIMEOUT,
    State.OUT_OF_MEMORY,
    State.ERROR,
    State.FAIL,
    State.UNSUPPORTED_HERE,
    State.PASS,
)


def worst(states: Iterable[State]) -> State:
    """The state of a whole from the states of its parts; no parts at all is a ``GRADER_FAULT``, never a pass."""
    present = set(states)
    return next((state for state in _SEVERITY if state in present), State.GRADER_FAULT)


@dataclass(frozen=True, kw_only=True)
class Diagnostic:
    """One message of a compiler or a lint, at a place in a learner's file. Lines and columns count from 1."""

    message: str
    severity: str = "error"  # "error", "warning", "note"
    file: str | None = None
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """What one check found.

    ``sentence`` says what the check verifies; ``message`` says what was found, for the learner.
    ``detail`` is plain data for the panel: ``case`` (shape, index, got, expected, thread), ``fault``
    (the fields of a device fault), ``diagnostics``, ``counters``, ``source_line``.
    """

    check: str
    state: State
    sentence: str
    message: str = ""
    misconception: str | None = None
    group: str | None = None
    hidden: bool = False
    blocked_by: str | None = None  # this check could not run because that one did not pass
    source: str = ""  # where the rule stands
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Group:
    """Checks that earn points together: all of them pass, or the group earns nothing."""

    id: str
    title: str
    points: float


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What one exercise earned, and why."""

    exercise: str
    revision: int
    state: State
    checks: tuple[CheckResult, ...]
    earned: float
    possible: float  # without what is pending
    pending: float  # points that need a grade elsewhere
    device: str = "simulated"
    seed: int | None = None
    seconds: float = 0.0
    counters: dict[str, dict[str, float]] = field(default_factory=dict)  # kernel -> metric -> value
    provenance: dict[str, str] = field(default_factory=dict)  # versions of what judged

    @classmethod
    def of(cls, *, exercise: str, revision: int, checks: Iterable[CheckResult], groups: Iterable[Group], **rest):
        """Derive state and points from the checks. A group without a check is a grader fault, not a pass."""
        checks, groups = tuple(checks), tuple(groups)
        earned = possible = pending = 0.0
        states = [check.state for check in checks]
        for group in groups:
            state = worst(check.state for check in checks if check.group == group.id)
            states.append(state)
            if state is State.UNSUPPORTED_HERE:
                pending += group.points
            else:
                possible += group.points
                earned += group.points if state is State.PASS else 0.0
        return cls(
            exercise=exercise, revision=revision, state=worst(states), checks=checks,
            earned=earned, possible=possible, pending=pending, **rest,
        )  # fmt: skip

    @property
    def passed(self) -> bool:
        return self.state is State.PASS

    def to_dict(self) -> dict[str, Any]:
        """Plain data that `verdict_from_dict` reads. What lies deep in it is the verdict's own: not to be changed."""
        return {"schema": SCHEMA, **vars(self), "checks": [vars(check) for check in self.checks]}

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=1, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Verdict:
        """Read a verdict back; ``ValueError`` names the field that does not fit."""
        return verdict_from_dict(json.loads(text))


def verdict_from_dict(data: Any) -> Verdict:
    """Build a verdict from plain data, checking every field's type. ``ValueError`` says which does not fit."""
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise ValueError(f"not a verdict of schema {SCHEMA}")
    data = {key: value for key, value in data.items() if key != "schema"}
    data["checks"] = tuple(_record(CheckResult, check, "checks") for check in _list(data, "checks"))
    return _record(Verdict, data, "verdict")


_CHECKED = {
    "str": str, "int": int, "float": (int, float), "bool": bool, "State": str,
    "str | None": (str, type(None)), "int | None": (int, type(None)),
}  # fmt: skip


@functools.cache
def _fields(kind: type) -> dict[str, tuple[str, Any, bool]]:
    """By name: the type as it is written, what a value must be an instance of, whether it may be left out."""
    return {
        f.name: (
            str(f.type),
            _CHECKED.get(str(f.type), dict if str(f.type).startswith("dict") else object),
            f.default is not dataclasses.MISSING or f.default_factory is not dataclasses.MISSING,
        )
        for f in dataclasses.fields(kind)
    }


def _record(kind, data, where):
    if not isinstance(data, dict):
        raise ValueError(f"{where}: an object is needed")
    fields = _fields(kind)
    if unknown := data.keys() - fields.keys():
        raise ValueError(f"{where}: unknown field {sorted(unknown)[0]!r}")
    values = {}
    for name, (written, expected, optional) in fields.items():
        if name not in data:
            if not optional:
                raise ValueError(f"{where}: field {name!r} is missing")
            continue
        value = data[name]
        if not isinstance(value, expected) or (isinstance(value, bool) and written != "bool"):
            raise ValueError(f"{where}: field {name!r} must be {written}, not {type(value).__name__}")
        if written == "State":
            try:
                value = State(value)
            except ValueError:
                raise ValueError(f"{where}: {value!r} is no state") from None
        values[name] = value
    return kind(**values)


def _list(data, name):
    if not isinstance(data.get(name), (list, tuple)):
        raise ValueError(f"verdict: field {name!r} must be a list")
    return data[name]
