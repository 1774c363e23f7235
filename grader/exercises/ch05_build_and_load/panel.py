"""The cases of "creator not found" and of the pre-flight check in a notebook: all as a list, and one with its facts."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from grader.exercises.ch05_build_and_load import preflight
from grader.exercises.ch05_build_and_load.cases import KEYS, Case, visible

TRIPLE = ("name", "version", "namespace")
_CELL = "text-align:left;vertical-align:top;padding:3px 14px 3px 0;border-bottom:1px solid #8885"
_STYLES = ("font-family:monospace;white-space:nowrap", "font-family:monospace;overflow-wrap:anywhere", "opacity:.75")


class Table:
    """A table that a notebook shows, and ``print`` too. ``styles``: of its columns, in CSS."""

    def __init__(self, title: str, rows: Iterable[tuple[str, ...]], note: str = "", styles: Sequence[str] = _STYLES):
        self.title, self.rows, self.note, self.styles = title, [*rows], note, styles

    def _repr_html_(self) -> str:
        lines = "".join(
            "<tr>" + "".join(_cell(part, style) for part, style in zip(row, self.styles, strict=False)) + "</tr>"
            for row in self.rows
        )
        note = f'<p style="margin:.3em 0">{html.escape(self.note)}</p>' if self.note else ""
        table = f'<table style="border-collapse:collapse">{lines}</table>'
        return f"<p><strong>{html.escape(self.title)}</strong></p>{note}{table}"

    def __repr__(self) -> str:
        return "\n".join([self.title, *filter(None, [self.note]), *("  ".join(row) for row in self.rows)])


class Shown(Table):
    """A case; ``evidence`` is the dict that your function is given."""

    def __init__(self, case: Case):
        self.evidence = dict(case.evidence)
        asked = ", ".join(repr(self.evidence[part]) for part in TRIPLE)
        rows = [(key, _value(self.evidence[key]), KEYS[key]) for key in KEYS if key not in TRIPLE]
        super().__init__(f"{case.id}: {case.title}", rows, f"getCreator({asked}) gave null. What is known:")


class ShownFile(Table):
    """A library's file; ``facts`` and ``target`` are what your test is given."""

    def __init__(self, case: preflight.Case):
        self.facts, self.target = dict(case.facts), dict(case.target)
        rows = [(f'facts["{key}"]', _value(value)) for key, value in self.facts.items()]
        rows += [(f'target["{key}"]', _value(value)) for key, value in self.target.items()]
        super().__init__(f"{case.id}: {case.title}", rows)


def not_found(case: str | None = None) -> Table:
    """All look-ups by name and title, or one with its evidence. ``KeyError`` names those that there are."""
    return _one(case, "Look-ups that found no creator", visible(), Shown)


def library_file(case: str | None = None) -> Table:
    """All libraries of the pre-flight check by name and title, or one with its facts. ``KeyError`` as above."""
    return _one(case, "Libraries as files", preflight.visible(), ShownFile)


def _one(wanted: str | None, title: str, cases, shown) -> Table:
    if wanted is None:
        return Table(title, [(each.id, each.title) for each in cases], styles=(_STYLES[0], ""))
    for each in cases:
        if each.id == wanted:
            return shown(each)
    raise KeyError(
        f"there is no case {wanted!r}; there are {', '.join(each.id for each in cases)} (of a random case the "
        "panel says what matters)"
    )


def _value(value) -> str:
    """One entry a line: a row of a table as "a · b · c", an empty list as "nothing"."""
    if isinstance(value, str):
        return value or "nothing"
    lines = (" · ".join(part or "''" for part in one) if isinstance(one, list) else one for one in value)
    return "\n".join(lines) or "nothing"


def _cell(text: str, style: str) -> str:
    shown = html.escape(text).replace("\n", "<br>")
    return f'<td style="{_CELL};{style}">{shown}</td>'
