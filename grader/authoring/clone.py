"""Where an author's files lie in the clone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.course import Chapter, CourseError
from grader.course.reader import read_chapter

HERE = Path(__file__).resolve().parents[2]


class AuthoringError(Exception):
    """Something that an author must put right; the text names the file and, where there is one, the line."""


@dataclass(frozen=True)
class Clone:
    """The working copy of the project; every path of this room comes from here."""

    root: Path = HERE

    def master(self, name: str) -> Path:
        return self.root / "authoring" / f"{name}.md"

    def learner_notebook(self, name: str) -> Path:
        return self.root / "course" / name / f"{name}.ipynb"

    def solved_notebook(self, name: str) -> Path:
        return self.root / "solutions" / name / f"{name}.ipynb"

    def answer(self, name: str, slug: str) -> Path:
        """The solution of a Python exercise."""
        return self.root / "solutions" / name / f"{slug.replace('-', '_')}.py"

    def shown(self, path: Path) -> str:
        """`path` as a message names it: from the root of the clone."""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)

    def chapters(self, wanted: list[str] | None = None) -> list[str]:
        """Names of the chapters that have a master, in order; `wanted` takes names, numbers or slugs.

        Raises AuthoringError if there is no master at all, or none for a wanted chapter.
        """
        names = sorted(path.stem for path in (self.root / "authoring").glob("[0-9]*_*.md"))
        if not names:
            raise AuthoringError(f"{self.root / 'authoring'}: no master (NN_name.md) is there")
        if not wanted:
            return names
        found = []
        for word in wanted:
            tidy = Path(word).stem.replace("-", "_")
            hits = [
                name
                for name in names
                if tidy in (name, name.partition("_")[2])
                or (tidy.isdigit() and int(tidy) == int(name.partition("_")[0]))
            ]
            if not hits:
                raise AuthoringError(f"{word}: no such chapter; there are {', '.join(names)}")
            found += hits
        return found

    def chapter(self, name: str) -> Chapter:
        """Read `course/NAME/chapter.toml`. Raises AuthoringError that names the file and what is wrong."""
        try:
            return read_chapter(self.root / "course" / name / "chapter.toml")
        except CourseError as problem:
            raise AuthoringError(f"course/{problem}") from None
