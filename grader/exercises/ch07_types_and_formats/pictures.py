"""The pictures of the chapter: what is promised and kept, and how a tensor lies in memory in four formats."""

from __future__ import annotations

import numpy as np
from matplotlib.patches import FancyBboxPatch, Rectangle

from grader.plugin.layouts import padded_shape, tensor_marks, to_layout
from grader.view.picture import PALETTE, QUIET, Picture, sheet

_CHANNELS = (PALETTE[0], PALETTE[1], PALETTE[2])


def promise() -> Picture:
    """Three questions, three answers, and where each is kept."""
    rows = (
        ("getFieldNames()", "“slope, kFLOAT32”", "createPlugin() reads slope as FP32"),
        ("supportsFormatCombination()", "“FP16, linear: yes”", "a kernel that reads FP16, linear"),
        ("getOutputDataTypes()", "“y as x”", "the same kernel writes FP16"),
    )
    with sheet(9.2, 2.6, "", "What the plugin says before it runs, and what has to keep it.") as (fig, axes, top):
        for at, (asked, said, kept) in enumerate(rows):
            y = top + 0.15 + 0.68 * at
            _box(axes, 0.1, y, 2.5, asked, PALETTE[0])
            _box(axes, 3.4, y, 1.9, said, PALETTE[1])
            _box(axes, 6.1, y, 2.9, kept, PALETTE[2])
            for start, end, word in ((2.62, 3.38, "answers"), (5.32, 6.08, "kept by")):
                axes.annotate("", (end, y + 0.23), (start, y + 0.23),
                              arrowprops={"arrowstyle": "-|>", "color": QUIET, "linewidth": 1.2})  # fmt: skip
                axes.text((start + end) / 2, y + 0.12, word, fontsize=8, ha="center", va="center", color=QUIET)
    return Picture(
        fig,
        "What getFieldNames() advertises, createPlugin() reads: slope as FP32. What supportsFormatCombination() "
        "accepts, FP16 linear, a kernel reads. What getOutputDataTypes() says, y as x, the same kernel writes.",
    )


def layouts() -> Picture:
    """The first 24 places of a tensor (1, 3, 2, 4) in memory, in four formats."""
    shape, places = (1, 3, 2, 4), 24
    numbers = np.arange(1, 1 + np.prod(shape)).reshape(shape)
    rows = (("kLINEAR", "float16", "linear"), ("kCHW2", "float16", "chw2"), ("kHWC8", "float16", "hwc8"),
            ("kHWC", "float32", "hwc"))  # fmt: skip
    words = []
    with sheet(9.2, 2.75, "", "A tensor (1, 3, 2, 4) in memory, its first 24 places. Colour: the channel. Number: the "
               "pixel. Grey: padding.") as (fig, axes, top):  # fmt: skip
        for at, (name, kind, layout) in enumerate(rows):
            y = top + 0.12 + 0.52 * at
            stored = np.frombuffer(to_layout(numbers, kind, layout), np.float16 if kind == "float16" else np.float32)
            real = tensor_marks(shape, kind, layout)[:: 2 if kind == "float16" else 4]
            axes.text(0, y + 0.17, name, fontsize=9, va="center", fontweight="bold")
            for place in range(places):
                x = 0.95 + 0.32 * place
                pixel, channel = (int(stored[place]) - 1) % 8, (int(stored[place]) - 1) // 8
                colour = _CHANNELS[channel] if real[place] else QUIET
                axes.add_patch(Rectangle((x, y), 0.3, 0.34, facecolor=colour, alpha=0.35 if real[place] else 0.15))
                if real[place]:
                    axes.text(x + 0.15, y + 0.18, str(pixel), fontsize=8, ha="center", va="center")
            more = int(np.prod(padded_shape(shape, layout))) - places
            axes.text(0.95 + 0.32 * places + 0.05, y + 0.17, f"+ {more}" if more else "", fontsize=8, va="center",
                      color=QUIET)  # fmt: skip
            words.append(f"{name}: {_order(stored, real, places)}")
    return Picture(fig, "A tensor of 3 channels with 8 pixels each, place by place. " + " ".join(words))


def _order(stored, real, places: int) -> str:
    first = [f"channel {(int(stored[p]) - 1) // 8} pixel {(int(stored[p]) - 1) % 8}" if real[p] else "padding"
             for p in range(min(4, places))]  # fmt: skip
    return ", ".join(first) + " and so on."


def _box(axes, x: float, y: float, width: float, words: str, colour: str) -> None:
    for fill, edge, alpha in ((colour, "none", 0.14), ("none", colour, 1)):
        axes.add_patch(FancyBboxPatch((x, y), width, 0.46, boxstyle="round,pad=0.02", facecolor=fill, edgecolor=edge,
                                      alpha=alpha, linewidth=1.4))  # fmt: skip
    axes.text(x + width / 2, y + 0.24, words, fontsize=8.8, ha="center", va="center")
