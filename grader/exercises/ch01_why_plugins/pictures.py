"""The chapter's pictures: the order of the questions, and the bytes of a chain before and after a fusion."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.patches import FancyBboxPatch

from grader.view.picture import HATCHES, INK, PALETTE, QUIET, Picture, figure

# question, the way out where the answer is yes, what that changes
STEPS = (
    ("Does one layer of your version do all of it,\nand does the parser take the model?", "native layer", "nothing"),
    ("The parser takes it, and several layers\ncompute it in few enough bytes?", "native combination", "nothing"),
    ("The parser refuses, but takes other operators\nthat compute the same?", "graph rewrite", "the model"),
    ("Does a newer version, which you may use,\nhave the layer?", "newer TensorRT", "the product"),
)
FUSION = ("fusion", "nothing")  # branches off the first way out
LAST = ("plugin", "your code, for years")
SECTOR = 32  # bytes
_TOP, _ROW, _WIDE, _HIGH, _OUT, _CHANGES = 0.32, 0.86, 4.0, 0.62, 5.05, 7.0  # inches


def decision_tree() -> Picture:
    """The questions from the smallest change down to the largest, with a way out at each."""
    rows = [0, 2, 3, 4]  # the row beside the first way out belongs to fusion
    total = _TOP + _ROW * 6
    with figure(8.4, total) as fig:
        fig.set_layout_engine("none")
        axes = fig.add_axes((0, 0, 1, 1), xlim=(0, 8.4), ylim=(total, 0))
        axes.set_axis_off()
        for x, text in ((0.1, "question"), (_OUT, "decision"), (_CHANGES, "what changes")):
            axes.text(x, 0.16, text, fontsize=9, color=QUIET, va="center")
        for row, following, (question, way_out, changes) in zip(rows, [*rows[1:], 5], STEPS, strict=True):
            top = _TOP + row * _ROW
            _box(axes, 0.1, top, _WIDE, _HIGH, question, QUIET)
            _way_out(axes, row, way_out, changes)
            _arrow(axes, (0.1 + _WIDE, top + _HIGH / 2), (_OUT, top + _HIGH / 2), "yes")
            _arrow(axes, (2.1, top + _HIGH), (2.1, _TOP + following * _ROW), "no", side=True)
        _way_out(axes, 1, *FUSION)
        middle = _OUT + 0.875
        _arrow(axes, (middle, _TOP + _HIGH - 0.09), (middle, _TOP + _ROW + 0.09), "")
        condition = "if it is to be faster, and the builder\ncan merge it with a neighbour"
        axes.text(_OUT - 0.12, _TOP + _ROW + _HIGH / 2, condition, fontsize=8.8, ha="right", va="center")
        top = _TOP + 5 * _ROW
        _box(axes, 1.25, top, 1.7, _HIGH - 0.18, LAST[0], PALETTE[1], weight="bold")
        axes.text(_CHANGES, top + _HIGH / 2 - 0.09, LAST[1], fontsize=9, va="center")
    told = "; ".join(f"{question} Yes: {out}, which changes {what}" for question, out, what in STEPS).replace("\n", " ")
    return Picture(
        fig,
        f"Four questions, each with a way out, the smallest change first. {told}. Else: a plugin, "
        "your code for years. The native layer leads on to fusion, if it is to be faster and the builder can merge it "
        "with a neighbour.",
    )


def _way_out(axes, row: int, name: str, changes: str) -> None:
    top = _TOP + row * _ROW
    _box(axes, _OUT, top + 0.09, 1.75, _HIGH - 0.18, name, PALETTE[2], weight="bold")
    axes.text(_CHANGES, top + _HIGH / 2, changes, fontsize=9, va="center")


def _box(axes, x, y, width, height, text, colour, weight="normal") -> None:
    axes.add_patch(
        FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=0.08", facecolor=colour, alpha=0.16,
                       edgecolor="none")  # fmt: skip
    )
    axes.add_patch(
        FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=0.08", facecolor="none",
                       edgecolor=colour, linewidth=1.1)  # fmt: skip
    )
    axes.text(x + width / 2, y + height / 2, text, ha="center", va="center", fontsize=9.2, fontweight=weight)


def _arrow(axes, start, end, text, side=False) -> None:
    style = {"arrowstyle": "-|>", "color": INK, "linewidth": 0.9, "shrinkA": 0, "shrinkB": 1}
    axes.annotate("", end, start, arrowprops=style)
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    axes.text(x + (0.08 if side else 0), y - (0 if side else 0.1), text, fontsize=8.5, va="center",
              ha="left" if side else "center", color=INK)  # fmt: skip


def moved(counters: Mapping[str, int]) -> tuple[int, int]:
    """Bytes that a kernel read from and wrote to global memory, from its exact counters."""
    name = "l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum"
    return SECTOR * counters.get(name.format("ld"), 0), SECTOR * counters.get(name.format("st"), 0)


def traffic(plans: Mapping[str, Mapping[str, tuple[int, int]]], title: str = "") -> Picture:
    """Bytes read and written: ``{plan: {kernel: (read, written)}}``, a bar for each plan."""
    with figure(7.6, 0.9 + 0.62 * len(plans)) as fig:
        axes = fig.add_subplot()
        told = []
        for row, (plan, kernels) in enumerate(plans.items()):
            left = 0.0
            for kernel, pair in kernels.items():
                for colour, hatch, word, count in zip(PALETTE, HATCHES, ("reads", "writes"), pair, strict=False):
                    size = count / 2**20
                    axes.barh(row, size, 0.62, left=left, color=colour, alpha=0.55, hatch=hatch, edgecolor=INK,
                              linewidth=0.6)  # fmt: skip
                    axes.text(left + size / 2, row, f"{kernel}\n{word}", ha="center", va="center", fontsize=7.6)
                    left += size
            axes.text(left + 0.02, row, f"{left:.2f} MiB", va="center", fontsize=9)
            parts = ", ".join(
                f"{name} reads {read / 2**20:.2f} and writes {written / 2**20:.2f} MiB"
                for name, (read, written) in kernels.items()
            )
            told.append(f"{plan}: {left:.2f} MiB, of which {parts}")
        axes.set_yticks(range(len(plans)), list(plans))
        axes.invert_yaxis()
        axes.set_xlabel("MiB through global memory")
        axes.set_xlim(0, 1.14 * max(sum(map(sum, kernels.values())) for kernels in plans.values()) / 2**20)
        axes.set_title(title)
    return Picture(fig, f"{title or 'Bytes moved'}. {'; '.join(told)}.")
