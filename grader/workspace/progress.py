"""What a learner has reached: `my/.grader/progress.json`, keyed by an exercise's slug and revision.

A new revision of an exercise starts afresh, and what the old one reached stays on record.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from grader.course import Exercise
from grader.verdict import State, Verdict
from grader.workspace.files import new_timestamped, read_or_none, write_atomically
from grader.workspace.folder import Workspace, containing

SCHEMA = 1


@dataclass
class Entry:
    """What one revision of an exercise has seen. States are the words of `State`; times are UTC, ISO 8601."""

    best_state: str | None = None
    best_earned: float = 0.0
    best_possible: float = 0.0
    last_state: str | None = None
    attempts: int = 0
    hints: int = 0
    first_pass: str | None = None

    @property
    def passed(self) -> bool:
        return self.best_state == State.PASS


@dataclass
class Progress:
    """All entries. `notice` is a sentence for the learner when the file could not be read."""

    entries: dict[tuple[str, int], Entry]
    notice: str | None = None

    def of(self, exercise: Exercise) -> Entry:
        """The entry of the exercise's present revision, an empty one where there is none yet."""
        return self.entries.get((exercise.slug, exercise.revision), Entry())


def load(workspace: Workspace) -> Progress:
    """Read the progress. A file that cannot be read is moved aside, and `notice` says where to."""
    path = workspace.progress_file
    data = read_or_none(path)
    if data is None:
        return Progress({})
    try:
        return Progress(_parse(json.loads(data)))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        aside = new_timestamped(path.parent / "progress.json.unreadable")
        aside.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):  # another process may have moved it already
            path.replace(aside)
        return Progress(
            {}, f"the record of your progress could not be read and starts anew; the old file is {aside}"
        )


def record(verdict: Verdict, directory: Path) -> str | None:
    """Note an attempt at an exercise, if `directory` lies in a workspace. Returns a notice to show, or None.

    Trouble with the record must not cost the learner a verdict: it becomes a notice.
    """
    workspace = containing(directory)
    if workspace is None:
        return None

    def attempt(entry: Entry) -> None:
        entry.attempts += 1
        entry.last_state = verdict.state
        rank = (verdict.passed, verdict.earned)
        if entry.best_state is None or rank > (entry.passed, entry.best_earned):
            entry.best_state, entry.best_earned = verdict.state, verdict.earned
            entry.best_possible = verdict.possible
        if verdict.passed and entry.first_pass is None:
            entry.first_pass = datetime.now(UTC).isoformat(timespec="seconds")

    return _change(workspace, (verdict.exercise, verdict.revision), attempt)[1]


def take_hint(exercise: Exercise, workspace: Workspace) -> tuple[int, str | None]:
    """Count one more hint. Returns how many are taken now, at most all there are, and a notice or None."""

    def take(entry: Entry) -> None:
        entry.hints = min(entry.hints + 1, len(exercise.hints))

    entry, notice = _change(workspace, (exercise.slug, exercise.revision), take)
    return entry.hints, notice


def _change(workspace: Workspace, key: tuple[str, int], change) -> tuple[Entry, str | None]:
    try:
        with _locked(workspace):
            progress = load(workspace)
            entry = progress.entries.setdefault(key, Entry())
            change(entry)
            write_atomically(workspace.progress_file, _dump(progress))
            return entry, progress.notice
    except OSError as error:
        entry = Entry()
        change(entry)
        return entry, f"your progress could not be recorded: {error}"


@contextlib.contextmanager
def _locked(workspace: Workspace) -> Iterator[None]:
    """One writer at a time: a notebook and a terminal may both check."""
    workspace.records.mkdir(parents=True, exist_ok=True)
    with open(workspace.records / "progress.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _dump(progress: Progress) -> bytes:
    exercises: dict[str, dict[str, Any]] = {}
    for (slug, revision), entry in sorted(progress.entries.items()):
        exercises.setdefault(slug, {})[str(revision)] = asdict(entry)
    return (json.dumps({"schema": SCHEMA, "exercises": exercises}, indent=1) + "\n").encode()


def _parse(data: Any) -> dict[tuple[str, int], Entry]:
    if data["schema"] != SCHEMA:
        raise ValueError(f"schema {data['schema']!r}")
    return {
        (slug, int(revision)): _entry(entry)
        for slug, revisions in data["exercises"].items()
        for revision, entry in revisions.items()
    }


def _entry(data: dict[str, Any]) -> Entry:
    entry = Entry(**data)
    for f in fields(Entry):
        value = getattr(entry, f.name)
        wanted = {"int": int, "float": (int, float), "str | None": (str, type(None))}[str(f.type)]
        if not isinstance(value, wanted) or isinstance(value, bool):
            raise ValueError(f"{f.name}: {value!r}")
    return entry
