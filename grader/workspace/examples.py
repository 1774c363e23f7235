"""The notebooks of `docs/examples` in the learner's folder, which JupyterLab serves and can open files from."""

from __future__ import annotations

from pathlib import Path

from grader.course import Tree
from grader.workspace.chapters import fresh
from grader.workspace.files import read_or_none, write_atomically
from grader.workspace.folder import Workspace

# Notebook -> the title and the sentence that the map has for it.
TITLES = {
    "simulated_gpu.ipynb": (
        "Looking into a kernel",
        "Walk through a warp step by step, see which thread touches which bytes and what each line costs: here, and "
        "then with a kernel of your own.",
    ),
    "plugin_life.ipynb": (
        "A plugin's life",
        "Drive a TensorRT plugin through its life without a GPU, call by call, and which rule catches a wrong line: "
        "here, and then in a plugin of your own.",
    ),
}


def bring_examples(workspace: Workspace, tree: Tree) -> None:
    """Bring in the examples that are missing, and newer ones for those that the learner has not changed.

    A tree without `docs/`, such as a class release's, has none.
    """
    for name in TITLES:
        source = tree.root / "docs" / "examples" / name
        if source.is_file():
            _bring(source, workspace.root / name, workspace.records / "pristine" / "examples" / name)


def _bring(source: Path, mine: Path, base: Path) -> None:
    known, had = read_or_none(base), read_or_none(mine)
    data = fresh(source, known)
    if had is None or (had == known and data != known):
        write_atomically(mine, data)
        write_atomically(base, data)
