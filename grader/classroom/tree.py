"""The instructor's tree: where everything of a class lies. Private to the instructor.

nbgrader_config.py   nbgrader's configuration; grading goes through this package
class_secret         the seeds of the hidden cases come from it; never leaves this tree
gradebook.db         nbgrader's gradebook
source/ release/     nbgrader's assignments
submitted/ autograded/ feedback/    STUDENT/ASSIGNMENT/..., as nbgrader keeps them
results/             STUDENT/ASSIGNMENT/result.json: every verdict, with the seed that reproduces it;
                     handed_in.json: where the submission came from, if it was taken in
submitted_before/    STUDENT/ASSIGNMENT/TIME/...: what a newer hand-in replaced
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
        """Who has handed in the assignment, sorted; hidden folders left out.

        A link in place of a folder is among them: grading names it and does not follow it.
        """
        try:
            with os.scandir(self.root / "submitted") as entries:
                names = [e.name for e in entries if not e.name.startswith(".") and (e.is_dir() or e.is_symlink())]
        except FileNotFoundError:
            return []
        there = ((name, self.submitted(name, assignment)) for name in names)
        return sorted(name for name, path in there if path.is_dir() or path.is_symlink() or path.parent.is_symlink())

    def strays(self) -> list[str]:
        """What lies in `submitted/` under the name of no assignment, so that grading passes over it; sorted."""
        known = {path.name for name in ("source", "release") for path in self.root.joinpath(name).glob("*")}
        found = []
        for path in self.root.joinpath("submitted").glob("[!.]*"):
            if path.is_dir() and not path.is_symlink():
                found += [f"{path.name}/{each.name}" for each in path.glob("[!.]*") if each.name not in known]
            elif not path.is_symlink():
                found.append(path.name)
        return sorted(found)

    def is_linked(self, student: str, assignment: str) -> bool:
        """Whether a link stands in place of the student's folder or of the submission's."""
        path = self.submitted(student, assignment)
        return path.is_symlink() or path.parent.is_symlink()

    def assignments(self) -> list[str]:
        """The assignments that were released, sorted."""
        folder = self.root / "release"
        return sorted(p.name for p in folder.iterdir() if p.is_dir()) if folder.is_dir() else []
