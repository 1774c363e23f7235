"""`grader class release`: what students get for one chapter or several.

README.md, Makefile, setup/, requirements.lock      `make course` sets up and opens JupyterLab
wheels/                                             the grader, with the public data of these chapters inside
my/NN_name/                                         the notebook and the skeletons, as in every workspace
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import textwrap
from collections.abc import Sequence
from pathlib import Path

from grader.classroom import material, secret
from grader.classroom.create import start_files
from grader.classroom.errors import ClassroomError
from grader.classroom.tree import ClassTree
from grader.classroom.wheel import build_wheel
from grader.course import Chapter

MARK = "release.json"  # says that a folder is a class release, and of what
SETUP = ("Makefile", "requirements.lock", "setup")  # what `make course` is made of, copied from the clone

_README = """# {title}

{what} of the course in TensorRT plugin development, as your class gets it.{before}

    make course

sets up everything in this folder and opens JupyterLab (Linux or WSL2, Python 3.11 to 3.14, make and g++; no
GPU is needed). Your work lies in `my/`: a notebook and the files beside it. Hand in these:

{files}

Check yourself as often as you like, in the notebook or with `grader check`. At grading, hidden cases of the
same kind are added.
"""


def release(tree: ClassTree, chapters: Sequence[Chapter], out: Path | None = None) -> Path:
    """Make the class release of exactly these chapters in `out` (default `class_release/NN_name` in the
    instructor's tree, with more chapters `class_release/chapters_N_N`).

    An earlier class release there is replaced; any other folder is refused. Nothing is left in `out` if the
    release holds something that students must not get: `ClassroomError` then names the places.
    """
    chapters = sorted(set(chapters), key=lambda chapter: chapter.number)
    numbers = "_".join(f"{chapter.number:02}" for chapter in chapters)
    name = chapters[0].name if len(chapters) == 1 else f"chapters_{numbers}"
    out = (out or tree.root / "class_release" / name).resolve()
    if out.exists() and not (out / MARK).is_file() and (not out.is_dir() or any(out.iterdir())):
        raise ClassroomError(f"{out} is there and is not a class release; name another folder with --out")
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as folder:
        stage = Path(folder) / "release"
        fill(stage, {chapter: handed_out(tree, chapter) for chapter in chapters})
        refuse_leaks(stage, tree)
        for chapter in chapters:
            if tree.released(chapter.name).is_dir():  # it may be handed out by nbgrader's exchange
                refuse_leaks(tree.released(chapter.name), tree)
        if out.exists():
            shutil.rmtree(out)
        stage.rename(out)
    return out


def handed_out(tree: ClassTree, chapter: Chapter) -> dict[str, bytes]:
    """What students start from, by name: the course's own files; where the instructor changed the source,
    nbgrader's release of it, which holds neither solutions nor hidden tests that were marked as such."""
    own = start_files(chapter)
    source = _files(tree.source(chapter.name))
    return own if source in ({}, own) else _files(tree.released(chapter.name)) or own


def _files(folder: Path) -> dict[str, bytes]:
    """The files of an assignment's folder by name, without what Jupyter leaves there."""
    found = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        name = path.relative_to(folder)
        if path.is_file() and not any(part.startswith((".", "__pycache__")) for part in name.parts):
            found[name.as_posix()] = path.read_bytes()
    return found


def fill(stage: Path, chapters: dict[Chapter, dict[str, bytes]]) -> None:
    """Write all files of the release into the new folder `stage`; each chapter's files go into the workspace."""
    for chapter, files in chapters.items():
        for name, content in files.items():
            path = stage / "my" / chapter.name / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    wheel = build_wheel(material.tree(), stage / "wheels", list(chapters))
    for path in setup_files(clone()):
        target = stage / path.relative_to(clone())
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    (stage / "README.md").write_text(_readme(list(chapters)), encoding="utf-8")
    mark = {
        "chapters": [chapter.name for chapter in chapters],
        "wheel": wheel.name,
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
    }
    (stage / MARK).write_text(json.dumps(mark, indent=1) + "\n", encoding="utf-8")


def _readme(chapters: list[Chapter]) -> str:
    here = {chapter.number for chapter in chapters}
    needed = sorted({number for chapter in chapters for number in chapter.prerequisites} - here)
    before = ""
    if needed:
        told = " and ".join(f"{number} ({material.chapter(number).title})" for number in needed)
        plural = "s" if len(needed) > 1 else ""
        before = (
            f"It builds on chapter{plural} {told}, not part of this release: ask your class if that is new to you."
        )
    hand_in = [
        f"my/{chapter.name}/{name}"
        for chapter in chapters
        for name in (f"{chapter.name}.ipynb", *dict.fromkeys(f for e in chapter.exercises for f in e.files))
    ]
    *first, last = (str(chapter.number) for chapter in chapters)
    return _README.format(
        title=" · ".join(chapter.title for chapter in chapters),
        what=f"Chapters {', '.join(first)} and {last}" if first else f"Chapter {last}",
        before="\n" + textwrap.fill(before, 110) if before else "",
        files="\n".join(f"- `{name}`" for name in hand_in),
    )


def clone() -> Path:
    """The clone that this package runs from. A class release needs its set-up files and its private trees,
    to search for them in what is handed out."""
    root = material.tree().root
    missing = [name for name in (*SETUP, "solutions") if not (root / name).exists()]
    if missing:
        raise ClassroomError(
            f"{root} lacks {', '.join(missing)}: make class releases from a clone of the course, not from a "
            "class release or an installed wheel"
        )
    return root


def setup_files(root: Path) -> list[Path]:
    """The files that `make course` is made of."""
    found = [root / name for name in (*SETUP, "LICENSE")]
    found += sorted((root / "setup").rglob("*"))
    return [path for path in found if path.is_file() and "__pycache__" not in path.parts]


def refuse_leaks(stage: Path, tree: ClassTree) -> None:
    """`ClassroomError` if the folder holds a solution, a master, a wrong variant or the class secret."""
    from grader.authoring.leaks import find_leaks

    try:
        leaks = find_leaks(stage, clone=clone(), secrets=[secret.read(tree.secret)])
    except ValueError as problem:  # a search that could find nothing is no search
        raise ClassroomError(
            f"the release was not made: it cannot be searched for leaks: {problem}"
        ) from None
    if leaks:
        shown = "\n".join(f"  {leak}" for leak in leaks[:20])
        raise ClassroomError(f"the release was not made: it would give away {len(leaks)} things:\n{shown}")
