"""The pictures of the chapter: memory for the most rows, and what the count says of it; points on their way into a hash
table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.patches import FancyBboxPatch, Rectangle

from grader.exercises.ch09_data_dependent_shapes.grouping import step_by_step
from grader.view.picture import INK, PALETTE, QUIET, Picture, sheet

_SIDE, _POINTS = 4, 9  # cells of the picture's grid on a side, points in it


def overview() -> Picture:
    """Points in a grid on the left, the outputs with room for all that could be on the right."""
    rng = np.random.default_rng(11)
    points = rng.uniform(0, _SIDE, (_POINTS, 2)) * (1, 0.62)
    cells = np.unique(points.astype(int) @ (1, _SIDE))
    most = min(_POINTS, _SIDE * _SIDE)
    fact = f"{_POINTS} points lie in {len(cells)} of {_SIDE * _SIDE} cells. There is memory for {most} rows."
    with sheet(8.8, 3.45, "", fact) as (fig, axes, top):
        left, step = 0.15, 0.68
        bottom = top + 0.25
        for cell in range(_SIDE * _SIDE):
            x, y = cell % _SIDE, cell // _SIDE
            held = cell in cells
            axes.add_patch(Rectangle((left + step * x, bottom + step * y), step, step, edgecolor=QUIET, linewidth=0.8,
                                     facecolor=PALETTE[0] if held else "none", alpha=0.25 if held else 1))  # fmt: skip
            if held:
                axes.text(left + step * x + 0.07, bottom + step * y + 0.13, str(cell), fontsize=8, color=INK)
        axes.plot(left + step * points[:, 0], bottom + step * points[:, 1], "o", markersize=5, color=PALETTE[1])
        axes.text(left, top + 0.1, "points: what nobody knows before", fontsize=9, color=QUIET, va="center")
        right, row = 4.7, 0.27
        axes.text(right, top + 0.1, "features: as large as the bound", fontsize=9, color=QUIET, va="center")
        for index in range(most):
            used = index < len(cells)
            y = bottom + row * index
            axes.add_patch(Rectangle((right, y), 1.9, row, edgecolor=QUIET, linewidth=0.8, alpha=0.3 if used else 1,
                                     facecolor=PALETTE[0] if used else "none",
                                     hatch="" if used else "////"))  # fmt: skip
            words = f"the mean of cell {cells[index]}" if used else ""
            axes.text(right + 0.95, y + row / 2, words, fontsize=8, ha="center", va="center")
        end = bottom + row * len(cells)
        axes.text(right + 2.0, bottom + row * most - 0.1, "undefined,\nnobody looks", fontsize=8.5, va="bottom",
                  color=QUIET)  # fmt: skip
        axes.add_patch(FancyBboxPatch((right + 2.15, bottom + 0.35), 1.3, 0.5, boxstyle="round,pad=0.02",
                                      facecolor="none", edgecolor=PALETTE[1], linewidth=1.8))  # fmt: skip
        axes.text(right + 2.8, bottom + 0.6, f"count: {len(cells)}", fontsize=10, ha="center", va="center",
                  fontweight="bold")  # fmt: skip
        axes.annotate("", (right + 1.92, end), (right + 2.6, bottom + 0.87),
                      arrowprops={"arrowstyle": "-|>", "color": PALETTE[1], "linewidth": 1.4})  # fmt: skip
        axes.annotate("", (right - 0.1, bottom + 0.9), (left + step * _SIDE + 0.1, bottom + 0.9),
                      arrowprops={"arrowstyle": "-|>", "color": QUIET, "linewidth": 1.4})  # fmt: skip
        axes.text((right + left + step * _SIDE) / 2, bottom + 0.72, "enqueue()", fontsize=8.5, ha="center",
                  family="monospace")  # fmt: skip
    return Picture(
        fig,
        f"{fact} On the left, points lie in a grid; {len(cells)} cells hold some. On the right is the output: a row "
        f"for the mean of each of these cells, then rows that are undefined and that nobody looks at. A second output, "
        f"the count, holds {len(cells)} and says where the rows end.",
    )


def table(cells: Sequence[int], homes: Mapping[int, int], slots: int = 8) -> Picture:
    """A hash table after each point that comes: who took which slot, and which row."""
    frames = step_by_step(cells, homes, slots)
    width, height = 8.8, 0.6 + 0.36 * len(frames)
    with sheet(width, height, "", "bold: the slot that the point ends at; r: the row of the cell") as (fig, axes, top):
        first, box = 4.2, 0.55
        for slot in range(slots):
            axes.text(first + box * (slot + 0.5), top + 0.12, str(slot), fontsize=8.5, color=QUIET, ha="center",
                      va="center")  # fmt: skip
        for index, frame in enumerate(frames):
            y = top + 0.25 + 0.36 * index
            axes.text(0.05, y + 0.16, frame.words, fontsize=8.5, va="center")
            for slot, held in enumerate(frame.slots):
                here = slot == frame.at
                axes.add_patch(Rectangle((first + box * slot, y), box, 0.31, edgecolor=PALETTE[1] if here else QUIET,
                                         linewidth=2.0 if here else 0.7, facecolor="none",
                                         zorder=3 if here else 1))  # fmt: skip
                if held is not None:
                    axes.text(first + box * (slot + 0.5), y + 0.16, f"{held[0]} r{held[1]}", fontsize=8, ha="center",
                              va="center", fontweight="bold" if here else "normal")  # fmt: skip
    return Picture(fig, "A hash table as points come: " + "; ".join(each.words for each in frames) + ".")
