"""creator-not-found: name the cause, and the piece of evidence that proves it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.checks import Check, Finding, failed, passed
from grader.exercises.bank import hidden_bank
from grader.exercises.ch05_build_and_load.asking import ask, named, what_it_holds
from grader.exercises.ch05_build_and_load.cases import BANK, CAUSES, KEYS, Case, read, renaming, visible, visible_text
from grader.exercises.python import PythonPlan

CHAPTER, FUNCTION = "05_build_and_load", "cause"
TRIPLE = ("name", "version", "namespace")

# Where to look for each cause: what the evidence shows that no other cause would.
SHOWN = {
    "not-loaded": "`steps` has no {file} that is still loaded when the process asks",
    "does-not-load": "no step got a handle for {file}, and `linker` says why",
    "no-entry-point": "loadLibrary gave null though the linker opens {file}: compare `exports` with what it looks for",
    "no-registrar": "dlopen gave a handle, and yet `registry` holds nothing that came with {file}",
    "refused": "loadLibrary gave null though {file} opens and exports both: compare `creators` with `registry`",
    "other-triple": "`registry` does hold a creator of {file}: compare its triple with the one that is asked for",
}
# theme: misconception, group, sentence
THEMES = {
    "not-loaded": ("known-everywhere", "library", "A library that this process has not loaded is told."),
    "does-not-load": ("linked-so-loads", "library", "A library that the dynamic linker refuses is told."),
    "no-entry-point": ("in-the-source", "library", "Entry points that loadLibrary does not find are told."),
    "no-registrar": ("opened-is-registered", "registry", "A library that opens and registers nothing is told."),
    "refused": ("one-by-one", "registry", "A library that is refused for a taken triple is told."),
    "other-triple": ("name-is-enough", "registry", "A creator under another name, version or namespace is told."),
    "others-trouble": ("first-oddity", "care", "Of several things that look odd, the one that matters is told."),
    "unheard": ("log-tells-all", "care", "The cause is found where no log was kept, too."),
}  # fmt: skip


def _hidden(rng) -> tuple[Case, ...]:
    """Those of the bank, and the visible ones under other names (all that there is where the course has no bank)."""
    bank = hidden_bank(CHAPTER, BANK)
    return (*read(visible_text(), renaming(rng)), *(read(bank) if bank else ()))


def _ask(bench, cases: Sequence[Case]) -> list | Finding:
    return ask(bench, FUNCTION, cases, [(dict(case.evidence),) for case in cases])


def _problem(answer) -> str | None:
    """What is wrong with the form of one answer."""
    if not (isinstance(answer, tuple | list) and len(answer) == 2 and all(isinstance(part, str) for part in answer)):
        return f"it returned {str(answer)[:80]}, which is not a pair (cause, key) of two texts"
    if answer[0] not in CAUSES:
        return f"{answer[0][:40]!r} is none of the six causes {', '.join(CAUSES)}"
    if answer[1] not in KEYS:
        return f"{answer[1][:40]!r} is no key of the evidence"
    return None


def _shown(case: Case) -> tuple[str, str]:
    """What shows the cause; what the evidence says there, of a case that no notebook shows."""
    shown = SHOWN[case.cause].format(file=case.evidence["file"])
    keys = dict.fromkeys([*(TRIPLE if case.cause == "other-triple" else ()), "steps", *re.findall(r"`(\w+)`", shown)])
    return shown, what_it_holds(case, case.evidence, keys)


def _forms(cases: Sequence[Case], bench) -> Finding:
    answers = _ask(bench, cases)
    if isinstance(answers, Finding):
        return answers
    for case, answer in zip(cases, answers, strict=True):
        if problem := _problem(answer):
            return failed(f"{named(case)}: {problem}.", case=case.id)
    return passed(f"{len(cases)} cases")


def _theme(theme: str, cases: Sequence[Case], bench) -> Finding:
    """The causes of the cases of one theme; the keys are judged by ``proofs``."""
    answers = _ask(bench, cases)
    if isinstance(answers, Finding):
        return answers
    for case, answer in zip(cases, answers, strict=True):
        if case.theme != theme:
            continue
        if problem := _problem(answer):
            return failed(f"{named(case)}: {problem}.", case=case.id)
        if answer[0] != case.cause:
            shown, held = _shown(case)
            return failed(f"{named(case)}: your answer is {answer[0]}, but {shown}.{held}", case=case.id)
    return passed()


def _proofs(cases: Sequence[Case], bench) -> Finding:
    answers = _ask(bench, cases)
    if isinstance(answers, Finding):
        return answers
    for case, answer in zip(cases, answers, strict=True):
        if _problem(answer) or answer[0] != case.cause or answer[1] in case.proofs:
            continue  # of another cause its own check speaks
        if case.cause == "other-triple":
            why = "the proof is the part of the triple that differs: name, version or namespace"
        else:
            why = _shown(case)[0]
        return failed(
            f"{named(case)}: the cause {answer[0]} is right, but {answer[1]!r} does not prove it: {why}."
            f"{_shown(case)[1]}", case=case.id,
        )  # fmt: skip
    return passed()


def _check(id: str, find, **about) -> Check:
    """``find(cases, bench)`` on the visible cases, and with a hidden seed on the hidden ones."""
    return Check(
        id=id, run=lambda bench, rng: find(visible(), bench), seeded=True,
        run_hidden=lambda bench, rng: find(_hidden(rng), bench), **about,
    )  # fmt: skip


def _themed(theme: str) -> Check:
    misconception, group, sentence = THEMES[theme]
    return _check(
        theme, lambda cases, bench: _theme(theme, cases, bench), misconception=misconception, group=group,
        sentence=sentence, needs=("answers",), source="contract: the chain",
    )  # fmt: skip


PLAN = PythonPlan(
    function=FUNCTION, group="library",
    checks=(
        _check(
            "answers", _forms, misconception=None, group="library", needs=("defines",), source="contract: the answer",
            sentence=f"{FUNCTION}(evidence) returns one of the six causes, and a key of the evidence.",
        ),
        *map(_themed, THEMES),
        _check(
            "proofs", _proofs, misconception="plausible-is-proven", group="care", needs=("answers",),
            source="contract: the proof", sentence="The key is of the evidence that proves the cause.",
        ),
    ),
)  # fmt: skip
