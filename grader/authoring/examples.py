"""The example notebooks of `docs/examples`, built from the Markdown beside them: no exercises, no outputs."""

from __future__ import annotations

import hashlib
from pathlib import Path

from grader.authoring.build import as_bytes
from grader.authoring.clone import AuthoringError
from grader.authoring.master import read

FOLDER = Path("docs") / "examples"


def examples(root: Path) -> dict[Path, bytes]:
    """The notebook of each example by its path. ``AuthoringError`` where one does not read as a master does."""
    return {path.with_suffix(".ipynb"): _notebook(path) for path in sorted((root / FOLDER).glob("*.md"))}


def _notebook(path: Path) -> bytes:
    master = read(path)
    if master.problems:
        line, message = min(master.problems)
        raise AuthoringError(f"{path.name}:{line}: {message}")
    cells = []
    for number, block in enumerate(master.blocks):
        if block.kind not in ("text", "example"):
            raise AuthoringError(f"{path.name}:{block.line}: an example has no exercises")
        identity = hashlib.sha256(f"{path.stem}\0{number}".encode()).hexdigest()[:12]
        cell = {
            "cell_type": "markdown" if block.kind == "text" else "code", "id": f"{block.kind}-{identity}",
            "metadata": {"tags": list(block.tags)} if block.tags else {},
            "source": block.source.splitlines(keepends=True),
        }  # fmt: skip
        cells.append(cell if block.kind == "text" else {**cell, "execution_count": None, "outputs": []})
    return as_bytes(cells)
