"""Puts a hand-in into `submitted/STUDENT/ASSIGNMENT/`: whole or not at all, and what was there before is kept.

What is replaced goes to `submitted_before/STUDENT/ASSIGNMENT/TIME/`. A hand-in is made ready in
`submitted_before/.ready/`, the earlier one is moved away, then the ready one is moved in; each step is done or not.
`recover` ends what a kill between the last two left. What was placed is noted last (`Origin.placed`): a kill before
that leaves files that count as put there by hand until the same hand-in is taken in again, which loses nothing. Nothing
waits for the disk: what a power failure takes is in the source still, and taking in again compares every byte.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path

from grader.classroom import folder
from grader.classroom.errors import ClassroomError
from grader.classroom.folder import KINDS, Note, Unreadable
from grader.classroom.intake import times
from grader.classroom.intake.folders import STAMP
from grader.classroom.intake.handin import Sender
from grader.classroom.tree import ClassTree

SCHEMA = 1
_READY, _JOINER = ".ready", "+"  # no folder of a student or of an assignment holds a "+"


@dataclass(frozen=True)
class Origin:
    """Where a submission came from: `results/STUDENT/ASSIGNMENT/handed_in.json`. It tells which of two hand-ins is the
    newer, and to whom a platform's feedback goes back.

    `placed` are the files that were put there from a source last, name -> hash; None in a record from before there was
    any. `seen` are all that ever came, name -> hash -> the source's name.
    """

    sender: Sender
    as_of: datetime
    late: bool = False
    notes: tuple[Note, ...] = ()
    placed: dict[str, str] | None = field(default_factory=dict)
    seen: dict[str, dict[str, str]] = field(default_factory=dict)

    def write(self, path: Path) -> None:
        data = {
            "schema": SCHEMA, "sender": asdict(self.sender), "as_of": self.as_of.isoformat(), "late": self.late,
            "notes": [asdict(note) for note in self.notes], "placed": self.placed, "seen": self.seen,
        }  # fmt: skip
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = path.with_name(f".{path.name}.part")
        part.write_text(json.dumps(data, indent=1) + "\n")
        part.chmod(0o600)
        part.replace(path)

    @classmethod
    def read(cls, path: Path) -> Origin | None:
        """None if there is none that can be read."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            notes = tuple(Note(n["kind"], n["what"], n["sentence"]) for n in data["notes"] if n["kind"] in KINDS)
            placed = data.get("placed")
            return cls(
                Sender(**data["sender"]), datetime.fromisoformat(data["as_of"]), bool(data["late"]), notes,
                None if placed is None else dict(placed),
                {name: dict(hashes) for name, hashes in data.get("seen", {}).items()},
            )  # fmt: skip
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None


def origin_path(tree: ClassTree, student: str, assignment: str) -> Path:
    return tree.result(student, assignment).with_name("handed_in.json")


def present(tree: ClassTree, student: str, assignment: str, wanted: set[str]) -> dict[str, bytes] | None:
    """What lies there now of what counts: the `wanted` files, notebooks and nbgrader's time. None: nothing was handed
    in. `ClassroomError` where a link stands in its place."""
    if tree.is_linked(student, assignment):
        raise ClassroomError("a link stands in place of the folder in submitted/ and is not followed")
    path = tree.submitted(student, assignment)
    if not path.is_dir():
        return None
    found = {}
    for name in folder.list_files(path):
        if name in wanted or name == STAMP or name.endswith(".ipynb"):
            try:
                found[name] = folder.read_file(path / name, folder.LARGEST_NOTEBOOK)
            except Unreadable:
                found[name] = b""
    return found


def age(origin: Origin | None, there: dict[str, bytes]) -> datetime | None:
    """As of when the submission is that lies there; None where nothing tells, as for files put there by hand."""
    if origin:
        return origin.as_of
    return times.parse(there[STAMP].decode("ascii", "replace")) if STAMP in there else None


def place(
    tree: ClassTree, student: str, assignment: str, files: dict[str, bytes], before: datetime | None, mark: str = ""
) -> Path | None:
    """Make `files` the submission. What was there is kept under the time `before` and a `mark`; returns where."""
    ready = _ready(tree) / f"{student}{_JOINER}{assignment}"
    part = ready.with_name(f".{ready.name}.part")
    for left in (part, ready):
        shutil.rmtree(left, ignore_errors=True)
    part.mkdir(mode=0o755)
    for name, data in files.items():
        (part / name).parent.mkdir(parents=True, exist_ok=True)
        (part / name).write_bytes(data)
    part.rename(ready)
    target = tree.submitted(student, assignment)
    target.parent.mkdir(parents=True, exist_ok=True)
    kept = None
    if target.exists():
        kept = _kept(tree, student, assignment, before, mark)
        target.rename(kept)
    ready.rename(target)
    return kept


def recover(tree: ClassTree) -> list[str]:
    """End what a kill interrupted; the students whose submission was put in place."""
    done = []
    for ready in _ready(tree).iterdir():
        student, _, assignment = ready.name.partition(_JOINER)
        target = tree.submitted(student, assignment)
        if ready.name.startswith(".") or not assignment or target.exists() or target.is_symlink():
            shutil.rmtree(ready, ignore_errors=True)  # the earlier one is still in its place, or the step was done
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            ready.rename(target)
            done.append(student)
    return done


def _ready(tree: ClassTree) -> Path:
    path = tree.root / "submitted_before" / _READY
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path


def _kept(tree: ClassTree, student: str, assignment: str, before: datetime | None, mark: str) -> Path:
    folder = tree.root / "submitted_before" / student / assignment
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    name = f"{before or times.now():%Y-%m-%dT%H-%M-%SZ}{mark}"
    names = (name, *(f"{name}-{n}" for n in range(2, 10_000)))
    return next(folder / name for name in names if not (folder / name).exists())
