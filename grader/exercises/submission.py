"""Read what a learner hands in, trusting nothing about it."""

from __future__ import annotations

import dataclasses
import json
import stat
from pathlib import Path

from grader import course
from grader.checks import Finding, failed
from grader.verdict import State

LARGEST = 1 << 20  # bytes of one source file
LARGEST_NOTEBOOK = 32 << 20


def read_files(names, directory: Path) -> dict[str, bytes] | Finding:
    """The named files' bytes, or the finding that says which is missing or no ordinary file."""
    files = {}
    for name in names:
        content = _read(Path(directory) / name, LARGEST)
        if isinstance(content, Finding):
            return content
        files[name] = content
    return files


def supplied_files(names, chapter: str) -> dict[str, bytes] | Finding:
    """Files of the course itself that are compiled with an answer: of the chapter's skeletons or, as "common/NAME", of
    the common kit. Always the package's own, whatever lies in the learner's folder."""
    tree, files = course.pristine(), {}
    for name in names:
        folder = tree.skeletons(chapter)
        content = _read((folder.parent if name.startswith(f"{course.KIT}/") else folder) / name, LARGEST)
        if isinstance(content, Finding):
            return dataclasses.replace(content, state=State.GRADER_FAULT)
        files[name] = content
    return files


def read_cell(grade_id: str, directory: Path) -> str | Finding:
    """The source of the code cell ``grade_id`` in the notebook that lies in ``directory``."""
    notebooks = sorted(p for p in Path(directory).glob("*.ipynb") if p.name != "index.ipynb")
    if not notebooks:
        return failed("There is no notebook in this folder.", state=State.ERROR)
    for path in notebooks:
        content = _read(path, LARGEST_NOTEBOOK)
        if isinstance(content, Finding):
            return content
        try:
            cells = json.loads(content.decode("utf-8-sig")).get("cells", [])
            for cell in cells:
                if cell.get("metadata", {}).get("nbgrader", {}).get("grade_id") == grade_id:
                    source = cell.get("source", "")
                    return "".join(source) if isinstance(source, list) else str(source)
        except (ValueError, AttributeError, TypeError, RecursionError):
            return failed(f"{path.name} is not a readable notebook. Save it again in JupyterLab.", state=State.ERROR)
    return failed(
        f"No notebook here has the answer cell “{grade_id}”. `grader reset` brings the chapter's notebook back.",
        state=State.ERROR,
    )


def _read(path: Path, largest: int) -> bytes | Finding:
    try:
        status = path.lstat()
    except OSError:
        return failed(
            f"{path.name} is missing. Save it in the chapter's folder, or bring the skeleton back with `grader reset`.",
            state=State.ERROR,
        )
    if not stat.S_ISREG(status.st_mode):
        return failed(f"{path.name} is a link or a folder; an ordinary file is needed.", state=State.ERROR)
    if status.st_size > largest:
        return failed(
            f"{path.name} is larger than {largest >> 20} MB; an answer is a few hundred lines.", state=State.ERROR
        )
    try:
        return path.read_bytes()
    except OSError as error:
        return failed(f"{path.name} cannot be read: {error.strerror}.", state=State.ERROR)
