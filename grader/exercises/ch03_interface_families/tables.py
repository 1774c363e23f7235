"""A table of texts, as HTML in a notebook and in columns elsewhere."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from html import escape

_CELL = "text-align:left;vertical-align:top"
WIDEST = 44  # characters of a column outside a notebook


class Table:
    """``head``: the columns' titles, which break at line ends only. ``code``: the columns that hold code."""

    def __init__(
        self, head: Sequence[str], rows: Sequence[Sequence[str]], *, note: str = "", code: Sequence[int] = (0,)
    ):
        self.head, self.rows, self.note, self.code = tuple(head), [tuple(map(str, row)) for row in rows], note, code
        if any(len(row) != len(self.head) for row in self.rows):
            raise ValueError("every row needs as many cells as the table has columns")

    def __add__(self, other: Table) -> Tables:
        return Tables((self, other))

    def _repr_html_(self) -> str:
        titles = [escape(one).replace("\n", "<br>") for one in self.head]
        head = "".join(f'<th style="{_CELL};white-space:nowrap">{one}</th>' for one in titles)
        body = "".join(f"<tr>{''.join(self._cell(k, text) for k, text in enumerate(row))}</tr>" for row in self.rows)
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return f'<table style="margin:0 0 .8em 0"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}'

    def _cell(self, column: int, text: str) -> str:
        shown = f"<code>{escape(text)}</code>" if column in self.code and text else escape(text)
        return f'<td style="{_CELL}">{shown}</td>'

    def __repr__(self) -> str:
        rows = [self.head, *self.rows]
        width = [min(WIDEST, max(len(row[k]) for row in rows)) for k in range(len(self.head))]
        lines = []
        for row in rows:
            cells = [textwrap.wrap(text, width[k]) or [""] for k, text in enumerate(row)]
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
