"""The pictures of the chapter: an output's shape as a tree of expressions, and what each method sees of an extent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.patches import FancyBboxPatch

from grader.plugin.records import Shapes
from grader.plugin.trace import Call
from grader.view.picture import INK, PALETTE, QUIET, Picture, sheet

_OPERATIONS = ("kSUM", "kPROD", "kMAX", "kMIN", "kSUB", "kEQUAL", "kLESS", "kFLOOR_DIV", "kCEIL_DIV")
_WIDE, _STEP, _LINE = 1.35, 1.75, 0.56  # inches: a box, from one operation to the next, from one leaf to the next
# [1, H, Q, ceil_div(P + Q, 8) * 8], as getOutputShapes() of the exercise builds it
_BIAS = Shapes(
    0,
    (("c", 1), ("s", "H"), ("s", "Q"), ("s", "P"), ("o", 0, 3, 2), ("c", 8), ("o", 8, 4, 5), ("o", 1, 6, 5)),
    ((0, 1, 2, 7),),
)


def overview() -> Picture:
    """The shape that the exercise builds, at three runs of a profile."""
    runs = ({"H": 4, "Q": 6, "P": 9}, {"H": 4, "Q": 1, "P": 15}, {"H": 4, "Q": 5, "P": 0})
    return expressions(_BIAS, runs, name="bias", inputs="query [B, H, Q, D], past [B, H, P, D], table [R, H]; pad_to 8")


def expressions(
    shapes: Shapes, runs: Sequence[Mapping[str, int]], *, name: str = "y", inputs: str = "", output: int = 0
) -> Picture:
    """An output's extents as trees, from the inputs' extents on the left to the output's on the right; in each box its
    value in each of the runs."""
    row = shapes.outputs[output]
    trees = [_Tree(shapes, node, runs) for node in row]
    deep = max(tree.depth for tree in trees)
    width = 0.3 + _STEP * (deep + 1) + 1.7
    height = 0.75 + _LINE * sum(tree.leaves for tree in trees) + 0.12 * (len(trees) - 1)
    at = "; ".join(", ".join(f"{key} = {value}" for key, value in run.items()) for run in runs)
    with sheet(max(width, 8.8), height, "", inputs) as (fig, axes, y):
        axes.text(0, y + 0.1, f"Below each name its value at {at}.", fontsize=8.5, color=QUIET, va="center")
        y += 0.3
        for axis, tree in enumerate(trees):
            middle = _draw(axes, tree, y, deep)
            x = 0.1 + _STEP * (deep + 1)
            _arrow(axes, (0.1 + _STEP * tree.depth + _WIDE, middle), (x, middle))
            _box(axes, x, middle, f"{name}.d[{axis}]", tree.values, PALETTE[2])
            y += _LINE * tree.leaves + 0.12
    said = "; ".join(
        f"{name}.d[{axis}] is {shapes.text(node)}, which is {', '.join(map(str, tree.values))}"
        for axis, (node, tree) in enumerate(zip(row, trees, strict=True))
    )
    return Picture(fig, f"The shape of {name} as expressions, with values at {at}. {said}.")


class _Tree:
    """A node of a shape with what it is made of; ``values``: in each run."""

    def __init__(self, shapes: Shapes, node: int, runs: Sequence[Mapping[str, int]]):
        kind, first, *operands = shapes.nodes[node]
        self.values = [shapes.evaluate(node, run) for run in runs]
        self.parts = [_Tree(shapes, each, runs) for each in operands] if kind == "o" else []
        self.label = _OPERATIONS[first] if kind == "o" else str(first)
        self.constant = kind == "c"
        self.depth = 1 + max(part.depth for part in self.parts) if self.parts else 0
        self.leaves = sum(part.leaves for part in self.parts) or 1


def _draw(axes, tree: _Tree, y: float, deep: int) -> float:
    """Draws a tree whose leaves begin at y; gives the height of its root."""
    x, places = 0.1 + _STEP * tree.depth, []
    for part in tree.parts:
        places.append((part, _draw(axes, part, y, deep)))
        y += _LINE * part.leaves
    middle = sum(place for _, place in places) / len(places) if places else y + _LINE / 2
    for part, place in places:
        _arrow(axes, (0.1 + _STEP * part.depth + _WIDE, place), (x, middle))
    colour = PALETTE[1] if tree.parts else QUIET if tree.constant else PALETTE[0]
    values = [] if tree.constant else tree.values
    _box(axes, x, middle, f"constant({tree.label})" if tree.constant else tree.label, values, colour)
    return middle


def _box(axes, x: float, y: float, label: str, values: Sequence[int], colour: str) -> None:
    for alpha, line in ((0.12, 0), (None, 1.5)):
        axes.add_patch(
            FancyBboxPatch((x, y - 0.2), _WIDE, 0.4, boxstyle="round,pad=0.02", linewidth=line, alpha=alpha,
                           facecolor=colour if alpha else "none", edgecolor=colour)
        )  # fmt: skip
    axes.text(x + _WIDE / 2, y - (0.08 if values else 0), label, fontsize=8.5, ha="center", va="center",
              family="monospace")  # fmt: skip
    if values:
        axes.text(x + _WIDE / 2, y + 0.11, "   ".join(map(str, values)), fontsize=8.5, ha="center", va="center",
                  color=QUIET)  # fmt: skip


def _arrow(axes, start: tuple, end: tuple) -> None:
    how = {"arrowstyle": "-|>", "color": QUIET, "linewidth": 1.0, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (end[0] - 0.03, end[1]), (start[0] + 0.03, start[1]), arrowprops=how)


def what_each_sees(calls: Sequence[Call], *, tensor: str = "x") -> Picture:
    """A recorded life as a table: for each call that is given shapes, what it is given of the first input."""
    rows = [row for row in map(_seen, calls) if row is not None]
    rows = [row for number, row in enumerate(rows) if number == 0 or row != rows[number - 1]]
    processes = sorted({row[0] for row in rows})
    step, columns = 0.27, (0.05, 2.75, 4.75, 5.85, 6.75, 7.65)
    height = 0.75 + step * (len(rows) + len(processes))
    with sheet(8.8, height, "", f"What each method is given of the input {tensor}, in the order of the calls") as (
        fig, axes, y,
    ):  # fmt: skip
        for x, words in zip(columns, ("method", "of", "dims", "min", "opt", "max"), strict=True):
            axes.text(x, y + 0.08, words, fontsize=8.5, color=QUIET, va="center")
        y += 0.33
        for process in processes:
            told = "the process that builds" if process == processes[0] else "the process that runs"
            axes.text(columns[0], y, told, fontsize=8.5, color=PALETTE[0], va="center")
            axes.plot([2.3, 8.6], [y, y], color=QUIET, linewidth=0.6)
            y += step
            for _, method, who, *cells in (row for row in rows if row[0] == process):
                for x, words in zip(columns, (method, who, *cells), strict=True):
                    weight, colour = ("bold", PALETTE[1]) if "-1" in words else ("normal", INK)
                    axes.text(
                        x, y, words, fontsize=8.5, va="center", family="monospace", fontweight=weight, color=colour
                    )  # fmt: skip
                y += step
    said = "; ".join(f"{method} of {who} sees {_words(cells)}" for _, method, who, *cells in rows)
    return Picture(fig, f"What each method is given of the input {tensor}. {said}.")


def _seen(call: Call) -> tuple[str, ...] | None:
    """(process, method, object, dims, min, opt, max) of the first input; None for a call without shapes. A journal
    keeps opt of getWorkspaceSize() alone."""
    who, given = call.object, call.arguments
    if call.method == "getOutputShapes":
        return call.process, call.method, who, _text(given[0][0]), "", "", ""
    if call.method == "configurePlugin":
        dims, low, high = given[0][0][2:5]
        return call.process, call.method, who, _text(dims), _text(low), "", _text(high)
    if call.method == "getWorkspaceSize":
        dims, _, low, usual, high = given[0][0][2:7]
        return call.process, call.method, who, _text(dims), _text(low), _text(usual), _text(high)
    if call.method in ("onShapeChange", "enqueue"):
        return call.process, call.method, who, _text(given[0][0][2]), "", "", ""
    return None


def _words(cells: Sequence[str]) -> str:
    pairs = zip(("dims", "min", "opt", "max"), cells, strict=True)
    return ", ".join(f"{name} {cell}" for name, cell in pairs if cell)


def _text(extents: Sequence[int | str]) -> str:
    return f"[{', '.join(map(str, extents))}]"
