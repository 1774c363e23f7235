"""The cases of "creator not found" in a notebook: all of them as a list, and one with its evidence."""

from __future__ import annotations

import html
from collections.abc import Iterable

from grader.exercises.ch05_build_and_load.cases import KEYS, Case, visible

TRIPLE = ("name", "version", "namespace")
_CELL = 'style="text-align:left;vertical-align:top;padding:3px 12px 3px 0;border-bottom:1px solid #8885"'
_MONO = "font-family:monospace;font-size:.92em;overflow-wrap:anywhere"


class Table:
    """A table that a notebook shows, and ``print`` too."""

    def __init__(self, title: str, rows: Iterable[tuple[str, ...]], note: str = ""):
        self.title, self.rows, self.note = title, [*rows], note

    def _repr_html_(self) -> str:
        lines = "".join(
            "<tr>" + "".join(f"<td {_CELL}>{_shown(part, i)}</td>" for i, part in enumerate(row)) + "</tr>"
            for row in self.rows
        )
        note = f'<p style="margin:.3em 0">{html.escape(self.note)}</p>' if self.note else ""
        return f"<p><strong>{html.escape(self.title)}</strong></p>{note}<table>{lines}</table>"

    def __repr__(self) -> str:
        return "\n".join([self.title, *filter(None, [self.note]), *("  ".join(row) for row in self.rows)])


class Shown(Table):
    """A case; ``evidence`` is the dict that your function is given."""

    def __init__(self, case: Case):
        self.evidence = dict(case.evidence)
        asked = ", ".join(repr(self.evidence[part]) for part in TRIPLE)
        rows = [(key, _value(self.evidence[key]), KEYS[key]) for key in KEYS if key not in TRIPLE]
        super().__init__(f"{case.id}: {case.title}", rows, f"getCreator({asked}) gave null. What is known:")


def not_found(case: str | None = None) -> Table:
    """All cases by name and title, or one with its evidence. ``KeyError`` names those that there are."""
    if case is None:
        return Table("Look-ups that found no creator", [(each.id, each.title) for each in visible()])
    for each in visible():
        if each.id == case:
            return Shown(each)
    raise KeyError(f"there is no case {case!r}; there are {', '.join(each.id for each in visible())}")


def _value(value) -> str:
    """One entry a line: a row of a table as "a · b · c", an empty list as "nothing"."""
    if isinstance(value, str):
        return value or "nothing"
    lines = (" · ".join(part or "''" for part in one) if isinstance(one, list) else one for one in value)
    return "\n".join(lines) or "nothing"


def _shown(text: str, column: int) -> str:
    shown = html.escape(text).replace("\n", "<br>")
    return f'<span style="{_MONO}">{shown}</span>' if column < 2 else f'<span style="opacity:.75">{shown}</span>'
