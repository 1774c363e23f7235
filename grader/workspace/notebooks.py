"""Notebooks by cell: what is the learner's, what is the course's, and how the two are brought together.

Works on the JSON itself (nbformat 4.5), so that a command starts quickly.
"""

from __future__ import annotations

import copy
import json
import platform
from dataclasses import dataclass, field
from typing import Any

# What JupyterLab itself would write: otherwise it counts a notebook as changed as soon as it is open.
LANGUAGE = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
    "version": platform.python_version(),
}


class NotNotebook(ValueError):
    """The bytes are no notebook that can be read."""


def load(data: bytes) -> dict[str, Any]:
    """A notebook from its bytes. Raises `NotNotebook` with a sentence."""
    try:
        notebook = json.loads(data)
    except ValueError as error:
        raise NotNotebook(f"it is not valid JSON: {error}") from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        raise NotNotebook("it has no list of cells")
    return notebook


def dump(notebook: dict[str, Any]) -> bytes:
    """The bytes of a notebook in the form that Jupyter itself writes."""
    return (json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n").encode()


def local(data: bytes, known: bytes | None = None) -> bytes:
    """The course's notebook `data` as it goes into a workspace: with the language of the Python that runs here.

    `known`, what was brought in earlier, comes back as it is where it differs in the language alone: another
    Python makes no newer notebook. Bytes that are no notebook come back too.
    """
    try:
        notebook = load(data)
        notebook["metadata"]["language_info"] = LANGUAGE
        if known is not None:
            earlier = load(known)
            earlier["metadata"]["language_info"] = LANGUAGE
            if earlier == notebook:
                return known
    except (NotNotebook, KeyError, TypeError):
        return data
    return dump(notebook)


def source(cell: dict[str, Any]) -> str:
    """A cell's text; Jupyter writes it as one string or as a list of lines."""
    text = cell.get("source", "")
    return "".join(text) if isinstance(text, list) else text


def key(cell: dict[str, Any]) -> str | None:
    """What identifies a cell across versions: its grade id where it has one, else its cell id."""
    return _nbgrader(cell).get("grade_id") or cell.get("id")


def is_answer(cell: dict[str, Any]) -> bool:
    """Whether the learner writes in this cell: a solution or an explained answer."""
    return bool(_nbgrader(cell).get("solution"))


def _nbgrader(cell: dict[str, Any]) -> dict[str, Any]:
    metadata = cell.get("metadata")
    found = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return found if isinstance(found, dict) else {}


def same_text(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two notebooks hold the same cells with the same text. Outputs and run counts do not matter."""
    return [(cell.get("cell_type"), source(cell)) for cell in one["cells"]] == [
        (cell.get("cell_type"), source(cell)) for cell in other["cells"]
    ]


def answer_cell(notebook: dict[str, Any], grade_id: str) -> dict[str, Any] | None:
    """The cell with this grade id, or None."""
    return next((cell for cell in notebook["cells"] if _nbgrader(cell).get("grade_id") == grade_id), None)


@dataclass
class Merged:
    """A merged notebook. `changed_starts`: answers kept although their starting text is new;
    `replaced`: number of the course's cells that the learner had edited and that are the course's again."""

    notebook: dict[str, Any]
    changed_starts: list[str] = field(default_factory=list)
    replaced: int = 0


def merge(base: dict[str, Any], mine: dict[str, Any], new: dict[str, Any]) -> Merged:
    """The new notebook with the learner's answers and own cells.

    The course's cells come from `new`, in its order. An answer that the learner changed is kept, even where
    its cell is gone from `new`. Cells that the learner added stay after the cell that they followed.
    """
    base_text = {key(cell): source(cell) for cell in base["cells"]}
    mine_cells = {key(cell): cell for cell in mine["cells"]}
    merged = Merged(copy.deepcopy(new))
    cells = []
    for cell in merged.notebook["cells"]:
        name, had = key(cell), mine_cells.get(key(cell))
        if had is not None and source(had) != source(cell):
            edited = source(had) != base_text.get(name)
            if is_answer(cell) and edited:
                if base_text.get(name) not in (None, source(cell)):
                    merged.changed_starts.append(str(name))
                cell["source"] = had.get("source", "")
            elif edited:
                merged.replaced += 1
        cells.append(cell)
    merged.notebook["cells"] = _insert_own(cells, base_text, mine["cells"])
    return merged


def _insert_own(cells: list[dict], base_text: dict[str | None, str], mine: list[dict]) -> list[dict]:
    """Put the cells that only the learner has back after their predecessors."""
    present = {key(cell) for cell in cells}
    followers: dict[str | None, list[dict]] = {}
    anchor: str | None = None  # None: before the first cell
    for cell in mine:
        name = key(cell)
        own = name is None or name not in base_text
        orphan = is_answer(cell) and source(cell) != base_text.get(name)
        if name is not None and name in present:
            anchor = name
        elif own or orphan:
            followers.setdefault(anchor, []).append(_detached(cell))
    result = list(followers.get(None, []))
    for cell in cells:
        result.append(cell)
        result += followers.pop(key(cell), [])
    return result


def _detached(cell: dict) -> dict:
    """A cell that is the learner's alone, without the grading marks of a cell that the course dropped."""
    cell = copy.deepcopy(cell)
    if isinstance(cell.get("metadata"), dict):
        cell["metadata"].pop("nbgrader", None)
    return cell
