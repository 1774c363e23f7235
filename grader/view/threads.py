"""The threads of a one-dimensional grid over the elements of an array."""

from __future__ import annotations

from matplotlib.patches import Rectangle

from grader.view.picture import PALETTE, QUIET, Picture, figure

_MOST = 32


def thread_grid(n: int, threads: int, blocks: int | None = None, *, title: str = "") -> Picture:
    """Draw ``blocks`` blocks of ``threads`` threads above an array of ``n`` elements, each under its thread.

    ``blocks``: as many as n needs, if left out. Threads without an element are hollow. Where there are fewer
    threads than elements they come back, as in a grid-stride loop, and the picture shows each step. At most
    32 columns.

    >>> thread_grid(10, 4)               # two spare threads in the last block
    >>> thread_grid(16, 4, blocks=2)     # two steps
    """
    blocks = -(-n // max(threads, 1)) if blocks is None else blocks
    total = blocks * threads
    columns = max(n, total)
    if min(n, threads, blocks) < 1 or columns > _MOST:
        raise ValueError(
            f"n, threads and blocks must be at least 1, and at most {_MOST} columns can be drawn"
        )
    steps = -(-n // total)
    with figure(0.7 + 0.36 * columns, 2.35 + 0.25 * (steps > 1)) as fig:
        axes = fig.add_subplot()
        for number in range(total):
            block, thread = divmod(number, threads)
            _cell(axes, number, 2.1, str(thread), block, hollow=number >= n)
        for block in range(blocks):
            middle = block * threads + threads / 2
            axes.text(middle, 3.65, f"block {block}", ha="center", fontweight="bold")
            axes.plot(
                [block * threads + 0.1, (block + 1) * threads - 0.1], [3.45] * 2, color=QUIET, linewidth=1
            )
        for element in range(n):
            _cell(axes, element, 0, str(element), element % total // threads)
        for number in range(min(n, total)):
            axes.annotate(
                "", (number + 0.5, 1.1), (number + 0.5, 2.0), arrowprops={"arrowstyle": "-|>", "color": QUIET}
            )
        if steps > 1:
            for step in range(steps):
                left, right = step * total, min(n, (step + 1) * total)
                axes.plot([left + 0.1, right - 0.1], [-0.25] * 2, color=QUIET, linewidth=1)
                axes.text((left + right) / 2, -0.4, f"step {step}", ha="center", va="top")
        axes.text(-0.25, 2.6, "threadIdx.x", ha="right", va="center")
        axes.text(-0.25, 0.5, "element i", ha="right", va="center")
        axes.set(xlim=(-3.2, columns + 0.1), ylim=(-0.3 if steps == 1 else -1.1, 4.3))
        axes.set_axis_off()
        if title:
            axes.set_title(title)
    spare = f" {total - n} threads have no element." if total > n else ""
    again = f" The threads come back: {steps} steps of {total} elements." if steps > 1 else ""
    alt = (
        f"{title or 'Threads over an array'}: {blocks} blocks of {threads} threads over {n} elements; "
        f"thread t of block b is above element b times {threads} plus t.{spare}{again}"
    )
    return Picture(fig, alt)


def _cell(axes, left: int, bottom: float, text: str, block: int, hollow: bool = False) -> None:
    # No hatches: JupyterLab takes SVG patterns out of what it does not trust. Labels tell the blocks apart.
    colour = PALETTE[block % len(PALETTE)]
    face = "none" if hollow else colour
    box = Rectangle(
        (left + 0.06, bottom), 0.88, 1, edgecolor=colour, facecolor=face, alpha=1 if hollow else 0.32
    )
    if hollow:
        box.set_linestyle((0, (2, 2)))
    axes.add_patch(box)
    axes.text(left + 0.5, bottom + 0.48, text, ha="center", va="center", color=QUIET if hollow else None)
