"""The record of one graded submission, and its file `results/STUDENT/ASSIGNMENT/result.json`.

It stays in the instructor's tree: it holds the seeds of the hidden cases. Feedback is made by `public.py`.
"""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from grader.classroom import durable
from grader.classroom.folder import KINDS, Note
from grader.verdict import Verdict
from grader.verdict.records import verdict_from_dict

SCHEMA = 3


@dataclass(frozen=True, kw_only=True)
class Result:
    """One submission, judged. `answers` is the hash of all that was taken; `keys` has for each exercise the hash of
    its answer, its seed and what judged it: while that is the same, so is the verdict."""

    assignment: str
    student: str
    graded: str  # UTC, ISO 8601
    run: str  # which run graded it
    answers: str
    keys: dict[str, str]  # exercise -> hash
    notes: tuple[Note, ...]
    seeds: dict[str, int]  # exercise -> seed of its hidden cases
    verdicts: dict[str, Verdict]  # exercise -> verdict
    unanswered: frozenset[str]  # answer cells that still hold the released text
    lost: frozenset[str]  # files and cells that could not be read
    missing: frozenset[str]  # files and cells that were not handed in

    @functools.cached_property
    def fingerprint(self) -> str:
        """A hash of what it says, whenever and however fast it was found out."""
        same = self._to_dict() | {"graded": "", "run": ""}
        same["verdicts"] = {slug: verdict | {"seconds": 0.0} for slug, verdict in same["verdicts"].items()}
        return hashlib.sha256(json.dumps(same, allow_nan=False).encode()).hexdigest()

    def to_json(self) -> str:
        """On one line: with line breaks Python takes ten times as long, which is most of what a result costs."""
        return json.dumps(self._to_dict(), allow_nan=False) + "\n"

    def _to_dict(self) -> dict:
        return {
            "schema": SCHEMA,
            "assignment": self.assignment,
            "student": self.student,
            "graded": self.graded,
            "run": self.run,
            "answers": self.answers,
            "keys": self.keys,
            "notes": [asdict(note) for note in self.notes],
            "seeds": self.seeds,
            "verdicts": {slug: verdict.to_dict() for slug, verdict in self.verdicts.items()},
            "unanswered": sorted(self.unanswered),
            "lost": sorted(self.lost),
            "missing": sorted(self.missing),
        }

    @classmethod
    def from_json(cls, text: str) -> Result:
        """Read a result back. `ValueError` says what does not fit."""
        data = json.loads(text)
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise ValueError(f"not a result of schema {SCHEMA}")
        try:
            notes = tuple(Note(n["kind"], n["what"], n["sentence"]) for n in data["notes"])
            if any(note.kind not in KINDS for note in notes):
                raise ValueError("a note is of an unknown kind")
            return cls(
                **{key: _text(data, key) for key in ("assignment", "student", "graded", "run", "answers")},
                keys={str(slug): str(key) for slug, key in data["keys"].items()},
                notes=notes,
                seeds={slug: int(seed) for slug, seed in data["seeds"].items()},
                verdicts={slug: verdict_from_dict(verdict) for slug, verdict in data["verdicts"].items()},
                unanswered=frozenset(data["unanswered"]),
                lost=frozenset(data["lost"]),
                missing=frozenset(data["missing"]),
            )
        except (KeyError, TypeError, AttributeError) as problem:
            raise ValueError(f"a field is missing or of the wrong type: {problem}") from None

    def write(self, path: Path) -> None:
        """Write the file whole or not at all, readable by its owner only."""
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        durable.write(path, self.to_json().encode())

    @classmethod
    def read(cls, path: Path) -> Result | None:
        """The result in a file; None if there is none, or none that can be read (then the work is graded
        again)."""
        try:
            return cls.from_json(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None


def _text(data: dict, key: str) -> str:
    if not isinstance(data[key], str):
        raise ValueError(f"field {key!r} must be text")
    return data[key]
