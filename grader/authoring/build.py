"""Builds a chapter's two notebooks from its master: one way, and the same bytes every time."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

from grader.authoring.clone import AuthoringError, Clone
from grader.authoring.master import Block, Master, read
from grader.course import Chapter

_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def notebooks(clone: Clone, name: str) -> dict[Path, bytes]:
    """The two notebooks of chapter `name`, by the path where each belongs.

    Raises AuthoringError at the first thing in the master, `chapter.toml` or a solution that does not fit.
    """
    path = clone.master(name)
    try:
        master = read(path)
    except (OSError, UnicodeDecodeError) as problem:
        raise AuthoringError(f"{clone.shown(path)}: cannot be read: {problem}") from None
    if master.problems:
        line, message = min(master.problems)
        raise AuthoringError(f"{clone.shown(path)}:{line}: {message}")
    chapter = clone.chapter(name)
    return {
        clone.learner_notebook(name): _notebook(clone, chapter, master, solved=False),
        clone.solved_notebook(name): _notebook(clone, chapter, master, solved=True),
    }


def write(files: dict[Path, bytes]) -> list[Path]:
    """Write the files that differ from what is there; returns those."""
    changed = [path for path, data in files.items() if not path.exists() or path.read_bytes() != data]
    for path in changed:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(path.name + ".part")
        part.write_bytes(files[path])
        part.replace(path)
    return changed


def _notebook(clone: Clone, chapter: Chapter, master: Master, *, solved: bool) -> bytes:
    seen: Counter[tuple[str, ...]] = Counter()
    cells = []
    for block in master.blocks:
        source = block.source
        if solved and block.kind == "answer":
            source = _answer(clone, chapter.name, block)
        cells.append(_cell(clone, chapter, block, source, seen))
    return as_bytes(cells)


def as_bytes(cells: list[dict]) -> bytes:
    """A notebook of these cells, the same bytes for the same cells."""
    notebook = {"cells": cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    text = json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False, separators=(",", ": "))
    return (text + "\n").encode()


def _answer(clone: Clone, name: str, block: Block) -> str:
    path = clone.answer(name, block.name)
    try:
        return path.read_text(encoding="utf-8").rstrip()
    except OSError:
        where = f"{clone.shown(clone.master(name))}:{block.line}"
        raise AuthoringError(
            f"{where}: the solution {clone.shown(path)} is not there; write it first"
        ) from None


def _cell(clone: Clone, chapter: Chapter, block: Block, source: str, seen: Counter) -> dict:
    """One notebook cell. Its id depends on its name, or its headings and place under them, not its text."""
    tags = list(block.tags)
    if block.kind in ("text", "example"):
        place = (block.kind, *block.path)
        seen[place] += 1
        key = "\0".join((chapter.slug, *place, str(seen[place])))
        identity = f"{block.kind}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"
    else:
        identity = f"{block.name}-answer" if block.kind == "answer" else block.name
    markdown = block.kind in ("text", "explain")
    metadata: dict = {}
    if block.kind != "text":
        metadata["nbgrader"] = {
            "schema_version": 3,
            "grade_id": identity,
            "grade": block.kind in ("check", "explain"),
            "solution": block.kind in ("answer", "explain"),
            "locked": block.kind in ("check", "example"),
            "task": False,
            "cell_type": "markdown" if markdown else "code",
        }
    if block.kind in ("check", "explain"):
        metadata["nbgrader"]["points"] = _points(clone, chapter, block)
    if block.kind == "check" and "raises-exception" not in tags:
        tags.append("raises-exception")  # so that Run All goes on past a check that does not pass yet
    if tags:
        metadata["tags"] = tags
    cell = {
        "cell_type": "markdown" if markdown else "code",
        "id": identity,
        "metadata": metadata,
        "source": source.splitlines(keepends=True),
    }
    return cell if markdown else {**cell, "execution_count": None, "outputs": []}


def _points(clone: Clone, chapter: Chapter, block: Block) -> float:
    graded = {exercise.slug: exercise.points for exercise in chapter.exercises}
    if block.kind == "explain":
        graded = {chapter.explain.id: chapter.explain.points} if chapter.explain else {}
    if block.name in graded:
        return graded[block.name]
    where = f"{clone.shown(clone.master(chapter.name))}:{block.line}"
    table = "exercise" if block.kind == "check" else "[explain]"
    raise AuthoringError(f"{where}: chapter.toml of {chapter.name} has no {table} {block.name!r}")
