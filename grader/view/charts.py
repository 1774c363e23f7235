"""Charts: errors of approximations against float64, and counters before and after a change."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from grader.view.picture import HATCHES, LINES, PALETTE, QUIET, Picture, figure


def error_plot(
    x: np.ndarray,
    exact: np.ndarray,
    approximations: Mapping[str, np.ndarray],
    *,
    limits: Mapping[str, float | np.ndarray] | None = None,
    relative: bool = False,
    title: str = "",
    xlabel: str = "x",
) -> Picture:
    """How far approximations are from the float64 truth, on a logarithmic scale.

    ``x``, ``exact``: arrays of one length; ``approximations``: name -> values there; ``limits``: name -> a number
    or an array to draw beside them, such as half the spacing of float16. ``relative`` divides by ``|exact|``.
    Where an approximation is exact there is nothing to draw on such a scale, and the line has a gap.
    """
    x, exact = np.asarray(x, np.float64), np.asarray(exact, np.float64)
    errors = {name: _error(exact, values, relative) for name, values in approximations.items()}
    word = "relative error" if relative else "absolute error"
    with figure(7.2, 3.2 + 0.17 * (len(errors) + len(limits or {}))) as fig:
        axes = fig.add_subplot()
        for number, (name, error) in enumerate(errors.items()):
            style = {"color": PALETTE[number % len(PALETTE)], "linestyle": LINES[number % len(LINES)]}
            axes.plot(x, np.where(error > 0, error, np.nan), label=f"{name}: at most {np.nanmax(error):.1e}", **style)
        for name, limit in (limits or {}).items():
            values = np.broadcast_to(np.asarray(limit, np.float64), x.shape)
            axes.plot(x, values, color=QUIET, linewidth=1.1, linestyle=(0, (1, 1.5)), label=name)
        axes.set_yscale("log")
        axes.grid(True, which="major")
        axes.set_xlabel(xlabel)
        axes.set_ylabel(word)
        if title:
            axes.set_title(title)
        fig.legend(loc="outside lower left", fontsize=8.5, handlelength=2.8)
    worst = "; ".join(f"{name} at most {np.nanmax(error):.2g}, at {xlabel} = {x[np.nanargmax(error)]:.3g}"
                      for name, error in errors.items())  # fmt: skip
    alt = f"{title or 'Error of approximations'}: {word} against {xlabel} from {x.min():.3g} to {x.max():.3g}. {worst}."
    return Picture(fig, alt)


def _error(exact: np.ndarray, values, relative: bool) -> np.ndarray:
    values = np.asarray(values, np.float64)
    if values.shape != exact.shape:
        raise ValueError(f"an approximation has shape {values.shape}, the exact values {exact.shape}")
    error = np.abs(values - exact)
    if not np.isfinite(error).any():
        raise ValueError("an approximation has no finite value to compare")
    if relative:
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.where(exact == 0, np.nan, error / np.abs(exact))
    return np.where(np.isfinite(error), error, np.nan)


def bars(counters: Mapping[str, Mapping[str, float]], *, metrics: list[str] | None = None, title: str = "") -> Picture:
    """Counters of several versions side by side: ``{"before": {...}, "after": {...}}``.

    ``metrics`` chooses what to draw, in order; without it, what all versions have. Each metric has its own
    scale, from zero, and each bar says its number.
    """
    versions = list(counters)
    if metrics is None:
        metrics = [m for m in counters[versions[0]] if all(m in counters[v] for v in versions)]
    if not metrics:
        raise ValueError("the versions have no metric in common; name some with metrics=[...]")
    with figure(7.2, 0.55 + len(metrics) * (0.34 + 0.26 * len(versions))) as fig:
        for row, metric in enumerate(metrics, 1):
            axes = fig.add_subplot(len(metrics), 1, row)
            values = [float(counters[version][metric]) for version in versions]
            for position, value in enumerate(values):
                axes.barh(
                    position, value, height=0.72, facecolor=PALETTE[position % len(PALETTE)], edgecolor="white",
                    hatch=HATCHES[position % len(HATCHES)], linewidth=0,
                )  # fmt: skip
                axes.text(value, position, f" {_number(value)}", va="center", ha="left", fontsize=9)
            axes.set_yticks(range(len(versions)), versions)
            axes.invert_yaxis()
            axes.set_xlim(0, max(*values, 1e-12) * 1.18)
            axes.xaxis.set_visible(False)
            axes.spines["bottom"].set_visible(False)
            axes.tick_params(length=0)
            axes.set_title(metric.replace("_", " "), fontsize=9.5)
        if title:
            fig.suptitle(title, x=0.01, ha="left", fontsize=11)
    said = "; ".join(
        f"{metric.replace('_', ' ')}: " + ", ".join(f"{v} {_number(float(counters[v][metric]))}" for v in versions)
        for metric in metrics
    )
    return Picture(fig, f"{title or 'Counters'}. {said}.")


def _number(value: float) -> str:
    return f"{value:,.0f}" if value.is_integer() else f"{value:,.3g}"
