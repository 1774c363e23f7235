"""The chapters and what each of them needs first, drawn from left to right as SVG."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence

from grader.course import Chapter

_WIDTH, _HEIGHT = 168, 30  # of a box, in pixels
_GAP_X, _GAP_Y = 48, 12
_LONGEST = 21  # signs of a title that fit


def draw(chapters: Sequence[Chapter], core: Collection[int], full: Collection[int] = ()) -> str:
    """The graph; chapters whose number is in `core` or `full` are marked as done that far.

    A column holds what can be begun together.
    """
    place = _places(chapters)
    if not place:
        return ""
    width = (max(column for column, _ in place.values()) + 1) * (_WIDTH + _GAP_X) - _GAP_X
    height = (max(row for _, row in place.values()) + 1) * (_HEIGHT + _GAP_Y) - _GAP_Y
    edges = [_edge(place[need], place[c.number]) for c in chapters for need in c.prerequisites]
    far = {number: "done" for number in core} | {number: "done full" for number in full}
    boxes = [_box(chapter, place[chapter.number], far.get(chapter.number, "open")) for chapter in chapters]
    words = "; ".join(
        f"{c.number} comes after {' and '.join(map(str, c.prerequisites))}"
        for c in chapters
        if c.prerequisites
    )
    return (
        f'<svg class="graph" viewBox="-2 -2 {width + 4} {height + 4}" style="max-width:{width + 4}px" '
        f'role="img" aria-label="Order of the chapters. {words}">{"".join([*edges, *boxes])}</svg>'
    )


def _places(chapters: Sequence[Chapter]) -> dict[int, tuple[int, int]]:
    """Number -> (column, row). A chapter stands one column right of the last thing that it needs."""
    needs = {chapter.number: chapter.prerequisites for chapter in chapters}
    columns: dict[int, int] = {}

    def column(number: int) -> int:
        if number not in columns:
            columns[number] = 1 + max((column(need) for need in needs[number]), default=-1)
        return columns[number]

    filled: dict[int, int] = {}
    place = {}
    for number in needs:
        row = filled.get(column(number), 0)
        filled[column(number)] = row + 1
        place[number] = column(number), row
    return place


def _corner(place: tuple[int, int]) -> tuple[int, int]:
    return place[0] * (_WIDTH + _GAP_X), place[1] * (_HEIGHT + _GAP_Y)


def _edge(start: tuple[int, int], end: tuple[int, int]) -> str:
    (x1, y1), (x2, y2) = _corner(start), _corner(end)
    x1, y1, y2, bend = x1 + _WIDTH, y1 + _HEIGHT // 2, y2 + _HEIGHT // 2, _GAP_X // 2
    return (
        f'<path d="M{x1} {y1} C{x1 + bend} {y1} {x2 - bend} {y2} {x2 - 7} {y2}"/>'
        f'<path class="head" d="M{x2 - 8} {y2 - 4} L{x2} {y2} L{x2 - 8} {y2 + 4} Z"/>'
    )


def _box(chapter: Chapter, place: tuple[int, int], far: str) -> str:
    x, y = _corner(place)
    title = f"{chapter.number} · {chapter.title}"
    hover = f"{title} ({chapter.core_minutes} min core, {chapter.full_minutes} min in full)"
    shown = title.split(":")[0]
    shown = shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1].rstrip(" ,") + "…"
    return (
        f'<g class="{far}"><title>{html.escape(hover)}</title>'
        f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>'
        f'<text x="{x + 10}" y="{y + 20}">{html.escape(shown)}</text></g>'
    )
