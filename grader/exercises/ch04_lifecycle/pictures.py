"""The pictures of the chapter: who makes and owns which object, what a copy copies, a guess beside a recorded order."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.patches import FancyBboxPatch

from grader.exercises.ch04_lifecycle.order import DOCUMENTED, OPEN, Guess, recorded_order
from grader.plugin.trace import Call
from grader.view.picture import PALETTE, QUIET, Picture, sheet

_YOURS, _THEIRS = (PALETTE[1], (0, (4, 2))), (PALETTE[0], "-")  # colour and line of who destroys an object


def owners() -> Picture:
    """Two processes; every object of a plugin's life, what made it, and who destroys it."""
    with sheet(
        9.2, 4.5, "", "Dashed: you destroy it.  Solid: TensorRT does.  Dotted: it lives as long as its library."
    ) as (fig, axes, top):
        for x, words in ((0.1, "the process that builds an engine"), (5.15, "the process that runs it")):
            axes.text(x, top + 0.12, words, fontsize=9.5, va="center", color=QUIET)
        axes.plot([4.62, 4.62], [top, 4.45], color=QUIET, linewidth=0.8, linestyle=(0, (2, 3)))
        _box(axes, 0.1, 0.85, "creator", "one in the library", QUIET, ":")
        _box(axes, 0.1, 2.05, "your plugin", "for the network", *_YOURS)
        _box(axes, 2.5, 2.05, "TensorRT's clones", "how many is not said", *_THEIRS)
        _box(axes, 2.5, 3.55, "a plugin to time", "perhaps", *_THEIRS)
        _box(axes, 5.15, 0.85, "creator", "one in the library", QUIET, ":")
        _box(axes, 5.15, 2.05, "the engine's plugin", "made from the plan", *_THEIRS)
        _box(axes, 7.5, 2.05, "context A's plugin", "runs", *_THEIRS)
        _box(axes, 7.5, 3.55, "context B's plugin", "runs", *_THEIRS)
        _arrow(axes, (0.9, 1.43), (0.9, 2.03), "createPlugin(kBUILD)", (1.0, 1.72))
        _arrow(axes, (1.72, 2.33), (2.48, 2.33), "clone()", (2.1, 2.2), ha="center")
        _arrow(axes, (3.3, 2.63), (3.3, 3.53), "attachToContext()", (3.38, 3.2))
        _arrow(axes, (5.95, 1.43), (5.95, 2.03), "createPlugin(kRUNTIME)", (6.05, 1.72))
        _arrow(axes, (6.77, 2.33), (7.48, 2.33), "attach", (7.12, 2.2), ha="center")
        _arrow(axes, (6.6, 2.63), (7.48, 3.75), "attach", (6.72, 3.32), ha="center")
        axes.add_patch(FancyBboxPatch((2.75, 0.95), 1.1, 0.4, boxstyle="round,pad=0.02", facecolor="none",
                                      edgecolor=PALETTE[2], linewidth=1.6))  # fmt: skip
        axes.text(3.3, 1.15, "the plan: fields", fontsize=8.5, ha="center", va="center")
        _arrow(axes, (3.3, 2.03), (3.3, 1.4), "getFieldsTo-\nSerialize()", (3.38, 1.72))
        _arrow(axes, (3.88, 1.15), (5.12, 1.15), "", (0, 0))
    return Picture(
        fig,
        "In the process that builds an engine, the creator makes your plugin by createPlugin(kBUILD); you destroy it. "
        "TensorRT makes clones of it, perhaps times one of them, and destroys those. What getFieldsToSerialize() gives "
        "goes into the plan. In the process that runs the engine another creator makes the engine's plugin from the "
        "plan, with createPlugin(kRUNTIME); attachToContext() makes a plugin of each context. TensorRT destroys these. "
        "A creator lives as long as its library.",
    )


def _box(axes, x: float, y: float, name: str, note: str, colour: str, line) -> None:
    axes.add_patch(FancyBboxPatch((x, y), 1.6, 0.56, boxstyle="round,pad=0.02", facecolor=colour, alpha=0.12,
                                  linewidth=0))  # fmt: skip
    axes.add_patch(FancyBboxPatch((x, y), 1.6, 0.56, boxstyle="round,pad=0.02", facecolor="none", edgecolor=colour,
                                  linestyle=line, linewidth=1.8))  # fmt: skip
    axes.text(x + 0.8, y + 0.2, name, fontsize=9, ha="center", va="center", fontweight="bold")
    axes.text(x + 0.8, y + 0.41, note, fontsize=8, ha="center", va="center", color=QUIET)


