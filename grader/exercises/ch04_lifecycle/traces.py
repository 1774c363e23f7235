"""Recorded lives for trace-order, and other legal orders of their calls.

The lives lie in ``traces.json``; in ``solutions/``, what nobody sees: the calls of the same lives of another plugin.
``tests/exercises/lifecycle_traces.py`` records both. A call is a dict with process, object, interface and method; of
``createPlugin`` also phase and fields, of ``getFieldsToSerialize`` also fields; a call that makes a plugin has the
object in result.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any

import numpy as np

from grader.exercises.bank import hidden_bank

Call = Mapping[str, Any]
PROBLEMS = {
    "shared": "clone or attachToContext gives an object that is there already",
    "used-after-end": "a method is called, or the destructor again, after the object's destructor",
    "never-ended": "an object that was made has no destructor by the end of the trace",
    "unconfigured": "getNbTactics or getValidTactics, and no configurePlugin before",
    "unplanned": "createPlugin(kRUNTIME), and no getFieldsToSerialize before gave these fields with these values",
    "unattached": "enqueue on an object that no attachToContext gave",
    "no-tactic": "enqueue, and no setTactic before",
    "no-shapes": "enqueue, and no onShapeChange before",
}
# What is so in each life that does not have the problem.
ABSENT = {
    "shared": "each clone and attachToContext gave a new object",
    "used-after-end": "no object was called after its destructor; another process has objects of its own",
    "never-ended": "every plugin has its destructor, and a creator, which is no plugin, has none in a trace",
    "unconfigured": "whoever was asked for its tactics was configured before, or copied from one that was",
    "unplanned": "what was made with kRUNTIME got fields that were kept before, in whichever process",
    "unattached": "each object that ran was given by attachToContext",
    "no-tactic": "each object that ran was told its tactic before, or copied from one that had been",
    "no-shapes": "each object that ran was told its shapes before",
}
# Of these, nobody may change the order: one gives to the plan what the other one reads in it.
_OF_THE_PLAN = ("createPlugin", "getFieldsToSerialize")


@dataclass(frozen=True)
class Life:
    """``expected``: its problems, sorted. ``check``: of trace-order, that it is for. ``derived``: no host can do it."""

    check: str
    name: str
    expected: tuple[str, ...]
    why: str
    derived: bool
    calls: tuple[Call, ...]

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Life:
        return cls(**{**row, "expected": tuple(sorted(row["expected"])), "calls": tuple(row["calls"])})


@functools.cache
def visible() -> tuple[Life, ...]:
    data = resources.files(__package__).joinpath("traces.json").read_text(encoding="utf-8")
    return tuple(map(Life.of, json.loads(data)))


@functools.cache
def hidden() -> tuple[Life, ...]:
    """The visible lives in their order, each with the calls of another plugin. None in a class release, which grades
    nothing hidden."""
    data = hidden_bank("04_lifecycle", "trace_order_hidden.json")
    if data is None:
        return ()
    return tuple(replace(life, calls=tuple(calls)) for life, calls in zip(visible(), json.loads(data), strict=True))


def trace(name: str) -> list[dict]:
    """The calls of one of the visible lives, to look at. ``ValueError`` names them all."""
    found = next((each for each in visible() if each.name == name), None)
    if found is None:
        raise ValueError(f"there is no life {name!r}; there are {', '.join(each.name for each in visible())}")
    return [dict(call) for call in found.calls]


def show(calls: Sequence[Call]) -> None:
    """A line for each call."""
    for number, call in enumerate(calls):
        more = f"({call['phase']})" if "phase" in call else ""
        made = f" -> {call['result']}" if "result" in call else ""
        print(f"{number:3}  process {call['process']}  {call['object']:17} {call['method']}{more}{made}")


def reordered(calls: Sequence[Call], rng: np.random.Generator) -> list[Call]:
    """The same life in another order that is as legal, or has the same problems: neighbours change places, again and
    again, where nothing makes one wait for the other (``free``)."""
    found = list(calls)
    for _ in range(6 * len(found)):
        at = int(rng.integers(len(found) - 1))
        if free(found[at], found[at + 1]):
            found[at], found[at + 1] = found[at + 1], found[at]
    return found


def free(first: Call, then: Call) -> bool:
    """Whether two calls that follow each other may change places.

    Not those of one object: what it was told before counts. Not the call that makes an object and a call of that
    object. Not two that write and read a plan. Processes run one after the other here, so calls of two stay.
    """
    if first["process"] != then["process"] or first["object"] == then["object"]:
        return False
    if first.get("result") == then["object"] or then.get("result") == first["object"]:
        return False
    if first.get("result") is not None and first.get("result") == then.get("result"):
        return False
    return not (first["method"] in _OF_THE_PLAN and then["method"] in _OF_THE_PLAN)
