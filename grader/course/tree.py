"""Where course data lies.

Two trees exist, and they are never mixed. The *pristine* tree is the package's own: the copy that a built
wheel carries, else the clone that an editable install lies in. It alone is used to judge work. An *author's
tree* is the one that `GRADER_COURSE` names; commands that show the course and fill a workspace may use it,
grading never does.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.course.errors import CourseError

if TYPE_CHECKING:
    from grader.course.records import Chapter

KIT = "common"  # the folder of the kit, in `plugin_skeletons/` and in a learner's chapter
_PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Tree:
    """A folder with `course/`, `plugin_skeletons/` and, in a clone only, `solutions/`."""

    root: Path

    @property
    def course(self) -> Path:
        return self.root / "course"

    def chapter_files(self) -> list[Path]:
        """Every `chapter.toml`, by folder name."""
        return sorted(self.course.glob("*/chapter.toml"))

    def notebook(self, chapter: Chapter | str) -> Path:
        """The learner's notebook of a chapter (built, without outputs)."""
        name = _name(chapter)
        return self.course / name / f"{name}.ipynb"

    def skeletons(self, chapter: Chapter | str) -> Path:
        """The files that a learner starts from. It need not exist: a chapter may have Python answers only."""
        return self.root / "plugin_skeletons" / _name(chapter)

    def kit(self, chapter: Chapter) -> dict[str, Path]:
        """The files of the common kit that the chapter builds on: name in a learner's folder -> file here."""
        return {f"{KIT}/{name}": self.root / "plugin_skeletons" / KIT / name for name in chapter.kit}

    def given(self, chapter: Chapter) -> dict[str, Path]:
        """What a learner gets for a chapter: name in the learner's folder -> file here. The notebook and what lies
        beside it, the skeletons, and the chapter's part of the kit, all side by side."""
        found: dict[str, Path] = {}
        for folder in (self.notebook(chapter).parent, self.skeletons(chapter)):
            for path in sorted(folder.rglob("*")):
                name = path.relative_to(folder)
                hidden = any(part.startswith(".") or part == "__pycache__" for part in name.parts)
                if path.is_file() and not path.is_symlink() and not hidden and name.name != "chapter.toml":
                    found[name.as_posix()] = path
        return found | self.kit(chapter)

    def solutions(self, chapter: Chapter | str) -> Path | None:
        """The folder of solved files and the solved notebook; None where solutions are not shipped."""
        folder = self.root / "solutions" / _name(chapter)
        return folder if folder.is_dir() else None


def _name(chapter: Chapter | str) -> str:
    return chapter if isinstance(chapter, str) else chapter.name


def _is_tree(root: Path) -> bool:
    return (root / "course").is_dir() and (root / "plugin_skeletons").is_dir()


def pristine() -> Tree:
    """The package's own course data, whatever the environment says. Raises `CourseError` if there is none."""
    for root in (_PACKAGE / "_course", _PACKAGE.parent):
        if _is_tree(root):
            return Tree(root)
    raise CourseError(
        f"no course data: neither {_PACKAGE / '_course'} nor {_PACKAGE.parent} has the folders course/ and "
        "plugin_skeletons/. Install the package again, or work in a complete clone."
    )


def authors_tree() -> Tree:
    """The tree that `GRADER_COURSE` names, else the pristine one. For authors and tests, not for grading."""
    named = os.environ.get("GRADER_COURSE")
    if not named:
        return pristine()
    root = Path(named).expanduser().resolve()
    if not _is_tree(root):
        raise CourseError(f"GRADER_COURSE names {root}, which lacks the folder course/ or plugin_skeletons/")
    return Tree(root)
