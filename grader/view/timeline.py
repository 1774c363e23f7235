"""A plugin's life as a picture: a lane for each object, a row for each call, a rule between processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from grader.plugin.trace import Call
from grader.view.picture import PALETTE, QUIET, Picture, sheet

_ROW, _LANE, _TEXT = 0.2, 0.95, 5.2  # inches
_LONGEST = 58  # characters of a row's text
# An object has the colour of its kind in every process.
_COLOURS = {"creator": PALETTE[0], "plugin": PALETTE[1], "runtime plugin": PALETTE[2], "context": PALETTE[3],
            "clone": PALETTE[4]}  # fmt: skip


@dataclass(frozen=True)
class _Row:
    """Calls of one method on one object that follow each other, with other arguments perhaps."""

    calls: tuple[Call, ...]

    @property
    def call(self) -> Call:
        """The last of them, whose result is shown."""
        return self.calls[-1]


def timeline(calls: Sequence[Call], *, title: str = "", methods: Sequence[str] | None = None) -> Picture:
    """Draw recorded calls in their order, from top to bottom; ``methods`` draws those alone.

    Calls of one method on one object that follow each other are one row. ``ValueError`` where nothing is left to draw.
    """
    calls = [call for call in calls if methods is None or call.method in methods]
    if not calls:
        raise ValueError("there is no call to draw")
    rows = [_Row(tuple(group)) for _, group in groupby(calls, _which)]
    lanes = list(dict.fromkeys((row.call.process, row.call.object) for row in rows))
    processes = list(dict.fromkeys(process for process, _ in lanes))
    own = {process: [lane for lane in lanes if lane[0] == process] for process in processes}
    left = _LANE * max(map(len, own.values())) + 0.25
    height = 0.85 + _ROW * len(rows) + 0.55 * len(processes)
    fact = f"{len(calls)} calls on {len(lanes)} objects in {len(processes)} process{'es' if len(processes) > 1 else ''}"
    with sheet(left + _TEXT, height, title, fact) as (fig, axes, top):
        y = top + 0.1
        for process, group in groupby(rows, lambda row: row.call.process):
            y = _draw_process(axes, process, list(group), own[process], left, y)
    return Picture(fig, _said(title or "A plugin's life", rows))


def _which(call: Call) -> tuple:
    return call.process, call.object, call.method


def _draw_process(axes, process: int, rows: list[_Row], own: list, left: float, y: float) -> float:
    axes.text(0, y + 0.08, f"process {process}", fontsize=8.5, va="center", color=QUIET)
    axes.plot([0.75, left + _TEXT], [y + 0.08] * 2, color=QUIET, linewidth=0.7, linestyle=(0, (4, 3)))
    y += 0.43
    first, last = {}, {}
    for index, row in enumerate(rows):
        lane = process, row.call.object
        first.setdefault(lane, index)
        last[lane] = index
    for lane in own:
        x = _x(own, lane)
        colour = _colour(lane[1])
        spot = [y + _ROW * first[lane], y + _ROW * last[lane]]
        axes.plot([x, x], spot, color=colour, linewidth=2.2, alpha=0.45, solid_capstyle="round")
        axes.text(x, spot[0] - 0.13, lane[1], fontsize=8, ha="center", va="center", color=colour)
    for index, row in enumerate(rows):
        lane = process, row.call.object
        height, x = y + _ROW * index, _x(own, lane)
        axes.plot([x], [height], marker="o", markersize=4.5, color=_colour(lane[1]))
        axes.plot([x + 0.07, left - 0.1], [height] * 2, color=QUIET, linewidth=0.5, alpha=0.5)
        axes.text(left, height, _text(row), fontsize=8.5, va="center", family="monospace")
    return y + _ROW * len(rows) + 0.12


def _colour(name: str) -> str:
    """Of "plugin 1", "context 2", "clone 3", ..."""
    return _COLOURS.get(name.rstrip("0123456789 "), QUIET)


def _x(lanes: list, lane: tuple) -> float:
    return _LANE * (lanes.index(lane) + 0.5)


def _text(row: _Row) -> str:
    call = row.call
    times = f" ×{len(row.calls)}" if len(row.calls) > 1 else ""
    if call.method == "getCapabilityInterface":  # what it was asked for says more than an address
        asked = (str(each.arguments[0]) + (" → null" if each.result is None else "") for each in row.calls)
        return f"{call.method}{times}: {', '.join(asked)}"
    result = "" if call.result is None or call.method in ("destroy", "~IPluginV3") else f" → {_short(call.result)}"
    phase = f"({call.arguments[2]})" if call.method == "createPlugin" and len(call.arguments) > 2 else ""
    text = f"{call.method}{phase}{times}{result}"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _short(value) -> str:
    if isinstance(value, str):
        return value if value else '""'
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_short, value)) + "]"
    return str(value)


def _said(title: str, rows: list[_Row]) -> str:
    parts = [f"{row.call.object}: {_text(row)}" for row in rows[:60]]
    more = f"; and {len(rows) - 60} more" if len(rows) > 60 else ""
    return f"{title}. In order, {'; '.join(parts)}{more}."
