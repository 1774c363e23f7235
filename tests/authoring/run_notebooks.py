"""Runs the notebooks of the course from top to bottom, and keeps which were run as they are now.

    python tests/authoring/run_notebooks.py        all of them, in turn; writes tests/authoring/notebooks_run.json

`make test` runs those that have changed since, and one of the others.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from grader.authoring.clone import HERE, Clone

KEPT = Path(__file__).with_name("notebooks_run.json")
MASTERS = sorted(path.stem for path in (HERE / "authoring").glob("[0-9]*_*.md"))


def errors_of(notebook: Path, folder: Path, trees: Sequence[Path]) -> dict[str, str]:
    """Run a notebook in a folder made of `trees`; the name of each error, by cell id.

    The error of a cell tagged raises-exception is kept as its output; any other ends the run.
    """
    for tree in trees:
        if tree.is_dir():
            shutil.copytree(tree, folder, dirs_exist_ok=True)
    content = nbformat.read(notebook, as_version=4)
    NotebookClient(content, timeout=240, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    assert all(cell.execution_count for cell in content.cells if cell.cell_type == "code")
    outputs = [(cell.id, output) for cell in content.cells for output in cell.get("outputs", [])]
    return {name: output.ename for name, output in outputs if output.output_type == "error"}


def solved(name: str, folder: Path) -> dict[str, str]:
    """The errors of a chapter's solved notebook; there should be none."""
    skeletons = HERE / "plugin_skeletons"
    kit = skeletons / "common"
    if kit.is_dir():
        shutil.copytree(kit, folder / "common")
    return errors_of(Clone().solved_notebook(name), folder, [skeletons / name, HERE / "solutions" / name])


def key(name: str) -> str:
    """The hash of what a chapter's notebook runs: the notebook, the files beside it, the chapter's own modules."""
    trees = [HERE / top / name for top in ("solutions", "plugin_skeletons")]
    trees += [HERE / "plugin_skeletons" / "common", HERE / "grader" / "exercises" / f"ch{name}"]
    files = [path for tree in trees for path in sorted(tree.rglob("*")) if path.is_file()]
    lines = [
        f"{path.relative_to(HERE)} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in files
        if "__pycache__" not in path.parts
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def kept() -> dict[str, str]:
    return json.loads(KEPT.read_text()) if KEPT.exists() else {}


def main() -> int:
    os.environ["GRADER_DEVICE"] = "simulated"
    failed = False
    for name in MASTERS:
        began, now = time.monotonic(), key(name)
        with tempfile.TemporaryDirectory() as folder:
            errors = solved(name, Path(folder, name))
        print(f"{name}: {time.monotonic() - began:.0f} s {errors or ''}", flush=True)
        failed |= bool(errors)
        if not errors:
            KEPT.write_text(json.dumps(dict(sorted((kept() | {name: now}).items())), indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
