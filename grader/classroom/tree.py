"""The instructor's tree: where everything of a class lies. Private to the instructor.

nbgrader_config.py   nbgrader's configuration; grading goes through this package
class_secret         the seeds of the hidden cases come from it; never leaves this tree
gradebook.db         nbgrader's gradebook
source/ release/     nbgrader's assignments
submitted/ autograded/ feedback/    STUDENT/ASSIGNMENT/..., as nbgrader keeps them
results/             STUDENT/ASSIGNMENT/result.json: every verdict, with the seed that reproduces it
exchange/            nbgrader's mark of what was released; students get the class release instead
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from grader.classroom.errors import ClassroomError

CONFIG = "nbgrader_config.py"
SECRET = "class_secret"


@dataclass(frozen=True)
class ClassTree:
    """Paths of an instructor's tree. `root` is absolute."""

    root: Path

    @classmethod
    def find(cls, start: Path | None = None) -> ClassTree:
        """The tree that `start` (default: the working folder) lies in. `ClassroomError` if there is none."""
        start = (start or Path.cwd()).resolve()
        for folder in (start, *start.parents):
            if (folder / CONFIG).is_file() and (folder / SECRET).is_file():
                return cls(folder)
        raise ClassroomError(
            f"{start} is not in an instructor's tree. Make one with  grader class init DIR , "
            "or name it with  --course DIR ."
        )

    @property
    def config(self) -> Path:
        return self.root / CONFIG

    @property
    def secret(self) -> Path:
        return self.root / SECRET

    @property
    def database(self) -> Path:
        return self.root / "gradebook.db"

    @property
    def exchange(self) -> Path:
        return self.root / "exchange"

    def source(self, assignment: str) -> Path:
        return self.root / "source" / assignment

    def released(self, assignment: str) -> Path:
        """nbgrader's release of an assignment, which submissions are rebuilt on."""
        return self.root / "release" / assignment

    def submitted(self, student: str, assignment: str) -> Path:
        return self.root / "submitted" / student / assignment

    def autograded(self, student: str, assignment: str) -> Path:
        return self.root / "autograded" / student / assignment

    def feedback(self, student: str, assignment: str) -> Path:
        return self.root / "feedback" / student / assignment

    def result(self, student: str, assignment: str) -> Path:
        return self.root / "results" / student / assignment / "result.json"

    def students(self, assignment: str) -> list[str]:
        """Who has handed in the assignment: real folders only, sorted, hidden ones left out."""
        try:
            with os.scandir(self.root / "submitted") as entries:
                names = [
                    e.name for e in entries if e.is_dir(follow_symlinks=False) and not e.name.startswith(".")
                ]
        except FileNotFoundError:
            return []
        return sorted(name for name in names if _is_real_folder(self.submitted(name, assignment)))

    def assignments(self) -> list[str]:
        """The assignments that were released, sorted."""
        folder = self.root / "release"
        return sorted(p.name for p in folder.iterdir() if p.is_dir()) if folder.is_dir() else []


def _is_real_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()
