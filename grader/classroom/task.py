"""What judging one submission takes, as plain bytes: a task can be done in any process, on any machine.

A task names no student: a worker of somebody else's department learns answers and seeds, not whose they are. What comes
back are the verdicts, as JSON. The grading process alone knows to whom they belong, and alone writes.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass

from grader.verdict import Verdict
from grader.verdict.records import verdict_from_dict


@dataclass(frozen=True, kw_only=True)
class Task:
    """One submission of one chapter, or those exercises of it that must be judged."""

    chapter: str  # folder name
    exercises: tuple[str, ...]  # slugs
    files: dict[str, bytes]
    cells: dict[str, str]  # grade id -> source
    seeds: dict[str, int]  # slug -> seed of the hidden cases
    confinement: str | None  # a kind of grader.sandbox.confinement; None: the submissions are trusted
    gpu: bool = False  # an exercise needs a real one
    tell: bool = False  # what failed with hidden cases is told in full: for an instructor's eyes

    def to_bytes(self) -> bytes:
        data = dict(self.__dict__)
        data["files"] = {name: base64.b64encode(content).decode() for name, content in self.files.items()}
        return json.dumps(data).encode()

    @classmethod
    def from_bytes(cls, text: bytes) -> Task:
        data = json.loads(text)
        data["files"] = {name: base64.b64decode(content) for name, content in data["files"].items()}
        return cls(**{**data, "exercises": tuple(data["exercises"])})


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came of a task. What is in it was made by a worker, and is looked at again before it is a grade."""

    verdicts: dict[str, Verdict]  # by exercise
    seconds: float  # that the worker took
    log: str = ""  # what the grader's own modules had to report, for its maintainers; empty when all went well

    def to_bytes(self) -> bytes:
        verdicts = {slug: verdict.to_dict() for slug, verdict in self.verdicts.items()}
        return json.dumps({"verdicts": verdicts, "seconds": self.seconds, "log": self.log}).encode()

    @classmethod
    def from_bytes(cls, text: bytes) -> Answer:
        """``ValueError`` for what is not that."""
        try:
            data = json.loads(text)
            verdicts = {slug: verdict_from_dict(verdict) for slug, verdict in data["verdicts"].items()}
            return cls(verdicts=verdicts, seconds=float(data["seconds"]), log=str(data["log"]))
        except (KeyError, TypeError, AttributeError) as problem:
            raise ValueError(f"not an answer of a worker: {problem!r}") from None
