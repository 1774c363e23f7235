"""interface-tests: tests that the compiler runs on plugin classes, tried on right and wrong ones.

The answers are read in the compiler's log. For each class and test the last lines of one file assert that the answer is
true, and that it is false: one of the two fails, under a name that is drawn for this run. No program runs.
"""

from __future__ import annotations

import dataclasses
import random
import re
import secrets
import weakref
from collections.abc import Callable, Mapping, Sequence

from grader import toolchain
from grader.checks import Check, Finding, failed, passed
from grader.checks.beliefs import BeliefCheck
from grader.exercises.ch03_interface_families import drawn
from grader.exercises.ch03_interface_families.subjects import ANSWERS, SHOWN, TESTS, Subject, fresh, path, plain, source
from grader.exercises.host import HostBench, HostPlan
from grader.toolchain.diagnostics import parse_gxx
from grader.verdict import State

FILE, CLASSES = "interface_tests.h", "classes.cpp"
VIRTUAL = "C++17 [class.virtual]; TensorRT 10.14, NvInferRuntime.h"
METHOD = "C++17 [class.virtual], [over.over]"

NOWHERE = (-1, "")  # no class and no test
ERRORS = ("and-protects", "one-name-one-function")  # what may be behind a compile error
SILENT = "the compiler gives no answer"
_EITHER = (("", "false"), ("!", "true"))

Answers = list[tuple[Subject, dict[str, "bool | str"]]]  # of each class what each test says, or why it says nothing
# Of each bench the answers about the visible and the hidden classes: asked for once.
_answers: weakref.WeakKeyDictionary[HostBench, dict[str, Answers | Finding]] = weakref.WeakKeyDictionary()


def asked(bench: HostBench, subjects: Sequence[Subject]) -> Answers | Finding:
    """What each test of the answer says of each class; a sentence where it does not compile for that class."""
    mark = f"told_{secrets.token_hex(8)}"
    lines, where = ["#include <NvInferRuntime.h>"], {}
    order = random.SystemRandom().sample(range(len(subjects)), len(subjects))  # no answer knows them by counting
    named = {number: fresh() for number in order}
    for number, names in named.items():  # before the answer is included: none of its macros reaches the classes
        lines += source(subjects[number], names).splitlines()
    lines.append(f'#include "{FILE}"')
    for number, names in named.items():
        for test in TESTS:
            call = f"{test}<{path(subjects[number], names)}>()"
            told = [f'static_assert({no}{call}, "{mark} {number} {test} {so}");' for no, so in _EITHER]
            lines.append(" ".join(told))
            where[len(lines)] = (number, test)
    text = "\n".join([*lines, f'static_assert({len(lines)} == 0, "{mark} end");', ""])
    flags = (*bench.flags, "-w")  # a warning for each class could fill the log
    answer = toolchain.Source(bench.files, FILE)
    program = toolchain.compile_host(answer, harness={CLASSES: text.encode()}, flags=flags)
    if program.state not in (State.FAIL, State.GRADER_FAULT):
        return failed(program.message or "The compiler gave no answer.", state=program.state)
    if not re.search(rf"error: static assertion failed.*{mark} end", program.log):
        return failed(
            f"{FILE} keeps the compiler from reaching the classes that the tests are tried on. {program.message}"
        )
    said = dict(_said(program.log, mark))
    reasons = _reasons(program.log, where)  # an error that an answer is given in spite of is an error
    if NOWHERE in reasons:
        return failed(f"{reasons[NOWHERE]}, while the tests are tried on classes.")
    return [
        (subject, {test: reasons.get((number, test), said.get((number, test), SILENT)) for test in TESTS})
        for number, subject in enumerate(subjects)
    ]


def _said(log: str, mark: str):
    """(class, test) and the answer, where exactly one of the two assertions failed."""
    found: dict[tuple[int, str], set[str]] = {}
    for number, test, answer in re.findall(rf"{mark} (\d+) (\w+) (true|false)\b", log):
        found.setdefault((int(number), test), set()).add(answer)
    return ((key, answers == {"true"}) for key, answers in found.items() if len(answers) == 1)


def _reasons(log: str, where: Mapping[int, tuple[int, str]]) -> dict[tuple[int, str], str]:
    """Why there is no answer: the first error that is said to come from the line that asks."""
    found: dict[tuple[int, str], str] = {}
    asking = NOWHERE
    for line in log.splitlines():
        if place := re.match(rf"harness/{re.escape(CLASSES)}:(\d+):(?:\d+:)? .*required from here", line):
            asking = where.get(int(place[1]), NOWHERE)
        for one in parse_gxx(line):
            if one.severity == "error" and one.file != f"harness/{CLASSES}":
                file = (one.file or "").rpartition("/")[2]
                found.setdefault(asking, f"{file}, line {one.line}: {plain(one.message)}")
    return found


def _visible(bench: HostBench, rng) -> Answers | Finding:
    kept = _answers.setdefault(bench, {})
    if "visible" not in kept:
        kept["visible"] = asked(bench, drawn.visible())
    return kept["visible"]


def _hidden(bench: HostBench, rng) -> Answers | Finding:
    kept = _answers.setdefault(bench, {})
    if "hidden" not in kept:
        kept["hidden"] = asked(bench, drawn.hidden(rng))
    return kept["hidden"]


