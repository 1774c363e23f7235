"""The pictures of the chapter: who hands what to whom in three files, and the way of one number through them."""

from __future__ import annotations

from matplotlib.patches import FancyBboxPatch

from grader.view.picture import PALETTE, QUIET, Picture, figure

_ASKS, _CREATOR, _CLASS, _KERNEL = PALETTE[3], PALETTE[1], PALETTE[0], PALETTE[2]


def overview() -> Picture:
    """From the registry to a thread: three files, and what is handed over between them."""
    with figure(9.4, 2.9) as fig:
        axes = fig.subplots()
        _box(axes, 0, 2.7, ["asks the registry:", "name, version, namespace"], "TensorRT", _ASKS)
        _box(axes, 3.6, 2.7, ["getFieldNames", "createPlugin", "KIT_EXPORT"], "relu_creator.cpp", _CREATOR)
        _box(axes, 7.2, 3.0, ["types, shapes, formats", "clone, attach, keep", "enqueue"], "relu_plugin.cpp", _CLASS)
        _box(axes, 11.1, 2.8, ["launchRelu: grid, stream", "relu_f32: one element", "after the other"],
             "relu_kernel.cu", _KERNEL)  # fmt: skip
        for x, words in ((3.15, "finds"), (6.75, "makes"), (10.65, "calls")):
            axes.annotate("", (x + 0.42, 2.1), (x - 0.42, 2.1), arrowprops={"arrowstyle": "->", "color": QUIET})
            axes.text(x, 2.32, words, ha="center", fontsize=9)
        axes.plot([10.65, 10.65], [0.15, 1.75], color=QUIET, linestyle=(0, (4, 3)), linewidth=1)
        axes.text(10.45, 0.2, "compiled by g++", ha="right", fontsize=9, color=QUIET)
        axes.text(10.85, 0.2, "compiled by nvcc", ha="left", fontsize=9, color=QUIET)
        axes.set(xlim=(-0.2, 14.2), ylim=(-0.1, 4.1))
        axes.set_axis_off()
    return Picture(
        fig,
        "TensorRT asks the registry by name, version and namespace and finds the creator of relu_creator.cpp, with "
        "getFieldNames, createPlugin and KIT_EXPORT. The creator makes the plugin of relu_plugin.cpp, which answers "
        "for types, shapes and formats, clones, attaches and keeps, and has enqueue. It calls launchRelu of "
        "relu_kernel.cu, which launches relu_f32. g++ compiles the first two files, nvcc the third.",
    )


def way() -> Picture:
    """Where alpha is at each moment: in which object, of which process."""
    steps = (
        ("a field", "the caller's,\nfor one call", _ASKS), ("your plugin", "createPlugin\n(kBUILD)", _CREATOR),
        ("clones", "clone()", _CLASS), ("the plan", "getFields-\nToSerialize()", _ASKS),
        ("the engine's\nplugin", "createPlugin\n(kRUNTIME)", _CREATOR),
        ("a context's\nplugin", "attachTo-\nContext()", _CLASS), ("a parameter\nof the kernel", "enqueue()", _KERNEL),
    )  # fmt: skip
    with figure(9.4, 2.2) as fig:
        axes = fig.subplots()
        for place, (name, by, colour) in enumerate(steps):
            x = 2.05 * place
            axes.add_patch(FancyBboxPatch((x, 1.2), 1.5, 0.9, boxstyle="round,pad=0.03", facecolor=colour, alpha=0.14,
                                          linewidth=0))  # fmt: skip
            axes.add_patch(FancyBboxPatch((x, 1.2), 1.5, 0.9, boxstyle="round,pad=0.03", facecolor="none",
                                          edgecolor=colour, linewidth=1.5))  # fmt: skip
            axes.text(x + 0.75, 1.65, name, ha="center", va="center", fontsize=9)
            axes.text(x + 0.75, 0.72, by, ha="center", va="center", fontsize=8, color=QUIET)
            if place:
                axes.annotate("", (x - 0.05, 1.65), (x - 0.5, 1.65), arrowprops={"arrowstyle": "->", "color": QUIET})
        axes.plot([7.92, 7.92], [0.2, 2.4], color=QUIET, linestyle=(0, (4, 3)), linewidth=1)
        axes.text(7.8, 2.55, "the process that builds", ha="right", fontsize=9, color=QUIET)
        axes.text(8.05, 2.55, "the process that runs", ha="left", fontsize=9, color=QUIET)
        axes.set(xlim=(-0.2, 14.1), ylim=(0.1, 2.8))
        axes.set_axis_off()
    return Picture(
        fig,
        "The way of alpha. In the process that builds: a field of the caller's, lent for one call; your plugin, made "
        "by createPlugin(kBUILD); its clones; the plan, by getFieldsToSerialize(). In the process that runs: the "
        "engine's plugin, made by createPlugin(kRUNTIME); a context's plugin, by attachToContext(); a parameter of "
        "the kernel, by enqueue().",
    )


def _box(axes, x: float, width: float, lines: list[str], title: str, colour: str) -> None:
    height = 2.1
    axes.add_patch(FancyBboxPatch((x, 1.0), width, height, boxstyle="round,pad=0.05", facecolor=colour, alpha=0.12,
                                  linewidth=0))  # fmt: skip
    axes.add_patch(FancyBboxPatch((x, 1.0), width, height, boxstyle="round,pad=0.05", facecolor="none",
                                  edgecolor=colour, linewidth=1.5))  # fmt: skip
    axes.text(x + width / 2, 3.4, title, ha="center", va="center", fontsize=9.5, fontweight="bold")
    for row, line in enumerate(lines):
        axes.text(x + width / 2, 2.65 - 0.55 * row, line, ha="center", va="center", fontsize=8.5)
