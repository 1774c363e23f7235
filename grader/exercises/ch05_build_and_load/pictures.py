"""The pictures of the chapter: from source files to a creator in a registry, and the triple that finds it."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from grader.view.picture import PALETTE, QUIET, Picture, figure

_HOST, _DEVICE, _LIBRARY, _PROCESS = PALETTE[0], PALETTE[2], PALETTE[1], PALETTE[3]


def overview() -> Picture:
    """From files to a creator that is found: what each step puts where."""
    with figure(9.4, 3.5) as fig:
        axes = fig.subplots()
        _box(axes, 0, 4.3, 2.4, ["registration.cpp", "scale_shift.cpp"], "C++ sources", _HOST)
        _box(axes, 0, 1.2, 2.4, ["scale_shift_kernel.cu"], "CUDA source", _DEVICE)
        _box(axes, 3.6, 4.3, 2.3, ["host code"], "objects, by g++", _HOST)
        _box(axes, 3.6, 0.75, 2.3, ["host code", "machine code, PTX"], "object, by nvcc", _DEVICE)
        _box(
            axes, 7.1, 0.75, 2.7,
            ["exports: getCreators,", "  setLoggerFinder", "host code", "device code: sm_80,",
             "  sm_90, compute_80", "needs: libcudart.so.13"],
            "libscale_shift.so", _LIBRARY,
        )  # fmt: skip
        _box(
            axes, 11, 0.75, 2.9,
            ["TensorRT's registry:", "  (name, version,", "   namespace) → creator", "", "the library's code,",
             "CUDA's runtime"],
            "every process that loads it", _PROCESS,
        )  # fmt: skip
        for start, end, label in (
            ((2.4, 4.9), (3.6, 4.9), "compile"), ((2.4, 1.5), (3.6, 1.5), "compile"), ((5.9, 4.9), (7.1, 4.2), "link"),
            ((5.9, 1.5), (7.1, 1.9), "link"), ((9.8, 3.0), (11, 3.0), "load"),
        ):  # fmt: skip
            _arrow(axes, start, end, label)
        axes.set(xlim=(-0.2, 14.1), ylim=(0.3, 6.4))
        axes.set_axis_off()
    return Picture(
        fig,
        "Two C++ files become objects with host code, by g++; the CUDA file becomes an object with host "
        "code, machine code and PTX, by nvcc. The linker makes libscale_shift.so of them: it exports getCreators and "
        "setLoggerFinder, holds host code and device code for sm_80, sm_90 and compute_80, and needs "
        "libcudart.so.13. Every process that wants it loads it; TensorRT's registry in that process then maps name, "
        "version and namespace to the creator.",
    )


def triple() -> Picture:
    """What a plan keeps, and what two processes have in their registries when they read it."""
    with figure(9.4, 2.9) as fig:
        axes = fig.subplots()
        _box(
            axes, 0, 0.9, 3.3,
            ["name      'ScaleShift'", "version   '2'", "namespace 'course.load'", "scale = 2.0", "shift = 0.25"],
            "in the plan", _LIBRARY, font="monospace",
        )  # fmt: skip
        _box(
            axes, 6.4, 3.3, 7.3, ["'ScaleShift'  '2'  'course.load'   → the creator"],
            "registry of a process that has loaded the library", _PROCESS, font="monospace",
        )  # fmt: skip
        _box(
            axes, 6.4, 0.9, 7.3, ["(nothing of this library)"],
            "registry of a process that has not", QUIET, font="monospace",
        )  # fmt: skip
        _arrow(axes, (3.3, 2.9), (6.4, 3.8), "getCreator: found")
        _arrow(axes, (3.3, 1.9), (6.4, 1.4), "getCreator: null", below=True)
        axes.set(xlim=(-0.2, 14), ylim=(0.4, 5.2))
        axes.set_axis_off()
    return Picture(
        fig,
        "A plan keeps name, version and namespace of a plugin and its fields, not its code. The registry of a process "
        "that has loaded the library finds the creator for these three texts; the registry of a process that has not "
        "gives null.",
    )


def _box(axes: Axes, x: float, y: float, width: float, lines, title: str, colour: str, font: str | None = None) -> None:
    height = 0.5 * len(lines) + 0.3
    axes.add_patch(
        FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=0.12", facecolor=colour, alpha=0.16,
                       edgecolor="none")
    )  # fmt: skip
    axes.add_patch(
        FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=0.12", facecolor="none",
                       edgecolor=colour, linewidth=1.1)
    )  # fmt: skip
    axes.text(x + 0.05, y + height + 0.16, title, fontweight="bold", fontsize=9, va="bottom")
    for row, line in enumerate(lines):
        where = y + height - 0.4 - 0.5 * row
        axes.text(x + 0.15, where, line, fontsize=8.4, va="center", family=font)


def _arrow(axes: Axes, start, end, label: str, below: bool = False) -> None:
    axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": QUIET, "linewidth": 1.2})
    away = -0.3 if below else 0.3 if end[1] > start[1] + 0.5 else 0.14
    axes.text(
        (start[0] + end[0]) / 2,
        (start[1] + end[1]) / 2 + away,
        label,
        ha="center",
        va="top" if below else "bottom",
        fontsize=8.4,
    )
