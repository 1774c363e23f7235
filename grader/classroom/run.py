"""The record of a grading run that is not over: what it was to grade, and how, so that it can be resumed.

It lies in `results/run.json` from the moment a run begins until it is whole. Which submissions are done is not in it:
that is found out from the results themselves.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from grader.classroom import durable
from grader.classroom.errors import ClassroomError
from grader.classroom.tree import ClassTree

SCHEMA = 1


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of `grader autograde`. `asked` are the command's options by name, as plain data."""

    assignments: tuple[str, ...]
    student: str  # a name or a pattern
    asked: dict[str, Any]
    id: str = field(default_factory=lambda: secrets.token_hex(4))

    def write(self, tree: ClassTree) -> None:
        durable.write(_path(tree), json.dumps({"schema": SCHEMA, **asdict(self)}, indent=1).encode())

    @classmethod
    def read(cls, tree: ClassTree) -> Run:
        """The run that was interrupted. `ClassroomError` where there is none, or its record is damaged."""
        try:
            data = json.loads(_path(tree).read_bytes())
            if data.pop("schema") != SCHEMA:
                raise ValueError("its schema is another")
            return cls(**{**data, "assignments": tuple(data["assignments"])})
        except FileNotFoundError:
            raise ClassroomError(
                "there is nothing to resume: no run of this class was interrupted after it had begun to grade. Run the "
                "command as it was, with its options and without --resume; unless they have --force, what has not "
                "changed is not graded again"
            ) from None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
            raise ClassroomError(
                f"{_path(tree)} cannot be read ({problem}). Run the command as it was, without --resume; what has not "
                "changed is not graded again unless it has --force"
            ) from None

    @staticmethod
    def clear(tree: ClassTree) -> None:
        """The run is whole."""
        _path(tree).unlink(missing_ok=True)


def _path(tree: ClassTree) -> Path:
    return tree.root / "results" / "run.json"
