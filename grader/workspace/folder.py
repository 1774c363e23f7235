"""The learner's folder, `my/`, and the records that it keeps in `my/.grader/`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from grader.course import Chapter, Tree


class WorkspaceError(Exception):
    """The workspace cannot do what was asked; the text says what to do."""


@dataclass(frozen=True)
class Change:
    """What happened to one file. `note` says more where the learner should know more."""

    path: Path
    kind: str  # "created", "kept", "replaced", "merged", "conflict", "reset", "saved", "gone", "missing"
    note: str = ""


@dataclass
class Report:
    """What a command did to a chapter, in order; `notes` are sentences about the chapter as a whole."""

    chapter: str
    changes: list[Change] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, path: Path, kind: str, note: str = "") -> None:
        self.changes.append(Change(path, kind, note))

    def kinds(self) -> dict[str, str]:
        """File name -> kind, for callers that only want to know."""
        return {change.path.name: change.kind for change in self.changes}


@dataclass(frozen=True)
class Workspace:
    """A learner's folder. Nothing is created until something is started."""

    root: Path

    def chapter(self, chapter: Chapter) -> Path:
        return self.root / chapter.name

    def started(self, chapter: Chapter) -> bool:
        return self.pristine(chapter).is_dir()

    @property
    def records(self) -> Path:
        return self.root / ".grader"

    def pristine(self, chapter: Chapter) -> Path:
        """What the chapter's files were when they were last brought in: the base of a three-way update."""
        return self.records / "pristine" / chapter.name

    @property
    def saved(self) -> Path:
        return self.records / "saved"

    @property
    def progress_file(self) -> Path:
        return self.records / "progress.json"


def containing(path: Path) -> Workspace | None:
    """The workspace that `path` lies in, or None: a submission in an instructor's tree lies in none."""
    path = path.resolve()
    for folder in (path, *path.parents):
        if (folder / ".grader" / "pristine").is_dir():
            return Workspace(folder)
    return None


def locate(tree: Tree, cwd: Path | None = None) -> Workspace:
    """The workspace for a command run in `cwd`.

    The one that `cwd` lies in; else `my/` in `cwd` or a folder above it; else `my/` beside the course data,
    where that is a clone; else, with an installed package, `my/` in `cwd`.
    """
    cwd = (cwd or Path.cwd()).resolve()
    if inside := containing(cwd):
        return inside
    for folder in (cwd, *cwd.parents):
        if (folder / "my" / ".grader" / "pristine").is_dir():
            return Workspace(folder / "my")
    packaged = tree.root.name == "_course"
    return Workspace((cwd if packaged else tree.root) / "my")
