"""The record of one graded submission, and its file `results/STUDENT/ASSIGNMENT/result.json`.

It stays in the instructor's tree: it holds the seeds of the hidden cases. Feedback is made by `public.py`.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from grader.classroom.folder import KINDS, Note
from grader.verdict import Verdict
from grader.verdict.records import verdict_from_dict

SCHEMA = 2


@dataclass(frozen=True, kw_only=True)
class Result:
    """One submission, judged. `answers` is the hash of what was taken, `fingerprint` also of what judged
    it."""

    assignment: str
    student: str
    graded: str  # UTC, ISO 8601
    answers: str
    fingerprint: str
    notes: tuple[Note, ...]
    seeds: dict[str, int]  # exercise -> seed of its hidden cases
    verdicts: dict[str, Verdict]  # exercise -> verdict
    unanswered: frozenset[str]  # answer cells that still hold the released text
    lost: frozenset[str]  # files and cells that could not be read
    missing: frozenset[str]  # files and cells that were not handed in

    def to_json(self) -> str:
        data = {
            "schema": SCHEMA,
            "assignment": self.assignment,
            "student": self.student,
            "graded": self.graded,
            "answers": self.answers,
            "fingerprint": self.fingerprint,
            "notes": [asdict(note) for note in self.notes],
            "seeds": self.seeds,
            "verdicts": {slug: json.loads(verdict.to_json()) for slug, verdict in self.verdicts.items()},
            "unanswered": sorted(self.unanswered),
            "lost": sorted(self.lost),
            "missing": sorted(self.missing),
        }
        return json.dumps(data, indent=1, allow_nan=False) + "\n"

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
                **{
                    key: _text(data, key)
                    for key in ("assignment", "student", "graded", "answers", "fingerprint")
                },
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
        part = path.with_name(path.name + ".part")
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(self.to_json())
        part.replace(path)

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