def _judge(
    answers: Answers | Finding, test: str, concerns: Callable[[Subject], bool], misconception: str
) -> Finding:
    """Whether the test answers rightly of the classes that a check is about; of those made for it first."""
    if isinstance(answers, Finding):
        return answers
    about = [(subject, said[test]) for subject, said in answers if concerns(subject)]
    about.sort(key=lambda pair: pair[0].about != test)
    for subject, got in about:
        expected = subject.truth(test)
        if got is not expected:
            return failed(
                _message(test, subject, got, expected), case={
                    "label": subject.described(), "got": got if isinstance(got, str) else str(got).lower(),
                    "expected": str(expected).lower(),
                },
                no_belief=isinstance(got, str) and misconception not in ERRORS,
            )  # fmt: skip
    return passed(f"right of {len(about)} classes")


def _message(test: str, subject: Subject, got: bool | str, expected: bool) -> str:
    """What is wrong, and the class that shows it."""
    shown = subject if subject.about == test else dataclasses.replace(subject, ways=_part(subject, test), others={})
    text = " ".join(source(shown, SHOWN, brief=True).split())
    if isinstance(got, str):
        head = f"{test} does not compile for a class of which it has to say {str(expected).lower()} ({got}):"
    else:
        head = f"{test} says {str(got).lower()} of a class of which {str(expected).lower()} is right:"
    return f"{head} {shown.described()}. The class: `{text}`"


def _part(subject: Subject, test: str) -> dict[str, str]:
    """The methods that the test asks for, as the class has them."""
    methods = (ANSWERS[test],) if test in ANSWERS else drawn.TACTICS
    return {method: subject.written.get(method, "nothing") for method in methods}


def _check(id: str, test: str, group: str, misconception: str, concerns, sentence: str, **about) -> Check:
    return BeliefCheck(
        id=id, group=group, misconception=misconception, sentence=sentence, seeded=True,
        run=lambda bench, rng: _judge(_visible(bench, rng), test, concerns, misconception),
        run_hidden=lambda bench, rng: _judge(_hidden(bench, rng), test, concerns, misconception), **about,
    )  # fmt: skip


def _right(test: str) -> Callable[[Subject], bool]:
    return lambda subject: subject.truth(test)


def _wrong(test: str) -> Callable[[Subject], bool]:
    return lambda subject: not subject.truth(test)


def _alias_wrong(subject: Subject) -> bool:
    return subject.named("alias") and not subject.truth("ownAlias")


def _alias_unknown(subject: Subject) -> bool:
    return not subject.named("alias")


PLAN = HostPlan(
    package=__package__,
    harness=("interface_tests.cpp",),
    group="limit",
    tensorrt=True,
    checks=(
        _check(
            "limit-right", "ownFormatLimit", "limit", "own-class-only", _right("ownFormatLimit"),
            "ownFormatLimit is true where TensorRT gets the plugin's own answer, whichever of the author's classes has "
            "it.", source="contract: right classes",
        ),
        _check(
            "limit-wrong", "ownFormatLimit", "limit", "callable-is-reached", _wrong("ownFormatLimit"),
            "ownFormatLimit is false where the base class answers.", source=VIRTUAL,
        ),
        _check(
            "cache-id-right", "ownTimingCacheId", "cache-id", "noexcept-is-no-type", _right("ownTimingCacheId"),
            "ownTimingCacheId is true of every class whose getTimingCacheID is reached.",
            source="C++17 [except.spec]: noexcept is part of a function's type",
        ),
        _check(
            "cache-id-wrong", "ownTimingCacheId", "cache-id", "const-is-no-matter", _wrong("ownTimingCacheId"),
            "ownTimingCacheId is false where a const, a letter or the whole method is amiss.", source=VIRTUAL,
        ),
        _check(
            "workspace-right", "ownWorkspaceSize", "workspace", "one-name-one-function", _right("ownWorkspaceSize"),
            "ownWorkspaceSize is true of a class that overrides, also beside the method of V2.", source=METHOD,
        ),
        _check(
            "workspace-wrong", "ownWorkspaceSize", "workspace", "any-parameters", _wrong("ownWorkspaceSize"),
            "ownWorkspaceSize is false where getWorkspaceSize takes or is something else.", source=VIRTUAL,
        ),
        _check(
            "tactics-right", "tacticsAgree", "tactics", "tactics-are-wanted", _right("tacticsAgree"),
            "tacticsAgree is true where all methods of tactics that the class can have are its own, and where none is.",
            source="contract: tactics",
        ),
        _check(
            "tactics-wrong", "tacticsAgree", "tactics", "tactics-one-by-one", _wrong("tacticsAgree"),
            "tacticsAgree is false where some of them are reached and others are not.", source="contract: tactics",
        ),
        _check(
            "alias-right", "ownAlias", "alias", "own-class-only", _right("ownAlias"),
            "ownAlias is true where TensorRT gets the plugin's own getAliasedInput.", source="contract: right classes",
        ),
        _check(
            "alias-wrong", "ownAlias", "alias", "type-is-enough", _alias_wrong,
            "ownAlias is false where getAliasedInput is no function of IPluginV3OneBuildV2's.",
            source="TensorRT 10.14, NvInferRuntime.h: IPluginV3OneBuildV2",
        ),
        _check(
            "alias-unknown", "ownAlias", "alias", "and-protects", _alias_unknown,
            "ownAlias is false, and no compile error, for classes that have no such method.",
            source="contract: any class",
        ),
    ),
)  # fmt: skip
