"""Grouping points by their cell, step by step and slowly: what the worked example shows and what the picture draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Frame:
    """A table after one point: ``slots`` hold (cell, row) or None; at ``at`` the point's search ended."""

    words: str
    slots: tuple[tuple[int, int] | None, ...]
    at: int


def step_by_step(cells: Sequence[int], homes: Mapping[int, int], slots: int) -> list[Frame]:
    """One point after another; ``homes`` says where the search for a cell begins. ``ValueError``: too small a table."""
    held: list[tuple[int, int] | None] = [None] * slots
    frames, rows = [], 0
    for point, cell in enumerate(cells):
        passed, slot = [], homes[cell] % slots
        while (there := held[slot]) is not None and there[0] != cell:
            passed.append(str(slot))
            slot = (slot + 1) % slots
            if len(passed) == slots:
                raise ValueError(f"a table of {slots} slots is too small for these cells")
        words = f"point {point}, cell {cell}: "
        words += f"{' and '.join(passed)} taken, " if passed else ""
        if held[slot] is None:
            held[slot] = (cell, rows)
            words += f"takes slot {slot}, row {rows}"
            rows += 1
        else:
            words += f"finds its cell in slot {slot}"
        frames.append(Frame(words, tuple(held), slot))
    return frames
