"""The picture of one access to shared memory: 32 banks, and the words that each has to give."""

from __future__ import annotations

from collections.abc import Mapping

from grader.view.banks import BANKS, BankAccess, bank_access
from grader.view.picture import PALETTE, QUIET, Picture, sheet

_LABEL, _CELL, _HEIGHT = 0.5, 0.25, 0.22  # inches
_MOST_ROWS = 16


def bank_map(addresses: Mapping[int, int], itemsize: int, *, title: str = "", load: bool = True) -> Picture:
    """Draw the lanes over the banks; ``addresses``: lane -> byte in shared memory.

    A column is a bank, a row a pass: a bank gives one word of 4 bytes a pass, to every lane that wants it. Where an
    access goes by half warps or quarters, the picture shows the part with the most passes.
    """
    from matplotlib.patches import Rectangle

    access = bank_access(addresses, itemsize, load=load)
    fact = _fact(access)
    phase = access.worst if access.phases else None
    depth = phase.wavefronts if phase else 0
    rows = min(depth, _MOST_ROWS)
    width = _LABEL + BANKS * _CELL + 0.05
    height = (0.66 if title else 0.46) + (rows + 1) * _HEIGHT + 0.3
    with sheet(width, height, title, fact) as (fig, axes, top):
        middle = {"ha": "center", "va": "center"}
        axes.text(_LABEL - 0.06, top + _HEIGHT / 2, "bank", ha="right", va="center", fontsize=8, color=QUIET)
        for bank in range(BANKS):
            x = _LABEL + bank * _CELL
            axes.text(x + _CELL / 2, top + _HEIGHT / 2, str(bank), fontsize=7, color=QUIET, **middle)
            words = list(phase.banks.get(bank, {}).values()) if phase else []
            for row in range(rows):
                y = top + (row + 1) * _HEIGHT
                lanes = words[row] if row < len(words) else []
                style = {"facecolor": PALETTE[0], "edgecolor": PALETTE[0]} if lanes else {
                    "facecolor": "none", "edgecolor": QUIET, "linestyle": ":", "alpha": 0.6,
                }  # fmt: skip
                box = Rectangle((x + 0.012, y + 0.012), _CELL - 0.024, _HEIGHT - 0.024, linewidth=0.7, **style)
                axes.add_patch(box)
                if lanes:
                    text = str(lanes[0]) if len(lanes) == 1 else f"×{len(lanes)}"
                    axes.text(x + _CELL / 2, y + _HEIGHT / 2 + 0.008, text, fontsize=7, color="white", **middle)
        for row in range(rows):
            y = top + (row + 1.5) * _HEIGHT
            axes.text(_LABEL - 0.06, y, f"pass {row + 1}", ha="right", va="center", fontsize=8, color=QUIET)
        more = f"{depth - rows} passes more are not drawn; " if depth > rows else ""
        key = f"{more}in each place the thread that wants this word of the bank"
        axes.text(0, top + (rows + 1) * _HEIGHT + 0.14, key, fontsize=8, color=QUIET, va="center")
    what = f"{title + ': ' if title else ''}access of one warp to shared memory"
    return Picture(fig, f"{what}. {fact}. {_crowded(access)}")


def _fact(access: BankAccess) -> str:
    if not access.phases:
        return "no thread takes part: nothing is read"
    passes = access.wavefronts
    parts = {1: "", 2: " (by half warps)", 4: " (by quarters of a warp)"}[access.parts]
    return (
        f"{access.active} threads, {access.itemsize} byte{'' if access.itemsize == 1 else 's'} each: "
        f"{passes} wavefront{'' if passes == 1 else 's'}{parts}"
    )


def _crowded(access: BankAccess) -> str:
    if not access.phases or access.worst.wavefronts == 1:
        return "Every bank gives one word a pass at most: no conflict." if access.phases else ""
    worst = access.worst
    banks = [bank for bank, words in worst.banks.items() if len(words) == worst.wavefronts]
    named = ", ".join(map(str, banks[:8])) + (", and so on" if len(banks) > 8 else "")
    return f"The most words, {worst.wavefronts}, are wanted of bank{'s' if len(banks) > 1 else ''} {named}."
