"""Where the learner's answer lies: files in the notebook's folder, or a cell of the notebook itself."""

from __future__ import annotations

import ast
from pathlib import Path

from grader import course, workspace
from grader.checks import Finding
from grader.course import Exercise
from grader.exercises import submission
from grader.notebook import words
from grader.notebook.source import read_sources
from grader.verdict import Verdict


def directory_of(exercise: Exercise) -> Path:
    """The folder with the answer: where the notebook runs, else the chapter's folder in the workspace.

    If neither holds any of it, the working folder: the check then says what is missing there.
    """
    here = Path.cwd()
    if any((here / name).exists() for name in exercise.files) or (here / f"{exercise.chapter}.ipynb").exists():
        return here
    tree = course.pristine()
    folder = workspace.locate(tree, here).chapter(course.chapter(exercise.number))
    return folder if folder.is_dir() else here


def sources(exercise: Exercise, directory: Path, cells: dict[str, str] | None) -> dict[str, str]:
    """The text of the answer by file name; of a Python answer, the cell."""
    if exercise.cell is None:
        return read_sources(directory, exercise.files)
    text = (cells or {}).get(exercise.slug) or submission.read_cell(f"{exercise.slug}-answer", directory)
    return {} if isinstance(text, Finding) else {"the answer cell": text}


def live_cells(exercise: Exercise, directory: Path) -> tuple[dict[str, str] | None, str]:
    """The answer cell as it was last run in this kernel, where that is newer than the notebook on disk.

    A notebook is saved now and then, a cell is run at once: what the learner sees is what must be checked.
    Returns the cells for ``exercises.check`` (``None``: take the notebook's) and a note for the panel.
    """
    if exercise.cell is None:
        return None, ""
    saved = submission.read_cell(f"{exercise.slug}-answer", directory)
    if isinstance(saved, Finding):
        return None, ""
    names = _defined(saved)
    for source in reversed(_history()):
        if names and names <= _defined(source):
            same = source.strip() == saved.strip()
            return ({exercise.slug: source}, "") if same else ({exercise.slug: source}, words.NOT_SAVED)
    return None, ""


def record(verdict: Verdict, directory: Path) -> str | None:
    """Note the attempt in the learner's progress; a notice to show, or None."""
    return workspace.record(verdict, directory)


def take_hint(exercise: Exercise, directory: Path) -> tuple[int, str | None]:
    """How many hints are taken, this one counted. Outside a workspace it is remembered in this process only."""
    inside = workspace.containing(directory)
    if inside is not None:
        return workspace.take_hint(exercise, inside)
    _taken[exercise.slug] = min(_taken.get(exercise.slug, 0) + 1, len(exercise.hints))
    return _taken[exercise.slug], None


_taken: dict[str, int] = {}


def _defined(source: str) -> set[str]:
    """The functions and classes that a cell defines at its top level."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return set()
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def _history() -> list[str]:
    """The cells run in this kernel, oldest first; none outside IPython."""
    try:
        from IPython import get_ipython
    except ImportError:
        return []
    shell = get_ipython()
    return list(shell.user_ns.get("In", ())) if shell is not None else []
