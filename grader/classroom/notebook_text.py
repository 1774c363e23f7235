"""Reads a notebook that a stranger, a browser or an old Jupyter may have mangled, as far as answers go.

Only plain JSON is looked at: no nbformat schema, because a notebook that breaks it may still hold right
answers. Outputs are never looked at.
"""

from __future__ import annotations

import codecs
import itertools
import json
import re
from dataclasses import dataclass
from typing import Any

from grader.classroom.folder import Unreadable

MOST_CELLS = 5000
MOST_PARTS = 2_000_000  # values in lists and objects: each takes some hundred bytes of memory once it is read
_COMMA = re.compile(rb'"(?:[^"\\]|\\.)*"|(,)', re.DOTALL)  # those in texts are skipped
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """One cell: nbgrader's id of it ("" if it has none), its own id, its type and its text."""

    grade_id: str
    cell_id: str
    cell_type: str
    source: str


def decode(data: bytes) -> str:
    """Bytes to text: by the byte order mark, else UTF-8, else Latin-1, which takes any bytes."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def read_cells(data: bytes) -> list[Cell]:
    """The cells of a notebook of any format version. `Unreadable` says why there are none."""
    if not data.strip():
        raise Unreadable("it is empty")
    if data.count(b",") > MOST_PARTS and _has_more_commas(data, MOST_PARTS):
        raise Unreadable(f"it holds more than {MOST_PARTS:,} values")
    try:
        notebook = json.loads(decode(data))
    except RecursionError:
        raise Unreadable("it is nested too deeply to be a notebook") from None
    except ValueError as problem:
        raise Unreadable(f"it is not valid JSON ({problem})") from None
    raw = _raw_cells(notebook)
    if raw is None:
        raise Unreadable("it is JSON, but not a notebook: it has no list of cells")
    return [_cell(item) for item in raw[:MOST_CELLS] if isinstance(item, dict)]


def _has_more_commas(data: bytes, most: int) -> bool:
    commas = (None for found in _COMMA.finditer(data) if found.lastindex)
    return next(itertools.islice(commas, most, None), 0) is None


def _raw_cells(notebook: Any) -> list | None:
    if not isinstance(notebook, dict):
        return None
    if isinstance(notebook.get("cells"), list):
        return notebook["cells"]
    sheets = notebook.get("worksheets")  # format 3 and older
    if not isinstance(sheets, list):
        return None
    return [cell for sheet in sheets if isinstance(sheet, dict) for cell in _list(sheet.get("cells"))]


def _cell(item: dict) -> Cell:
    metadata = item.get("metadata")
    nbgrader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    source = item.get("source", item.get("input", ""))  # format 3 calls a code cell's text "input"
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    return Cell(
        grade_id=_text(nbgrader.get("grade_id")) if isinstance(nbgrader, dict) else "",
        cell_id=_text(item.get("id")),
        cell_type=_text(item.get("cell_type")),
        source=_text(source),
    )


def _text(value: Any) -> str:
    """`value` as text that can be written as UTF-8, "" if it is no text."""
    return value.encode("utf-8", "replace").decode().replace("\0", "\ufffd") if isinstance(value, str) else ""


def _list(value: Any) -> list:
    return value if isinstance(value, list) else []
