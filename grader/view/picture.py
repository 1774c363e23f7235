"""A picture: a Matplotlib figure with a sentence that says the same, shown as SVG in the page's own colours."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from html import escape

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# The ink of text and axes. In the SVG it becomes `currentColor`, so it is dark on light and light on dark.
INK = "#1b1b1d"
# Colours that differ in lightness too, so that they can be told apart by most eyes and in print. Pictures never
# rely on them alone: labels, hatches, line styles and marks say the same.
PALETTE = ("#2f7fc1", "#e0812b", "#2f9e6b", "#a85bb5", "#b0a02a")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\")
QUIET = "#8a8a8a"

_STYLE = {
    "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none",
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.titlecolor": INK, "axes.titlesize": 11, "axes.titlelocation": "left", "font.size": 9.5,
    "axes.spines.top": False, "axes.spines.right": False, "axes.linewidth": 0.8, "lines.linewidth": 1.6,
    "axes.grid": False, "grid.color": QUIET, "grid.alpha": 0.3, "grid.linewidth": 0.6, "hatch.linewidth": 0.7,
    "legend.frameon": False, "figure.constrained_layout.use": True, "svg.fonttype": "path",
}  # fmt: skip


_HIDDEN = (
    "<style>.grader-alt { position: absolute; top: 0; left: 0; width: 1px; height: 1px; overflow: hidden; "
    "clip-path: inset(50%) }</style>"
)


class Picture:
    """``fig`` and ``alt``, the sentence that stands for it. A notebook shows it; ``print`` gives the sentence."""

    def __init__(self, fig: Figure, alt: str):
        if not alt.strip():
            raise ValueError("a picture needs alt text: say in a sentence what it shows")
        self.fig, self.alt = fig, " ".join(alt.split())

    def svg(self) -> str:
        """The picture as an ``<svg>`` element that can stand in a page."""
        buffer = io.StringIO()
        # A fixed salt and no date: the same figure gives the same text.
        with matplotlib.rc_context({"svg.hashsalt": "grader", "svg.fonttype": "path"}):
            self.fig.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
        text = buffer.getvalue()
        text = text[text.index("<svg") :]
        text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
        text = re.sub(r"<style.*?</style>", "", text, flags=re.DOTALL)  # it would apply to the whole page
        text = text.replace(INK, "currentColor")
        return text.replace("<svg", '<svg aria-hidden="true" style="display:block;max-width:100%;height:auto"', 1)

    def _repr_html_(self) -> str:
        """The picture with its sentence for screen readers. Where a page strips styles and drawings, as JupyterLab
        does with a notebook that it does not trust, the sentence is what stays."""
        alt = escape(self.alt)
        return (
            f'{_HIDDEN}<figure role="img" aria-label="{alt}" '
            f'style="margin:0;position:relative;color:var(--jp-content-font-color1, inherit)">'
            f'{self.svg()}<figcaption class="grader-alt">{alt}</figcaption></figure>'
        )

    def __repr__(self) -> str:
        return f"Picture: {self.alt}"


@contextlib.contextmanager
def figure(width: float = 7.0, height: float = 3.0) -> Iterator[Figure]:
    """A figure in the house style, ``width`` by ``height`` inches; draw inside ``with``."""
    with matplotlib.rc_context(_STYLE):
        yield Figure(figsize=(width, height))


@contextlib.contextmanager
def sheet(width: float, height: float, title: str, fact: str) -> Iterator[tuple[Figure, Axes, float]]:
    """A figure to draw in by inches from the top left, under a title ("": none) and a line of facts.

    The last value is where the drawing may begin.
    """
    with figure(width, height) as fig:
        fig.set_layout_engine("none")
        axes = fig.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
        axes.set_axis_off()
        top = 0.2
        if title:
            axes.text(0, top, title, fontsize=11, va="center")
            top += 0.2
        axes.text(0, top, fact, fontsize=9.5, va="center")
        yield fig, axes, top + 0.18


def show(fig: Figure | Picture, alt: str = "") -> None:
    """Show a figure with its alt text; outside a notebook, print the text."""
    picture = fig if isinstance(fig, Picture) else Picture(fig, alt)
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ImportError:
        print(repr(picture))
        return
    if get_ipython() is None:
        print(repr(picture))
    else:
        display({"text/html": picture._repr_html_(), "text/plain": repr(picture)}, raw=True)
    _forget(picture.fig)


def _forget(fig: Figure) -> None:
    """Close a figure that pyplot made, so that it is not shown a second time at the end of the cell."""
    import sys

    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None and getattr(fig, "number", None) is not None:
        pyplot.close(fig)
