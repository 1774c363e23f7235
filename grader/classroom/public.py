"""What a student may read of a verdict, as plain text records. The one filter between results and feedback.

Of a hidden case nothing passes but its check's sentence and the misconception's: no message, no shape, no
value, no seed. Of a fault in the grader nothing passes but that it happened.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from grader.classroom.result import Result
from grader.classroom.scores import absent_sentence, answer_parts, faulty, nothing_to_judge, shown_state
from grader.course import Exercise
from grader.verdict import CheckResult, State, Verdict

WORDS = {
    State.PASS: "passed",
    State.FAIL: "not passed",
    State.ERROR: "error",
    State.CRASH: "crashed",
    State.TIMEOUT: "took too long",
    State.OUT_OF_MEMORY: "needed too much memory",
    State.UNSUPPORTED_HERE: "waits for a grade",
    State.GRADER_FAULT: "the grader failed",
}
FAULT = "The grader itself failed here. It costs you no points, and your instructor has been told."
_CASE_FACTS = ("label", "shape", "index", "got", "expected", "block", "thread")
_LONGEST_FACT = 200
_MOST_DIAGNOSTICS = 8


@dataclass(frozen=True)
class PublicCheck:
    """One check: what it verifies, how it ended, what was found, and the misconception behind it."""

    passed: bool
    state: str  # in words
    sentence: str
    message: str = ""
    misconception: str = ""
    facts: tuple[tuple[str, str], ...] = ()  # of the smallest visible failing case; its label has the name ""
    diagnostics: tuple[str, ...] = ()  # of the compiler, at the student's lines
    waits_for: str = ""  # the sentence of the check that must pass before this one can run; it has not run


@dataclass(frozen=True)
class PublicVerdict:
    """One exercise as its student sees it."""

    title: str
    slug: str
    state: str  # in words
    passed: bool
    earned: float
    points: float  # all of the exercise
    pending: float  # of them, still to be graded by a person or elsewhere
    checks: tuple[PublicCheck, ...]
    hidden: str  # one sentence about the hidden cases, "" if none was reached


def public_result(exercise: Exercise, result: Result) -> PublicVerdict:
    """How one exercise of a submission went, for its student. What could not be read was not judged: no
    check of the released text that stood in its place is shown."""
    public = public_verdict(exercise, result.verdicts[exercise.slug])
    lost = bool(result.lost.intersection(answer_parts(exercise)))
    if not lost and not nothing_to_judge(exercise, result):
        return public
    waiting = max(public.points - public.earned, 0.0)
    state = "could not be read" if lost else "not handed in"
    sentence = f"{absent_sentence(exercise, result)[:-1]}, so there was nothing to check. Your instructor sees this."
    return replace(public, state=state, pending=waiting, checks=(), hidden=sentence)


def public_verdict(exercise: Exercise, verdict: Verdict) -> PublicVerdict:
    """The part of a verdict that its student may read."""
    texts = {m.id: m.text for m in exercise.misconceptions}
    checks = {check.check: check for check in verdict.checks}
    fault = faulty(verdict)
    pending = max(exercise.points - verdict.earned, 0.0) if fault else verdict.pending
    return PublicVerdict(
        title=exercise.title,
        slug=exercise.slug,
        state=WORDS[shown_state(verdict)],
        passed=verdict.passed,
        earned=verdict.earned,
        points=exercise.points,
        pending=pending,
        checks=tuple(_public_check(check, texts, checks) for check in verdict.checks),
        hidden=hidden_sentence(verdict),
    )


def hidden_sentence(verdict: Verdict) -> str:
    """How the hidden cases went, in one sentence that tells nothing about them; "" if no check got to them."""
    failed = sum(check.hidden and check.state is not State.PASS for check in verdict.checks)
    visible_failed = any(not check.hidden and check.state is not State.PASS for check in verdict.checks)
    if failed:
        noun = "check passed with the cases that you can see and failed" if failed == 1 else (
            "checks passed with the cases that you can see and failed"
        )  # fmt: skip
        return f"Hidden cases: {failed} {noun} with others of the same kind."
    if not any(check.state is State.PASS for check in verdict.checks):
        return ""
    if visible_failed:
        return "Hidden cases: none failed among the checks that passed; the other checks did not get that far."
    return "Hidden cases: all passed."


def _public_check(check: CheckResult, texts: dict[str, str], checks: dict[str, CheckResult]) -> PublicCheck:
    passed = check.state is State.PASS
    misconception = "" if passed else texts.get(check.misconception or "", "") or str(check.detail.get("belief", ""))
    if check.state is State.GRADER_FAULT:
        return PublicCheck(False, WORDS[check.state], check.sentence, FAULT)
    if check.hidden and not passed:
        message = "Passed with the cases that you can see, not with a hidden one."
        return PublicCheck(False, "not passed in a hidden case", check.sentence, message, misconception)
    if check.blocked_by:
        return PublicCheck(False, "not run", check.sentence, waits_for=_first_blocker(check, checks))
    message = "" if passed else check.message
    facts, diagnostics = ((), ()) if passed else (_facts(check.detail), _diagnostics(check))
    return PublicCheck(passed, WORDS[check.state], check.sentence, message, misconception, facts, diagnostics)


def _first_blocker(check: CheckResult, checks: dict[str, CheckResult]) -> str:
    """The sentence of the check that everything before `check` waits for."""
    seen = set()
    while check.blocked_by in checks and check.blocked_by not in seen:
        seen.add(check.blocked_by)
        check = checks[check.blocked_by]
    return check.sentence if seen else (check.blocked_by or "")


def _facts(detail: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    case = detail.get("case")
    if not isinstance(case, dict):
        return ()
    found = [(key, case[key]) for key in _CASE_FACTS if case.get(key) not in (None, "")]
    return tuple(("" if key == "label" else key, _fact(value)) for key, value in found)


def _fact(value: Any) -> str:
    text = " x ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return text[:_LONGEST_FACT]


def _diagnostics(check: CheckResult) -> tuple[str, ...]:
    """What the compiler said, unless the check's message says just that."""
    items, found = check.detail.get("diagnostics") or (), []
    if len(items) == 1 and isinstance(items[0], dict) and str(items[0].get("message")) in check.message:
        return ()
    for item in items:
        if isinstance(item, dict) and item.get("message"):
            place = ":".join(str(item[key]) for key in ("file", "line") if item.get(key))
            found.append(f"{place}: {item.get('severity', 'error')}: {item['message']}"[:500].lstrip(": "))
    return tuple(found[:_MOST_DIAGNOSTICS])
