"""The picture that opens the chapter: what GELU looks like, and what the mask does to it."""

from __future__ import annotations

import numpy as np
from matplotlib.patches import Rectangle

from grader.exercises.ch10_masked_gelu.reference import FORMS, gelu, masked
from grader.view.picture import LINES, PALETTE, QUIET, Picture, figure

_X = np.array([1.5, -0.5, np.nan, 2.0, -3.0, np.inf, -np.inf, np.nan])
_MASK = np.array([1, 255, 0, 2, 0, 0, 1, 1], np.uint8)


def overview() -> Picture:
    """The three forms over x on the left; on the right eight elements, their mask, and what comes out."""
    with figure(8.6, 3.1) as fig:
        curves, cells = fig.subplots(1, 2, width_ratios=(1, 1.25))
        x = np.linspace(-4, 4, 401)
        for form, colour, line in zip(FORMS, PALETTE, LINES, strict=False):
            curves.plot(x, gelu(form, x), color=colour, linestyle=line, label=f"{form} form")
        curves.plot(x, np.maximum(x, 0), color=QUIET, linewidth=0.9, label="ReLU, to compare")
        curves.set(xlim=(-4, 2.2), ylim=(-0.4, 2.2), xlabel="x", title="GELU(x), three forms")
        curves.legend(fontsize=8.5, loc="upper left")
        _draw_cells(cells)
    kept = ", ".join(
        f"{_text(x)} under mask {m} gives {_text(y)}" for x, m, y in zip(_X, _MASK, _y(), strict=True)
    )
    return Picture(
        fig,
        f"Left: the three forms of GELU, close together, 0 on the left and x on the right. Right: {kept}.",
    )


def _y() -> np.ndarray:
    return masked(gelu("erf", _X), _MASK)


def _draw_cells(axes) -> None:
    for row, (name, values) in enumerate([("x", _X), ("mask", _MASK), ("y", _y())]):
        top = 4.2 - 1.7 * row
        axes.text(-0.2, top + 0.5, name, ha="right", va="center", fontweight="bold")
        for i, value in enumerate(values):
            keeps = _MASK[i] != 0
            shade = {"facecolor": PALETTE[0], "alpha": 0.28} if keeps else {"facecolor": "none"}
            axes.add_patch(Rectangle((i + 0.04, top), 0.92, 1, edgecolor="none", **shade))
            edge = {"edgecolor": QUIET, "linestyle": "-" if keeps else (0, (1, 2))}
            axes.add_patch(Rectangle((i + 0.04, top), 0.92, 1, facecolor="none", linewidth=0.9, **edge))
            axes.text(i + 0.5, top + 0.5, _text(value), ha="center", va="center", fontsize=8.5)
            if row:
                axes.annotate(
                    "",
                    (i + 0.5, top + 1.05),
                    (i + 0.5, top + 1.65),
                    arrowprops={"arrowstyle": "-|>", "color": QUIET},
                )
    axes.set(xlim=(-0.9, len(_X) + 0.1), ylim=(0.4, 5.6), title="one byte of mask for each element")
    axes.set_axis_off()


def _text(value) -> str:
    """A number as short as a cell is narrow."""
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "Inf" if value > 0 else "-Inf"
    return f"{value:.3g}"
