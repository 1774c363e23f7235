"""requirement-cards: which interface meets a requirement, and the declaration in TensorRT's headers that says so."""

from __future__ import annotations

import weakref
from collections.abc import Mapping

from grader.checks import Check, Finding, failed, passed
from grader.checks.beliefs import BeliefCheck
from grader.exercises.ch03_interface_families.browser import called, look_up, nearest, plain
from grader.exercises.ch03_interface_families.cards import CHOICES, Card, cards
from grader.exercises.ch03_interface_families.headers import Declaration, index
from grader.exercises.python import PythonBench, PythonPlan
from grader.toolchain.library import lacking
from grader.toolchain.tensorrt import tensorrt_include
from grader.verdict import State

FUNCTION = "choose"
GROUPS = {
    "planned": ("points", "out-size", "scratch", "two-kernels", "half-only"),
    "limits": ("kv-cache", "two-in-place", "bool-mask"),
    "living": ("per-context", "shared-table", "plan-8-6", "prototype"),
}
ENOUGH = len(cards()) // 2  # cards rightly chosen, below which there is no evidence to judge

_answers: weakref.WeakKeyDictionary[PythonBench, dict | Finding] = weakref.WeakKeyDictionary()


def _ask(bench: PythonBench) -> dict[str, tuple[str, str]] | Finding:
    """The learner's choices, asked for once; or the finding that says what is wrong with their form."""
    if bench not in _answers:
        values = bench.call(FUNCTION, ())
        if not isinstance(values, Finding):
            problem = _problem(values[0])
            values = failed(problem) if problem else {card: tuple(pair) for card, pair in values[0].items()}
        _answers[bench] = values
    return _answers[bench]


def _problem(answer) -> str | None:
    """What is wrong with the form of an answer, in a sentence."""
    if not isinstance(answer, dict):
        return f"{FUNCTION}() must return a dict: card -> (choice, evidence); it returned {type(answer).__name__}."
    names = [card.id for card in cards()]
    for card, pair in answer.items():
        if card not in names:
            return f"There is no card {card!r}. The cards are {', '.join(names)}."
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(part, str) for part in pair)):
            return f"{card}: a pair of texts is needed, (choice, evidence); there is {pair!r:.80}."
        if pair[0] and pair[0] not in CHOICES:
            return f"{card}: {pair[0]!r:.60} is no choice. The choices are {', '.join(CHOICES)}."
    return None


def _well_formed(bench, rng) -> Finding:
    answers = _ask(bench)
    if isinstance(answers, Finding):
        return answers
    chosen = sum(choice != "" for choice, _ in answers.values())
    if not chosen:
        return failed(
            f"No card has a choice yet. Begin with one that you are sure of: its choice is one of {', '.join(CHOICES)}."
        )
    return passed(f"{chosen} of {len(cards())} cards have a choice")


def _chosen(card: Card):
    def run(bench, rng) -> Finding:
        answers = _ask(bench)
        if isinstance(answers, Finding):
            return answers
        choice = answers.get(card.id, ("", ""))[0]
        if choice == card.choice:
            return passed(CHOICES[choice])
        if not choice:
            return failed(f"No choice yet for {card.id}: it is one of those that deck() shows.", no_belief=True)
        why = card.instead.get(choice, f"{CHOICES[choice]}: that does not meet it. Look at {card.looks}.")
        return failed(f"You chose {choice} for {card.id}. {why}")

    return run


def _judged(bench) -> list[tuple[Card, str]] | Finding:
    """Cards that are rightly chosen, with their evidence."""
    answers = _ask(bench)
    if isinstance(answers, Finding):
        return answers
    right = [(card, answers[card.id][1]) for card in cards() if answers.get(card.id, ("",))[0] == card.choice]
    if len(right) < ENOUGH:
        few = f"{len(right)} card{' is' if len(right) == 1 else 's are'} rightly chosen."
        return failed(f"{few} Evidence is looked at from {ENOUGH} on, and only of those.", no_belief=True)
    return right


def _exists(bench, rng) -> Finding:
    right, known = _judged(bench), _known()
    for problem in (right, known):
        if isinstance(problem, Finding):
            return problem
    for card, evidence in right:
        name = plain(evidence)
        if not name:
            return failed(
                f"{card.id} has no evidence yet: the name of a declaration, such as IPluginV3::clone.", no_belief=True
            )
        if _declared(name, known) is not None:
            continue
        if several := called(name, known):
            return failed(
                f"{card.id}: {len(several)} declarations are called {name:.80}. Which of them decides? Write it as "
                f"`declarations(\"{name:.80}\")` shows it, with its class in front.", no_belief=True
            )  # fmt: skip
        near = nearest(name, known)
        return failed(
            f"{card.id}: the headers on this machine declare no {name:.80}."
            + (f" Declared are {', '.join(near)}." if near else " declarations(...) in the notebook finds names.")
        )
    return passed()


def _declared(name: str, known: Mapping[str, Declaration]) -> Declaration | None:
    """What is declared under a name; its class may be left out where only one has it."""
    several = called(name, known)
    return look_up(name, known) or (several[0] if len(several) == 1 else None)


def _decides(bench, rng) -> Finding:
    right, known = _judged(bench), _known()
    for problem in (right, known):
        if isinstance(problem, Finding):
            return problem
    for card, evidence in right:
        one = _declared(plain(evidence), known)
        if one is not None and one.name not in card.evidence:  # one that is not there is the other check's
            why = f"{card.beside[one.name]} " if one.name in card.beside else ""
            return failed(
                f"{card.id}: {one.name} is declared ({one.file}, line {one.line}), and it does not decide this card. "
                f"{why}Look for {card.looks}."
            )
    return passed()


def _known():
    folder = tensorrt_include()
    if folder is None:
        return failed(lacking("TensorRT's headers were"), state=State.UNSUPPORTED_HERE)
    return index(folder)


def _checks() -> tuple[Check, ...]:
    group_of = {card: group for group, ids in GROUPS.items() for card in ids}
    chosen = [
        BeliefCheck(
            id=card.id, misconception=card.misconception, group=group_of[card.id], run=_chosen(card),
            needs=("well-formed",), source="contract: choice",
            sentence=f"The card {card.id} has the interface that meets it.",
        )
        for card in cards()
    ]  # fmt: skip
    return (
        Check(
            id="well-formed", misconception=None, group="planned", run=_well_formed, needs=("defines",),
            source="contract: answer", sentence=f"{FUNCTION}() returns a dict of cards, each with (choice, evidence).",
        ),
        *chosen,
        BeliefCheck(
            id="evidence-exists", misconception="from-memory", group="evidence", run=_exists, needs=("well-formed",),
            source="contract: evidence", sentence="Every evidence names a declaration of the headers on this machine.",
        ),
        BeliefCheck(
            id="evidence-decides", misconception="near-enough", group="evidence", run=_decides,
            needs=("well-formed",), source="contract: evidence",
            sentence="Every evidence is a declaration that decides its card.",
        ),
    )  # fmt: skip


PLAN = PythonPlan(function=FUNCTION, checks=_checks(), group="planned")
