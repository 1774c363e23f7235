"""log-cards: the root cause of twelve logs, and the line of each that proves it."""

from __future__ import annotations

import dataclasses
import difflib
import re
import weakref

from grader.checks import Check, Finding, failed, passed
from grader.exercises.ch01_why_plugins.cards import LogCard, causes, log_cards
from grader.exercises.python import PythonBench, PythonPlan
from grader.verdict import CheckResult

FUNCTION = "causes"
SHOWN = 90  # characters of a line that are quoted in a message

GROUPS = {
    "not-found": ("voxel", "roi", "skip", "round"),
    "refused": ("antialias", "training", "branch", "weights"),
    "elsewhere": ("types", "reshape", "profile", "fresh"),
}
# What somebody believes who takes the cause of this card for one of those.
BELIEFS = {
    "voxel": ("onnx-is-onnx", ("older-than-operator",)),
    "roi": ("found-by-name", ("no-implementation", "library-not-loaded")),
    "skip": ("not-found-write-it", ("no-implementation",)),
    "round": ("never-supported", ("no-implementation",)),
    "antialias": ("refused-is-missing", ("no-implementation",)),
    "training": ("refusal-is-a-gap", ("option-not-supported",)),
    "branch": ("blamed-node", ("control-flow",)),
    "weights": ("one-file", ("no-implementation", "option-not-supported")),
    "types": ("types-convert", ("no-implementation", "option-not-supported")),
    "reshape": ("any-batch", ("no-profile", "option-not-supported")),
    "profile": ("parsed-is-built", ("no-implementation", "option-not-supported")),
    "fresh": ("registered-once", ("no-implementation", "asked-for-another")),
}
# What somebody believes who takes such a line for a proof; the pattern is looked for in the line.
LINES = {
    "not-found": ("last-line", r"Plugin not found, are|returned (False|None)"),
    "refused": ("where-for-why", r"[Pp]arsing node|Node name:|Begin node|doesn't support mode"),
    "elsewhere": ("first-error", r"^\[V\]|could not find plugin"),
}

_answers: weakref.WeakKeyDictionary[PythonBench, object] = weakref.WeakKeyDictionary()


class CardCheck(Check):
    """Tells its belief only to an answer that speaks of it: not to an open one, nor to one that is wrong otherwise."""

    def result(self, finding: Finding, **how) -> CheckResult:
        result = super().result(finding, **how)
        return result if finding.detail.get("believed", True) else dataclasses.replace(result, misconception=None)


def _ask(bench: PythonBench) -> dict[str, tuple[str, int]] | Finding:
    """The answer, asked for once: by card a cause and a line; or the finding that says what is wrong with its form."""
    if bench not in _answers:
        found = bench.call(FUNCTION, ())
        if not isinstance(found, Finding):
            problem = _problem(found[0])
            found = failed(problem) if problem else {card: tuple(pair) for card, pair in found[0].items()}
        _answers[bench] = found
    return _answers[bench]


def _problem(answer) -> str | None:
    """What is wrong with the form of the answer, in a sentence."""
    if not isinstance(answer, dict):
        return f"{FUNCTION}() must return a dictionary: {{card: (cause, line)}}. It returned {type(answer).__name__}."
    for card, pair in answer.items():
        if card not in log_cards():
            return f"There is no card {card!r}.{_nearest(card, log_cards())}"
        if not (isinstance(pair, tuple | list) and len(pair) == 2):
            return f"Card {card!r} needs a pair, (cause, line). It has {pair!r}."[:300]
        cause, line = pair
        if not isinstance(cause, str) or type(line) is not int:
            said = f"They are {cause!r} and {line!r}."[:200]
            return f"Card {card!r}: the cause is a text and the line a whole number. {said}"
        if cause and cause not in causes():
            return f"Card {card!r}: there is no cause {cause!r}.{_nearest(cause, causes())}"
        if not 0 <= line <= len(log_cards()[card].lines):
            return f"Card {card!r} has lines 1 to {len(log_cards()[card].lines)}; you named line {line}."
    return None


def _nearest(word, known) -> str:
    found = difflib.get_close_matches(str(word), list(known), 1)
    return f" Did you mean {found[0]!r}?" if found else f" There are: {', '.join(known)}."


def _well_formed(bench, rng) -> Finding:
    answer = _ask(bench)
    return answer if isinstance(answer, Finding) else passed(f"{len(answer)} cards answered")


def _cause(card: LogCard):
    def run(bench, rng) -> Finding:
        answer = _ask(bench)
        if isinstance(answer, Finding):
            return answer
        cause, _ = answer.get(card.id, ("", 0))
        if not cause:
            return failed(f"Card {card.id} has no cause yet.", believed=False)
        if card.has_cause(cause):
            return passed()
        why = card.cause_notes.get(cause, "no line of this log speaks of that.")
        return failed(f"Card {card.id}: {cause} does not fit. {_capital(why)}", believed=cause in BELIEFS[card.id][1])

    return run


def _lines(ids: tuple[str, ...], tempting: str):
    def run(bench, rng) -> Finding:
        answer = _ask(bench)
        if isinstance(answer, Finding):
            return answer
        open_ones = [id for id in ids if not answer.get(id, ("", 0))[1]]
        cards = [log_cards()[id] for id in ids if id not in open_ones]
        wrong = [about for card in cards if (about := _about_line(card, *answer[card.id]))]
        named = [card.lines[line - 1] for card in cards if not card.has_line(line := answer[card.id][1])]
        told = [*wrong, f"No line yet for {', '.join(open_ones)}."] if open_ones else wrong
        return failed("\n".join(told), believed=any(re.search(tempting, line) for line in named)) if told else passed()

    return run


def _about_line(card: LogCard, cause: str, line: int) -> str:
    """Why this line does not prove the cause of the card; "" if it does."""
    if card.has_line(line):
        return ""
    text = card.lines[line - 1]
    quoted = text if len(text) <= SHOWN else f"{text[: SHOWN - 2].rstrip()} …"
    note = card.line_notes.get(line, "With another cause it could stand there just as well. Which line could not?")
    right = "the cause is right. " if card.has_cause(cause) else ""
    return f"Card {card.id}: {right}{'L' if right else 'l'}ine {line} does not prove it: “{quoted}” {note}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _checks() -> tuple[Check, ...]:
    form = Check(
        id="well-formed", misconception=None, group="not-found", needs=("defines",), run=_well_formed,
        source="contract: the answer",
        sentence=f"{FUNCTION}() returns a dictionary: for each card a pair of cause and line.",
    )  # fmt: skip
    by_cause = [
        CardCheck(
            id=f"cause-{card.id}", misconception=BELIEFS[card.id][0], group=group, run=_cause(card),
            needs=("well-formed",), source=f"the card, made by {card.made}" if "#" not in card.made else card.made,
            sentence=f"The cause of card {card.id} ({card.title}).",
        )
        for group, ids in GROUPS.items()
        for card in map(log_cards().get, ids)
    ]  # fmt: skip
    by_line = [
        CardCheck(
            id=f"lines-{group}", misconception=belief, group="lines", run=_lines(GROUPS[group], tempting),
            needs=("well-formed",), source="contract: the line",
            sentence=f"The lines that prove the causes of {', '.join(GROUPS[group])}.",
        )
        for group, (belief, tempting) in LINES.items()
    ]  # fmt: skip
    return form, *by_cause, *by_line


PLAN = PythonPlan(function=FUNCTION, checks=_checks(), group="not-found")
