"""A table of texts, as HTML in a notebook and in columns elsewhere."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from html import escape

_CELL = "text-align:left;vertical-align:top"
_WHOLE = "white-space:nowrap"
_OPENING = re.compile(r"\((?!\))")  # where code may break
WIDEST = 44  # characters of a column outside a notebook


class Table:
    """``head``: the columns' titles; those of several lines break at line ends only. ``code``: how many columns from
    the left hold code: the last line of a cell, under a title if there are more."""

    def __init__(self, head: Sequence[str], rows: Sequence[Sequence[str]], *, note: str = "", code: int = 1):
        self.head, self.rows, self.note, self.code = tuple(head), [tuple(map(str, row)) for row in rows], note, code
        if any(len(row) != len(self.head) for row in self.rows):
            raise ValueError("every row needs as many cells as the table has columns")

    def __add__(self, other: Table) -> Tables:
        return Tables((self, other))

    def _repr_html_(self) -> str:
        head = "".join(map(self._title, self.head))
        body = "".join(f"<tr>{''.join(self._cell(k, text) for k, text in enumerate(row))}</tr>" for row in self.rows)
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return f'<table style="margin:0 0 .8em 0"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}'

    def _title(self, text: str) -> str:
        whole = f";{_WHOLE};font-size:.9em" if "\n" in text else ""
        return f'<th style="{_CELL}{whole}">{"<br>".join(map(escape, text.splitlines()))}</th>'

    def _cell(self, column: int, text: str) -> str:
        above, _, last = text.rpartition("\n")
        shown = escape(last)
        if column < self.code and last:
            whole = "" if " " in last else f' style="{_WHOLE}"'
            shown = f"<code{whole}>{_OPENING.sub('(<wbr>', shown)}</code>"
        return f'<td style="{_CELL}">{escape(above)}{"<br>" if above else ""}{shown}</td>'

    def __repr__(self) -> str:
        rows = [[text.splitlines() or [""] for text in row] for row in (self.head, *self.rows)]
        width = [min(WIDEST, max(len(line) for row in rows for line in row[k])) for k in range(len(self.head))]
        lines = []
        for row in rows:
            cells = [
                [part for line in cell for part in textwrap.wrap(line, wide) or [""]]
                for cell, wide in zip(row, width, strict=True)
            ]
            for number in range(max(map(len, cells))):
                parts = [(c[number] if number < len(c) else "").ljust(width[k]) for k, c in enumerate(cells)]
                lines.append("  ".join(parts).rstrip())
        return "\n".join([*lines, *([self.note] if self.note else [])])


class Tables(tuple):
    """Several tables, one under the other."""

    def _repr_html_(self) -> str:
        return "".join(table._repr_html_() for table in self)

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self))
