"""decide: from what is known of an operator to the smallest change that helps."""

from __future__ import annotations

import difflib
import weakref

from grader.checks import Check, Finding, failed, passed
from grader.exercises.ch01_why_plugins.operators import DECISIONS, OperatorCard, hidden, visible
from grader.exercises.python import PythonBench, PythonPlan

FUNCTION = "decide"
# check: group, misconception, sentence
ASKED = {
    "fusion": ("taken", "slow-needs-plugin", "A native layer that can be merged is left to the builder."),
    "no-neighbour": ("taken", "merges-anyway", "A native layer with no wish for speed, or no neighbour, stays one."),
    "kernel": ("taken", "kernel-exists", "A native layer is taken even where somebody has a kernel."),
    "as-numbers": ("taken", "versions-as-text", "Versions are compared part by part: 10.9 is older than 10.14."),
    "data-dependent": ("taken", "data-needs-plugin", "A native layer is taken though its extents depend on the data."),
    "this-version": ("taken", "layer-anywhere", "A layer counts only if the version that the product runs has it."),
    "parser-asked": ("refused", "layer-is-enough", "A layer counts only if the parser takes the operator."),
    "rewrite": ("refused", "refused-needs-plugin", "A refused operator is rewritten if others compute the same."),
    "fixed-extents": ("refused", "sample-extents", "A rewrite that needs fixed extents counts only for those."),
    "lacks": ("refused", "almost-native", "A layer that does not do all of it is not the layer."),
    "nothing": ("refused", "always-a-way", "Where nothing computes it, it is a plugin."),
    "elementwise": ("cost", "every-pass-counts", "A chain of elementwise layers is taken: it is merged."),
    "bytes": ("cost", "combination-is-free", "Other chains are taken up to twice the least bytes, and not beyond."),
    "newer": ("versions", "version-is-fate", "A newer version that the product may use comes before a plugin."),
    "no-move": ("versions", "upgrade-at-will", "A newer version counts only if the product may use it."),
}  # fmt: skip

_answers: weakref.WeakKeyDictionary[PythonBench, dict] = weakref.WeakKeyDictionary()


def _ask(bench: PythonBench, which: str) -> dict[str, object] | Finding:
    """Decisions by card, asked for once: of the "visible" cards, the "hidden" ones, or the "renamed" visible ones."""
    asked = _answers.setdefault(bench, {})
    if which not in asked:
        ops = {id: dict(card.op) for id, card in _cards(which).items()}
        if which == "renamed":
            for number, op in enumerate(ops.values()):
                op |= {"name": f"Operator{number}", "does": "something"}
        found = bench.call(FUNCTION, *[(op,) for op in ops.values()])
        asked[which] = found if isinstance(found, Finding) else dict(zip(ops, found, strict=True))
    return asked[which]


def _cards(which: str) -> dict[str, OperatorCard]:
    return (hidden() or {}) if which == "hidden" else visible()


def _well_formed(bench, rng) -> Finding:
    found = _ask(bench, "visible")
    if isinstance(found, Finding):
        return found
    for id, decision in found.items():
        if decision not in DECISIONS:
            near = difflib.get_close_matches(str(decision)[:40].lower(), [each.lower() for each in DECISIONS], 1)
            meant = [f" Did you mean {each!r}?" for each in DECISIONS if each.lower() in near]
            return failed(
                f"{FUNCTION}() must return one of: {', '.join(DECISIONS)}. For {_about(visible()[id])} it returned "
                f"{repr(decision)[:100]}.{''.join(meant)}"
            )
    return passed()


def _check(check: str, which: str):
    def run(bench, rng) -> Finding:
        found = _ask(bench, which)
        if isinstance(found, Finding):
            return found
        cards = [card for card in _cards(which).values() if card.check == check]
        wrong = [_why(card, found[card.id]) for card in cards if not card.fits(found[card.id])]
        return failed("\n".join(wrong)) if wrong else passed()

    return run


def _why(card: OperatorCard, decision) -> str:
    said = str(decision)[:40]
    note = card.notes.get(said, "")
    return f"{_about(card)}: {said!r} does not fit. {note[:1].upper()}{note[1:]}{' ' if note else ''}{card.look}"


def _about(card: OperatorCard) -> str:
    """ "PReLU (target 8.6, newest 10.14, extents fixed)"."""
    op = card.op
    return f"{op['name']} (target {op['target']}, newest {op['newest']}, extents {op['extents']})"


def _names(bench, rng) -> Finding:
    plain, renamed = _ask(bench, "visible"), _ask(bench, "renamed")
    for found in (plain, renamed):
        if isinstance(found, Finding):
            return found
    for id, card in visible().items():
        if plain[id] != renamed[id]:
            return failed(
                f"{_about(card)}: you decide {plain[id]!r}, and {renamed[id]!r} for the same card under another name. "
                "Decide by what is known of an operator."
            )
    return passed()


def _checks() -> tuple[Check, ...]:
    form = Check(
        id="well-formed", misconception=None, group="taken", needs=("defines",), run=_well_formed,
        source="contract: the answer", sentence=f"{FUNCTION}(op) returns one of the six decisions.",
    )  # fmt: skip
    asked = [
        Check(
            id=id, misconception=misconception, group=group, run=_check(id, "visible"), run_hidden=_check(id, "hidden"),
            seeded=True, needs=("names",), source="contract: the order", sentence=sentence,
        )
        for id, (group, misconception, sentence) in ASKED.items()
    ]  # fmt: skip
    names = Check(
        id="names", misconception="by-name", group="versions", run=_names, needs=("well-formed",),
        source="contract: the card", sentence="The decision does not depend on the operator's name.",
    )  # fmt: skip
    return form, names, *asked


PLAN = PythonPlan(function=FUNCTION, checks=_checks(), group="taken")
