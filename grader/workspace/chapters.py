"""Start a chapter, and bring its files back to what they were."""

from __future__ import annotations

from pathlib import Path

from grader.course import Chapter, Exercise, Tree
from grader.workspace import notebooks
from grader.workspace.files import new_timestamped, read_or_none, write_atomically
from grader.workspace.folder import Report, Workspace, WorkspaceError


def fresh(source: Path, known: bytes | None = None) -> bytes:
    """A file of the course as it goes into a workspace, where it was `known` when it was last brought in."""
    data = source.read_bytes()
    return notebooks.local(data, known) if source.suffix == ".ipynb" else data


def start(chapter: Chapter, workspace: Workspace, tree: Tree) -> Report:
    """Bring a chapter's files in. A file that is there already is left alone; missing ones are created."""
    report = Report(chapter.name)
    files = tree.given(chapter)
    if not files:
        raise WorkspaceError(f"chapter {chapter.number}, {chapter.title}, has no files in {tree.root}")
    folder, pristine = workspace.chapter(chapter), workspace.pristine(chapter)
    newer = False
    for name, source in files.items():
        mine, base = folder / name, pristine / name
        known = read_or_none(base)
        data = fresh(source, known)
        newer |= known is not None and known != data
        if mine.exists():
            if known is None and mine.read_bytes() == source.read_bytes():
                write_atomically(mine, data)  # a class release brings the course's own form along
            report.add(mine, "kept")
        else:
            write_atomically(mine, data)
            report.add(mine, "created")
        if known is None or report.changes[-1].kind == "created":
            write_atomically(base, data)
    if newer:
        report.notes.append("the course has newer files of this chapter: run `grader update`")
    return report


def reset(target: Chapter | Exercise, chapter: Chapter, workspace: Workspace, tree: Tree) -> Report:
    """Bring the files of a chapter, or of one exercise, back to the course's form.

    What the learner had is first saved under `my/.grader/saved/`. `chapter` is the exercise's chapter. For a
    Python exercise only its answer cell goes back; the rest of the notebook stays.
    """
    if not workspace.started(chapter):
        raise WorkspaceError(f"chapter {chapter.number} is not started: run `grader start {chapter.number}`")
    files = tree.given(chapter)
    wanted = _wanted(target, chapter, files, tree, workspace)
    report, saved = Report(chapter.name), new_timestamped(workspace.saved)
    for name, data in wanted.items():
        mine = workspace.chapter(chapter) / name
        had = read_or_none(mine)
        if had == data:
            report.add(mine, "kept", "is as it was at the start")
            continue
        if had is not None:
            copy = saved / chapter.name / name
            write_atomically(copy, had)
            report.add(copy, "saved")
        write_atomically(mine, data)
        if data == (original := fresh(files[name])):
            write_atomically(workspace.pristine(chapter) / name, original)
        report.add(mine, "reset")
    return report


def _wanted(
    target, chapter: Chapter, files: dict[str, Path], tree: Tree, workspace: Workspace
) -> dict[str, bytes]:
    """Name -> the bytes that the file should have after the reset."""
    if isinstance(target, Chapter):
        return {name: fresh(path) for name, path in files.items()}
    if target.cell is None:
        if lacking := [name for name in target.files if name not in files]:
            raise WorkspaceError(f"the course has no file {lacking[0]} for {target.slug}")
        return {name: files[name].read_bytes() for name in target.files}
    name = tree.notebook(chapter).name
    mine = read_or_none(workspace.chapter(chapter) / name)
    if mine is None:
        return {name: fresh(files[name])}
    try:
        notebook = notebooks.load(mine)
    except notebooks.NotNotebook as error:
        raise WorkspaceError(
            f"{name} cannot be read: {error}. `grader reset {chapter.number}` brings the whole chapter back"
        ) from None
    grade_id = f"{target.slug}-answer"
    first = notebooks.answer_cell(notebooks.load(files[name].read_bytes()), grade_id)
    cell = notebooks.answer_cell(notebook, grade_id)
    if first is None:
        raise WorkspaceError(f"the course's {name} has no cell {grade_id}")
    if cell is None:
        raise WorkspaceError(
            f"your {name} no longer has the answer cell of {target.slug}: "
            f"`grader reset {chapter.number}` brings the whole chapter back"
        )
    if notebooks.source(cell) == notebooks.source(first):
        return {name: mine}
    cell["source"] = first["source"]
    cell["outputs"], cell["execution_count"] = [], None
    return {name: notebooks.dump(notebook)}
