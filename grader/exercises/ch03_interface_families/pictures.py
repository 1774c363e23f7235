"""The chapter's pictures: a method that nobody calls, the classes of the V3 family, the families over the versions."""

from __future__ import annotations

from matplotlib.patches import FancyBboxPatch

from grader.exercises.ch03_interface_families.families import FAMILIES, deprecated_since, found, methods
from grader.view.picture import HATCHES, PALETTE, QUIET, Picture, figure, sheet

VERSIONS = ("5.0", "5.1", "6.0", "7", "8.0", "8.5", "8.6", "9.1", "10.0", "10.3", "10.6", "10.14", "11.0", "11.4")
BEFORE = "before 5.0"  # where the axis begins
_SMALL = {"fontsize": 8.5, "va": "center"}
_CODE = {**_SMALL, "family": "monospace"}


def overview() -> Picture:
    """Two functions of one name: what TensorRT asks, and what the author wrote."""
    with sheet(8.6, 2.75, "", "The size of the workspace, asked and answered") as (fig, axes, top):
        top += 0.12
        _box(axes, 0.05, top + 0.55, 1.5, 0.8, PALETTE[0])
        axes.text(0.8, top + 0.95, "TensorRT\nhow many bytes?", ha="center", **_SMALL)
        _box(axes, 2.75, top, 5.75, 0.82, PALETTE[1])
        axes.text(2.9, top + 0.17, "IPluginV3OneBuild, the base class", **_SMALL)
        axes.text(2.9, top + 0.4, "getWorkspaceSize(DynamicPluginTensorDesc const*, …)", **_CODE)
        axes.text(2.9, top + 0.63, "return 0;", **_CODE)
        _box(axes, 2.75, top + 1.15, 5.75, 0.82, PALETTE[2])
        axes.text(2.9, top + 1.32, "your class", **_SMALL)
        axes.text(2.9, top + 1.55, "getWorkspaceSize(PluginTensorDesc const*, …)", **_CODE)
        axes.text(2.9, top + 1.78, "return 4 * elements;", **_CODE)
        arrow = {"arrowstyle": "-|>", "linewidth": 1.4, "shrinkA": 0, "shrinkB": 2}
        axes.annotate("", (2.73, top + 0.4), (1.57, top + 0.85), arrowprops={**arrow, "color": PALETTE[0]})
        dotted = {**arrow, "color": QUIET, "linestyle": (0, (2, 2))}
        axes.annotate("", (2.73, top + 1.6), (1.57, top + 1.05), arrowprops=dotted)
        axes.text(2.15, top + 0.4, "asks", ha="center", **_SMALL)
        axes.text(2.15, top + 1.62, "never", ha="center", color=QUIET, **_SMALL)
    return Picture(
        fig,
        "TensorRT asks getWorkspaceSize with DynamicPluginTensorDesc, which the base class IPluginV3OneBuild "
        "answers with 0. The method of your class has the same name and takes PluginTensorDesc: it is another "
        "function, and TensorRT never calls it.",
    )


def capabilities() -> Picture:
    """The V3 family: a plugin and its three capabilities, with the methods that the headers declare."""
    here = found()
    known = methods(here[1] if here else None)
    columns = ("IPluginV3OneCore", "IPluginV3OneBuild", "IPluginV3OneRuntime")
    kinds = {"IPluginV3OneCore": "kCORE", "IPluginV3OneBuild": "kBUILD", "IPluginV3OneRuntime": "kRUNTIME"}
    row, wide, gap = 0.19, 2.65, 0.2
    tallest = max(len(known.get(name, {})) for name in columns)
    source = f"by the headers of TensorRT {here[0]}" if here else "as in TensorRT 10.14"
    fact = f"● a plugin must have it    ○ the base class has an answer ({source})"
    height = 1.95 + row * tallest + 1.05
    with sheet(3 * wide + 2 * gap + 0.06, height, "", fact) as (fig, axes, top):
        middle = (3 * wide + 2 * gap) / 2 + 0.03
        top += 0.08
        _class(axes, middle - 1.3, top, 2.6, "IPluginV3", known.get("IPluginV3", {}), PALETTE[0], row)
        below = top + 0.32 + row * 2
        first = below + 0.55
        for number, name in enumerate(columns):
            x = 0.03 + number * (wide + gap)
            colour = PALETTE[1 + number]
            bottom = _class(axes, x, first, wide, name, known.get(name, {}), colour, row)
            style = {"arrowstyle": "-|>", "color": QUIET, "linewidth": 1.0}
            axes.annotate("", (x + wide / 2, first - 0.02), (middle, below + 0.04), arrowprops=style)
            axes.text(x + wide - 0.06, first + 0.13, kinds[name], ha="right", color=colour, **_CODE)
            if name == "IPluginV3OneBuild":
                style = {"arrowstyle": "-|>", "color": QUIET, "linewidth": 1.0}
                axes.annotate("", (x + wide / 2, bottom + 0.02), (x + wide / 2, bottom + 0.33), arrowprops=style)
                axes.text(x + wide / 2 + 0.08, bottom + 0.19, "derives from it", **{**_SMALL, "color": QUIET})
                more = known.get("IPluginV3OneBuildV2", {})
                _class(axes, x, bottom + 0.35, wide, "IPluginV3OneBuildV2", more, colour, row)
    said = "; ".join(
        f"{name} declares "
        + ", ".join(method + ("" if must else " (the base class has an answer)") for method, must in of.items())
        for name, of in known.items()
    )
    return Picture(
        fig,
        "The classes of the V3 family. An IPluginV3 hands out three capabilities by kind: kCORE, kBUILD, kRUNTIME. "
        f"IPluginV3OneBuildV2 derives from IPluginV3OneBuild. {said}.",
    )


