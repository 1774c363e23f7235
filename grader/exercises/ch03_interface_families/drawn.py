"""Which classes the interface tests are tried on: the visible ones, and those that a hidden seed draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from grader.exercises.ch03_interface_families.subjects import ANSWERS, METHODS, TACTICS, WAYS, Subject

PLACES = ("named", "nested", "anonymous", "global")
BUILD, ALIASING, RUNTIME = ("build",), ("build2",), ("runtime",)
BOTH = ("v3", "core", "build", "runtime")  # one class with all capabilities
BOTH_ALIASING = ("v3", "core", "build2", "runtime")

# For each test that asks for one method: how that is written, in a class of which interfaces.
VISIBLE: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "ownFormatLimit": (
        ("override", BUILD), ("unsaid", BOTH), ("inherited", BUILD), ("from-template", ALIASING), ("overloaded", BUILD),
        ("nothing", BUILD), ("const", BUILD), ("by-ear", BOTH), ("default", BUILD), ("using", BUILD),
        ("nothing", RUNTIME),
    ),
    "ownTimingCacheId": (
        ("override", BUILD), ("final", BOTH), ("outside", BUILD), ("unsaid", ALIASING), ("inherited", BUILD),
        ("nothing", BUILD), ("const", BUILD), ("const", BOTH), ("by-ear", ALIASING),
    ),
    "ownWorkspaceSize": (
        ("override", BUILD), ("unsaid", BOTH), ("outside", ALIASING), ("inherited", BUILD), ("overloaded", BUILD),
        ("nothing", BUILD), ("parameters", BUILD), ("parameters", BOTH), ("const", BUILD), ("template", BUILD),
    ),
    "ownAlias": (
        ("override", ALIASING), ("unsaid", BOTH_ALIASING), ("inherited", ALIASING), ("nothing", BUILD),
        ("nothing", RUNTIME), ("nothing", ALIASING), ("unsaid", BUILD), ("unsaid", BOTH), ("parameters", ALIASING),
        ("mixin-used", ALIASING),
    ),
}  # fmt: skip
# How getNbTactics, getValidTactics and setTactic are written.
TACTICS_VISIBLE = (
    (BUILD, "nothing", "nothing", "nothing"), (BUILD, "override", "override", "nothing"),
    (BOTH, "nothing", "nothing", "nothing"), (BOTH, "override", "unsaid", "override"),
    (RUNTIME, "nothing", "nothing", "override"), (BOTH, "override", "override", "inherited"),
    (BUILD, "override", "nothing", "nothing"), (BUILD, "by-ear", "override", "nothing"),
    (BOTH, "override", "override", "parameters"), (BOTH, "override", "override", "nothing"),
    (BOTH_ALIASING, "nothing", "nothing", "override"), (BOTH, "override", "parameters", "override"),
)  # fmt: skip
TRIOS = 24  # hidden classes that are about tactics: three of each mixture of reached and not reached


def visible() -> list[Subject]:
    rng = np.random.default_rng(3)
    return [*_asked(VISIBLE, rng), *(_trio(words, ways, rng) for words, *ways in TACTICS_VISIBLE)]


def hidden(rng) -> list[Subject]:
    """Every way for every method, in classes with one capability and with all; tactics written in mixed ways."""
    table = {}
    for test, method in ANSWERS.items():
        alike = (ALIASING, BOTH_ALIASING) if method == "alias" else (BUILD, ALIASING, BOTH, BOTH_ALIASING)
        table[test] = [(way, alike[rng.integers(len(alike))]) for way in WAYS]
        table[test] += [("nothing", RUNTIME), ("nothing", ("v3", "core"))]
    table["ownAlias"] += [(way, words) for way in ("nothing", "unsaid") for words in (BUILD, BOTH)]
    ways: dict[bool, list[str]] = {True: [], False: []}
    for way, (reached, _) in WAYS.items():
        ways[reached] += [way] if way != "from-template" else []
    trios = []
    for number in range(TRIOS):
        words = (BUILD, BOTH, BOTH_ALIASING, RUNTIME)[rng.integers(4)]
        trios.append((words, [str(rng.choice(ways[bool(number >> bit & 1)])) for bit in range(3)]))
    subjects = [*_asked(table, rng), *(_trio(words, trio, rng) for words, trio in trios)]
    return [subjects[k] for k in rng.permutation(len(subjects))]


def _asked(table: Mapping[str, Sequence[tuple[str, tuple[str, ...]]]], rng) -> list[Subject]:
    """Classes that are about one method each."""
    found = []
    for test, rows in table.items():
        method = ANSWERS[test]
        for way, words in rows:
            apart = {other: _some(rng) for other in METHODS if other not in (method, *TACTICS)}
            apart |= dict.fromkeys(TACTICS, _some(rng))
            found.append(_dressed(Subject(test, words, {method: way}, _possible(apart, words)), rng))
    return found


def _trio(words: tuple[str, ...], ways: Sequence[str], rng) -> Subject:
    apart = {other: _some(rng) for other in METHODS if other not in TACTICS}
    trio = _possible(dict(zip(TACTICS, ways, strict=True)), words)
    return _dressed(Subject("tacticsAgree", words, trio, _possible(apart, words)), rng)


def _possible(ways: Mapping[str, str], words: tuple[str, ...]) -> dict[str, str]:
    """Those of the methods that one of the interfaces has."""
    return {method: way for method, way in ways.items() if set(METHODS[method].words) & set(words)}


def _some(rng) -> str:
    """How a method is written that a class is not about."""
    return ("nothing", "override", "unsaid")[rng.integers(3)]


def _dressed(subject: Subject, rng) -> Subject:
    final, struct = (bool(rng.integers(2)) for _ in range(2))
    return replace(subject, final=final, struct=struct, place=PLACES[rng.integers(len(PLACES))])
