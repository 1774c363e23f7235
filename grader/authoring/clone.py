"""Where an author's files lie, and the few facts of `chapter.toml` that the build and the lint need."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]


class AuthoringError(Exception):
    """Something that an author must put right; the text names the file and, where there is one, the line."""


@dataclass(frozen=True)
class ExerciseData:
    slug: str
    kind: str  # "kernel", "cpp" or "python"
    points: float


@dataclass(frozen=True)
class ChapterData:
    number: int
    name: str  # "10_masked_gelu"
    slug: str
    exercises: dict[str, ExerciseData]
    explain: tuple[str, float] | None  # id and points of the manually graded answer
    hints: tuple[str, ...]


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

    def chapter(self, name: str) -> ChapterData:
        """Read `course/NAME/chapter.toml`. Raises AuthoringError that names the file and what is missing."""
        path = self.root / "course" / name / "chapter.toml"
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise AuthoringError(f"{self.shown(path)}: not found; a chapter needs one beside its notebook") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
            raise AuthoringError(f"{self.shown(path)}: {problem}") from None
        try:
            exercises = [
                ExerciseData(item["slug"], item["kind"], item["points"]) for item in data.get("exercise", [])
            ]
            hints = [hint["text"] for item in data.get("exercise", []) for hint in item.get("hint", [])]
            explain = data.get("explain")
            return ChapterData(
                number=data["number"],
                name=name,
                slug=data["slug"],
                exercises={item.slug: item for item in exercises},
                explain=(explain["id"], explain["points"]) if explain else None,
                hints=tuple(hints),
            )
        except (KeyError, TypeError, AttributeError) as problem:
            raise AuthoringError(f"{self.shown(path)}: field {problem} is missing or of the wrong type") from None
