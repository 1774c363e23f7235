"""Bring newer course files into a started chapter without losing anything of the learner's.

Three versions of every file meet: *base* (what was last brought in), *mine* (the learner's) and *new* (the
course's now). Whatever happens, what the learner wrote stays in the file, or lies saved and is announced.
"""

from __future__ import annotations

from pathlib import Path

from grader.course import Chapter, Tree
from grader.workspace import notebooks
from grader.workspace.chapters import fresh
from grader.workspace.files import new_timestamped, read_or_none, write_atomically
from grader.workspace.folder import Report, Workspace, WorkspaceError
from grader.workspace.merge import merge_text


def update(chapter: Chapter, workspace: Workspace, tree: Tree) -> Report:
    """Update one started chapter.

    Kinds in the report: `kept`, `replaced`, `merged`, `created`, `conflict` (the new version lies beside as
    `NAME.new`), `missing` (the learner removed it), `gone` (the course dropped it).
    """
    if not workspace.started(chapter):
        raise WorkspaceError(f"chapter {chapter.number} is not started: run `grader start {chapter.number}`")
    report = Report(chapter.name)
    folder, pristine = workspace.chapter(chapter), workspace.pristine(chapter)
    saved = new_timestamped(workspace.saved) / chapter.name
    files = tree.given(chapter)
    for name, source in files.items():
        base = read_or_none(pristine / name)
        new = fresh(source, base)
        _update_file(folder / name, base, new, saved / name, report)
        write_atomically(pristine / name, new)  # last: an update that is cut short can simply be run again
    for path in sorted(pristine.rglob("*")):
        name = path.relative_to(pristine).as_posix()
        if path.is_file() and name not in files:
            report.add(folder / name, "gone", "the course no longer has it; your file stays")
            path.unlink()
    return report


def _update_file(path: Path, base: bytes | None, new: bytes, saved: Path, report: Report) -> None:
    mine = read_or_none(path)
    if mine == new:
        report.add(path, "kept")
    elif mine is None and base is None:
        write_atomically(path, new)
        report.add(path, "created")
    elif mine is None:
        note = f"you removed it; `grader reset {report.chapter}` brings it back" if base != new else ""
        report.add(path, "missing", note)
    elif base == new:
        report.add(path, "kept")
    elif mine == base:
        write_atomically(path, new)
        report.add(path, "replaced")
    elif path.suffix == ".ipynb":
        _merge_notebook(path, base, mine, new, saved, report)
    else:
        merged = _merge_bytes(base, mine, new)
        if merged is None:
            _beside(path, new, "your file and the new one differ in the same place", report)
        else:
            _write(path, merged, mine, saved, report)


def _merge_bytes(base: bytes | None, mine: bytes, new: bytes) -> bytes | None:
    if base is None:
        return None
    try:
        merged = merge_text(base.decode(), mine.decode(), new.decode())
    except UnicodeDecodeError:
        return None
    return None if merged is None else merged.encode()


def _merge_notebook(
    path: Path, base: bytes | None, mine: bytes, new: bytes, saved: Path, report: Report
) -> None:
    try:
        new_notebook = notebooks.load(new)
        base_notebook = notebooks.load(base) if base is not None else new_notebook
        mine_notebook = notebooks.load(mine)
    except notebooks.NotNotebook as error:
        _beside(path, new, f"your notebook cannot be merged: {error}", report)
        return
    if notebooks.same_text(mine_notebook, new_notebook):
        report.add(path, "kept")
        return
    if notebooks.same_text(mine_notebook, base_notebook):
        write_atomically(path, new)  # only run, never edited: outputs can be made again
        report.add(path, "replaced")
        return
    merged = notebooks.merge(base_notebook, mine_notebook, new_notebook)
    _write(path, notebooks.dump(merged.notebook), mine, saved, report)
    if merged.replaced:
        report.notes.append(
            f"{merged.replaced} of the course's own cells that you had edited are the course's again; "
            f"your version of the notebook is {saved}"
        )
    if merged.changed_starts:
        answers = ", ".join(merged.changed_starts)
        _beside(path, new, f"your answers are kept, but their starting text is new: {answers}", report)


def _write(path: Path, merged: bytes, mine: bytes, saved: Path, report: Report) -> None:
    """Write a merged file. What the learner had is saved first, so that even a bad merge loses nothing."""
    write_atomically(saved, mine)
    write_atomically(path, merged)
    report.add(path, "merged", f"your version before the merge: {saved}")


def _beside(path: Path, new: bytes, why: str, report: Report) -> None:
    beside = path.with_name(path.name + ".new")
    write_atomically(beside, new)
    report.add(
        path, "conflict", f"{why}. Yours is untouched; the new version lies beside it as {beside.name}"
    )
