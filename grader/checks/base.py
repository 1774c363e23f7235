"""What a check is: an id, a sentence, the misconception that it owns, and a function that finds out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from grader.verdict import CheckResult, State

LONGEST_MESSAGE = 4000  # characters; an answer's own words may stand in it


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What one run of a check found. There is no default state: a check has to say that it passed."""

    state: State
    message: str = ""
    detail: dict[str, Any] = field(default_factory=dict)


def passed(message: str = "", **detail) -> Finding:
    return Finding(state=State.PASS, message=message, detail=detail)


def failed(message: str, *, state: State = State.FAIL, **detail) -> Finding:
    return Finding(state=state, message=message, detail=detail)


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that a learner's answer must do.

    ``run`` takes the bench of the exercise (``grader.exercises.bench``) and a random generator, and returns a
    ``Finding``. A ``seeded`` check draws its cases from the generator, so that hidden seeds make hidden
    cases; where hidden cases are not drawn as the visible ones are (they come out of a bank, say), ``run_hidden`` is
    run in place of ``run`` with a hidden seed. ``needs`` names checks that must have passed before this one says
    anything useful.
    """

    id: str
    sentence: str  # what is verified, for the learner: "Elements whose mask is 0 become 0, whatever x holds."
    misconception: str | None  # an id of the exercise's chapter.toml
    group: str  # the group of points it belongs to
    run: Callable[[Any, Any], Finding]
    seeded: bool = False
    run_hidden: Callable[[Any, Any], Finding] | None = None
    needs: tuple[str, ...] = ()
    source: str = ""  # where the rule stands: a section of the CUDA guide, a header, a contract row

    def result(self, finding: Finding, *, hidden: bool = False, reveal: bool = True) -> CheckResult:
        """The public record of a finding; what a hidden case held stays hidden unless ``reveal``."""
        redact = hidden and not reveal and finding.state is not State.PASS
        return CheckResult(
            check=self.id,
            state=finding.state,
            sentence=self.sentence,
            message="A hidden case does not fulfil this." if redact else finding.message[:LONGEST_MESSAGE],
            misconception=self.misconception,
            group=self.group,
            hidden=hidden,
            source=self.source,
            detail={} if redact else finding.detail,
        )

    def blocked(self, by: str, state: State) -> CheckResult:
        """The record of a check that could not run because check ``by`` ended in ``state``."""
        message = f"Not run: it needs “{by}” to pass first."
        result = self.result(Finding(state=state, message=message))
        return dataclasses.replace(result, blocked_by=by)