def _arrow(axes, start: tuple, end: tuple, words: str, at: tuple, **how) -> None:
    axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": QUIET, "linewidth": 1.1, "shrinkA": 0,
                                              "shrinkB": 0})  # fmt: skip
    if words:
        axes.text(*at, words, fontsize=8, va="center", family="monospace", **how)


def copies() -> Picture:
    """A plugin with a number, a vector, a device pointer and a list of fields, beside what `= default` copies."""
    rows = (
        ("float", "a number", "another number", "right"),
        ("std::vector<float>", "owns its elements", "elements of its own", "right"),
        ("float* on the device", "an address", "the same address", "two owners: freed twice"),
        ("PluginField with &member", "points into this object", "points into the original", "dangles once it is gone"),
        ("std::unique_ptr", "one owner", "does not compile", "right: the compiler asks"),
        ("std::shared_ptr", "counts its owners", "one more owner", "right if nobody writes to it"),
    )
    width, height = 8.8, 0.75 + 0.42 * len(rows)
    with sheet(width, height, "", "What a default copy constructor makes of a member") as (fig, axes, top):
        columns = (0.05, 2.45, 4.5, 6.55)
        for x, words in zip(columns, ("member", "in the original", "in the copy", "so"), strict=True):
            axes.text(x, top + 0.1, words, fontsize=9, color=QUIET, va="center")
        for index, (member, original, copy, so) in enumerate(rows):
            y = top + 0.42 + 0.42 * index
            good = so.startswith("right")
            colour = PALETTE[2] if good else PALETTE[1]
            axes.text(columns[0], y, member, fontsize=9, va="center", family="monospace")
            axes.text(columns[1], y, original, fontsize=9, va="center")
            axes.annotate("", (columns[2] - 0.08, y), (columns[2] - 0.38, y),
                          arrowprops={"arrowstyle": "-|>", "color": QUIET})  # fmt: skip
            axes.text(columns[2], y, copy, fontsize=9, va="center")
            axes.plot([columns[3] - 0.17], [y], marker="o" if good else "X", markersize=7, color=colour)
            axes.text(columns[3], y, so, fontsize=9, va="center")
    said = "; ".join(f"{member}: {original} becomes {copy}, {so}" for member, original, copy, so in rows)
    return Picture(fig, f"What a default copy constructor makes of a member. {said}.")


def compare(guess: str, calls: Sequence[Call]) -> Picture:
    """A guessed order on the left, a recorded one on the right, a line for each method; bold and named: what the
    headers put the other way round. ``ValueError`` says what is wrong with the guess."""
    mine, real = Guess(guess), recorded_order(calls)
    if set(mine.methods) != set(real):
        raise ValueError(f"the recorded life has no {sorted(set(mine.methods) - set(real))[0]}")
    broken = mine.broken()
    blamed = {each.first for each in broken} | {each.then for each in broken}
    step, left, right = 0.27, 2.0, 4.6
    lines = [f"The headers: {each.first} before {each.then}, since {each.reason}." for each in broken]
    lines += ["The headers leave open:", *(f"      {question}" for question in OPEN)]
    height = 1.1 + step * len(real) + 0.24 * len(lines)
    fact = f"{len(DOCUMENTED) - len(broken)} of {len(DOCUMENTED)} documented orders are as you said"
    with sheet(8.8, height, "Your order and the recorded one", fact) as (fig, axes, top):
        top += 0.15
        axes.text(left, top, "yours", fontsize=9, ha="right", color=QUIET, va="center")
        axes.text(right, top, "recorded", fontsize=9, color=QUIET, va="center")
        for at, name in enumerate(mine.methods):
            wrong = name in blamed
            y, other = top + step * (at + 1), top + step * (real.index(name) + 1)
            axes.plot([left + 0.08, right - 0.08], [y, other], color=PALETTE[1] if wrong else PALETTE[0],
                      linewidth=2.4 if wrong else 1.2, linestyle="--" if wrong else "-")  # fmt: skip
            axes.text(left, y, name, fontsize=8.5, ha="right", va="center", family="monospace")
            axes.text(right, other, name, fontsize=8.5, va="center", family="monospace")
        y = top + step * (len(real) + 1) + 0.12
        for line in lines:
            axes.text(0, y, line, fontsize=8.5, va="center")
            y += 0.24
    told = " ".join([*([] if broken else ["Nothing contradicts the headers."]), *map(str.strip, lines)])
    return Picture(fig, f"Your order: {', '.join(mine.methods)}. Recorded: {', '.join(real)}. {told}")