def timeline() -> Picture:
    """Each family over the versions of TensorRT: full while current, hatched once deprecated."""
    here = found()
    known = here[1] if here else None
    rows = [("IPlugin, IPluginExt", BEFORE, "6.0", "8.0")]
    rows += [(f.called, f.came, deprecated_since(f, known), None) for f in FAMILIES]
    with figure(8.6, 0.75 + 0.3 * len(rows)) as fig:
        axes = fig.add_subplot()
        for number, (_, came, since, gone) in enumerate(rows):
            start, end = _at(came), _at(gone) if gone else len(VERSIONS)
            turn = _at(since) if since else end
            if came == BEFORE:
                axes.text(0.06, number, "◀ earlier", color="white", fontweight="bold", **_SMALL)
            colour = PALETTE[2] if since is None else PALETTE[0]
            axes.barh(number, turn - start, left=start, height=0.62, color=colour, alpha=0.75)
            if turn < end:
                axes.barh(number, end - turn, left=turn, height=0.62, facecolor="none", edgecolor=PALETTE[1],
                          hatch=HATCHES[1], linewidth=0.8)  # fmt: skip
            if gone:
                axes.text(end + 0.1, number, "removed", color=QUIET, **_SMALL)
        axes.set(xlim=(0, len(VERSIONS)), ylim=(len(rows) - 0.4, -0.6))
        source = f"Deprecations by the headers of {here[0]}, all else cited" if here else "All is cited"
        axes.set_title(f"Full: current. Hatched: deprecated, and still there. ({source}.)", fontsize=9.5)
        axes.set_yticks(range(len(rows)), [name for name, *_ in rows])
        axes.set_xticks([k + 0.5 for k in range(len(VERSIONS))], VERSIONS)
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.axvline(_at("10.0"), color=QUIET, linewidth=0.8, linestyle=(0, (2, 2)))
        axes.axvline(_at("11.0"), color=QUIET, linewidth=0.8, linestyle=(0, (2, 2)))
        axes.spines[["left", "bottom"]].set_visible(False)
    told = "; ".join(
        f"{name} from {came}"
        + (f", deprecated since {since}" if since else "")
        + (f", removed in {gone}" if gone else "")
        for name, came, since, gone in rows
    )
    return Picture(
        fig, f"The families over the versions of TensorRT, full while current, hatched once deprecated: {told}."
    )


def _at(version: str) -> int:
    """The place of a version on the axis: its own, or that of the last one before it."""
    if version == BEFORE:
        return 0
    wanted = tuple(map(int, version.split(".")))
    before = [k for k, one in enumerate(VERSIONS) if tuple(map(int, one.split("."))) <= wanted]
    return before[-1] if before else 0


def _box(axes, x: float, y: float, width: float, height: float, colour: str) -> None:
    style = {"boxstyle": "round,pad=0,rounding_size=0.06"}
    axes.add_patch(FancyBboxPatch((x, y), width, height, facecolor=colour, alpha=0.16, edgecolor="none", **style))
    axes.add_patch(FancyBboxPatch((x, y), width, height, facecolor="none", edgecolor=colour, linewidth=1, **style))


def _class(axes, x: float, y: float, width: float, name: str, of: dict[str, bool], colour: str, row: float) -> float:
    """A class with its methods; where it ends below."""
    height = 0.3 + row * len(of) + 0.05
    _box(axes, x, y, width, height, colour)
    axes.text(x + 0.08, y + 0.14, name, fontsize=9, va="center", fontweight="bold")
    for k, (method, must) in enumerate(of.items()):
        axes.text(x + 0.08, y + 0.36 + row * k, f"{'●' if must else '○'} {method}", **_CODE)
    return y + height
