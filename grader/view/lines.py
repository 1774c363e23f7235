"""Counters beside the source: what each line of a kernel did, and what its memory accesses cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from grader.gpu.counters import ATOMIC_SECTORS, total
from grader.gpu.ptxas import SIMULATED, ResourcesUnavailable
from grader.gpu.traces import WarpTrace
from grader.view.lines_style import STYLE

if TYPE_CHECKING:
    from grader.gpu.profiler import LaunchRecord, profile

_GLOBAL = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
_LOCAL = "l1tex__t_{}_pipe_lsu_mem_local_op_{}.sum"
_WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
_SHARED = "smsp__inst_executed_op_{}_pred_on_any.sum"
# (heading, what one request costs, metrics of requests, metrics of what they cost)
_ACCESSES = (
    ("loads", "sectors", (_GLOBAL.format("requests", "ld"),), (_GLOBAL.format("sectors", "ld"),)),
    ("stores", "sectors", (_GLOBAL.format("requests", "st"),), (_GLOBAL.format("sectors", "st"),)),
    (
        "atomics", "sectors", tuple(_GLOBAL.format("requests", kind) for kind in ("atom", "red")),
        (ATOMIC_SECTORS,),
    ),
    (
        "shared memory", "wavefronts",
        tuple(_SHARED.format(kind) for kind in ("shared_ld", "shared_st", "shared_atom", "ldsm", "shared_stsm")),
        tuple(_WAVEFRONTS.format(kind) for kind in ("ld", "st", "atom")),
    ),
    (
        "local memory", "sectors", tuple(_LOCAL.format("requests", kind) for kind in ("ld", "st")),
        tuple(_LOCAL.format("sectors", kind) for kind in ("ld", "st")),
    ),
)  # fmt: skip
_WORST = 32  # sectors or wavefronts of one request with at most 4 bytes a lane


@dataclass(frozen=True)
class Access:
    """The requests of one kind that a line made, and the sectors or wavefronts that they took."""

    requests: int
    cost: int

    @property
    def each(self) -> float:
        return self.cost / self.requests


@dataclass(frozen=True)
class Line:
    """``accesses``: by heading, only those that happened. Instructions and lanes are PTX's, so estimates."""

    file: str
    number: int
    source: str
    instructions: int
    lanes: float | None
    accesses: dict[str, Access]

    @property
    def cost(self) -> tuple[int, int]:
        return sum(access.cost for access in self.accesses.values()), self.instructions


class LineView:
    """The table: HTML in a notebook, text in a terminal. ``lines`` are its rows."""

    def __init__(self, title: str, lines: list[Line], resources: str = ""):
        self.title, self.lines, self.resources = title, lines, resources
        self.headings = [h for h, *_ in _ACCESSES if any(h in line.accesses for line in lines)]

    def __repr__(self) -> str:
        return _text(self)

    def _repr_html_(self) -> str:
        return _html(self)


def line_view(
    what: profile | LaunchRecord | WarpTrace, kernel: str = "", *, order: str = "source", context: bool = True
) -> LineView:
    """What each line of a kernel did.

    ``what``: a ``profile``, one of its launches, or a ``WarpTrace`` (the counters of its whole launch). ``kernel``
    names one of a profile's kernels where it has several. ``order``: "source", or "cost": what moves most first.
    ``context`` keeps the lines in between that did nothing themselves.
    """
    if order not in ("source", "cost"):
        raise ValueError(f"order is {order!r}; it can be 'source' or 'cost'")
    title, rows, sources, resources = _material(what, kernel)
    lines = [_line(row, sources) for row in rows]
    if order == "cost":
        lines.sort(key=lambda line: line.cost, reverse=True)
    elif context:
        lines = _with_context(lines, sources)
    return LineView(title, lines, resources)


def _material(what: Any, kernel: str) -> tuple[str, Iterable[Mapping], Mapping[str, str], str]:
    """(title, rows of counters, sources, words on resources)."""
    if isinstance(what, WarpTrace):
        return f"kernel {what.trace.kernel}, one launch", what.launch.lines, what.sources, ""
    if not hasattr(what, "launches"):
        return f"kernel {what.kernel}, one launch", what.lines, what.sources, ""
    kernels = what.kernels
    if not kernel and len(kernels) != 1:
        raise ValueError(f"choose a kernel: {', '.join(kernels)}" if kernels else "no kernel was launched")
    kernel = kernel or kernels[0]
    if kernel not in kernels:
        raise ValueError(f"no kernel {kernel!r} was launched; there are: {', '.join(kernels)}")
    launches = [launch for launch in what.launches if launch.kernel == kernel]
    count = f"{len(launches)} launch{'' if len(launches) == 1 else 'es'}"
    return f"kernel {kernel}, {count}", what.lines[kernel], launches[-1].sources, _resources(what, kernel)


def _resources(p: profile, kernel: str) -> str:
    """What ptxas gives the kernel, and how many of its blocks that lets run at once; "" where it cannot be asked."""
    try:
        found, runs = p.resources.get(kernel), p.occupancy.get(kernel)
    except ResourcesUnavailable:
        return ""
    if found is None:
        return ""
    spills = found.spill_store_bytes + found.spill_load_bytes
    parts = [
        f"{found.registers} registers a thread",
        f"{spills} bytes of them spilled to local memory and back" if spills else "none spilled",
        f"{found.shared_bytes:,} bytes of static shared memory a block",
    ]
    if runs is not None:
        parts.append(
            f"{runs.blocks} block{'' if runs.blocks == 1 else 's'} at once on a multiprocessor: occupancy "
            f"{100 * runs.fraction:.0f} %, limited by {' and '.join(runs.limited_by)}"
        )
    return f"By ptxas, for compute capability {SIMULATED}: {', '.join(parts)}."


def _line(row: Mapping, sources: Mapping[str, str]) -> Line:
    accesses, estimates = {}, total([row["estimates"]])
    counted = row["counters"] | estimates
    for heading, _, requests, cost in _ACCESSES:
        made = int(sum(counted.get(name, 0) for name in requests))
        if made:
            accesses[heading] = Access(made, int(sum(counted.get(name, 0) for name in cost)))
    text = sources.get(row["file"], "").splitlines()
    source = text[row["line"] - 1] if row["line"] <= len(text) else ""
    return Line(
        row["file"], row["line"], source, int(estimates.get("ptx_warp_instructions", 0)),
        estimates.get("ptx_lane_efficiency"), accesses,
    )  # fmt: skip


def _with_context(lines: list[Line], sources: Mapping[str, str]) -> list[Line]:
    """The lines of each file from the first to the last that did something."""
    found: list[Line] = []
    for line in lines:
        before = found[-1] if found and found[-1].file == line.file else None
        text = sources.get(line.file, "").splitlines()
        if before is not None:
            found += [
                Line(line.file, number, text[number - 1], 0, None, {})
                for number in range(before.number + 1, min(line.number, len(text) + 1))
            ]
        found.append(line)
    return found


# ---- how it looks ----

_NOTE = (
    "Requests, sectors and wavefronts are exact, but for the sectors of atomics; these, instructions and busy lanes "
    "(PTX's) are estimates."
)


def _each(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _unit(heading: str) -> str:
    return next(unit for name, unit, *_ in _ACCESSES if name == heading)


def _text(view: LineView) -> str:
    tops, heads = ["", "PTX,", "lanes,"], ["line", "est.", "est."]
    for heading in view.headings:
        tops += [heading.removesuffix(" memory"), f"{_unit(heading)}/"]
        heads += ["req.", "req."]
    table = [tops, heads, *(_text_cells(view, line) for line in view.lines)]
    widths = [max(len(row[k]) for row in table) for k in range(len(heads))]
    sources = ["", "", *(line.source.expandtabs(4) for line in view.lines)]
    rows = [
        ("  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) + "  " + source).rstrip()
        for row, source in zip(table, sources, strict=True)
    ]
    return "\n".join([view.title, *([view.resources] if view.resources else []), *rows, _NOTE])


def _text_cells(view: LineView, line: Line) -> list[str]:
    cells = [str(line.number), f"{line.instructions:,}" if line.instructions else ""]
    cells.append(f"{100 * line.lanes:.0f} %" if line.lanes is not None else "")
    for heading in view.headings:
        access = line.accesses.get(heading)
        cells += [f"{access.requests:,}", _each(access.each)] if access else ["", ""]
    return cells


def _html(view: LineView) -> str:
    groups = "".join(f'<th colspan="2" scope="colgroup">{escape(h)}</th>' for h in view.headings)
    heads = "".join(
        f'<th scope="col" title="by warps">requests</th><th scope="col">{_unit(h)} each</th>' for h in view.headings
    )
    most = max((line.instructions for line in view.lines), default=0) or 1
    rows = "".join(_html_row(view, line, most) for line in view.lines)
    resources = f"<p>{escape(view.resources)}</p>" if view.resources else ""
    return (
        f'{STYLE}<div class="grader-lines"><table><caption>{escape(view.title)}</caption>'
        f'<thead><tr><td></td><th colspan="2" scope="colgroup">PTX (estimates)</th>{groups}<td></td></tr>'
        '<tr><th scope="col">line</th><th scope="col" title="executed by warps">instructions</th>'
        f'<th scope="col">lanes busy</th>{heads}<th scope="col" class="grader-source">source</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>{resources}<p>{_NOTE}</p></div>"
    )


def _html_row(view: LineView, line: Line, most: int) -> str:
    cells = _bar(f"{line.instructions:,}" if line.instructions else "", line.instructions / most)
    cells += _bar("" if line.lanes is None else f"{100 * line.lanes:.0f} %", line.lanes or 0)
    for heading in view.headings:
        access = line.accesses.get(heading)
        cells += f"<td>{access.requests:,}</td>" if access else "<td></td>"
        cells += _bar(_each(access.each), access.each / _WORST) if access else "<td></td>"
    source = f'<td class="grader-source"><code>{escape(line.source.expandtabs(4))}</code></td>'
    return f'<tr><th scope="row">{line.number}</th>{cells}{source}</tr>'


def _bar(text: str, share: float) -> str:
    """A number above a bar of its share of the most; the number alone says it too."""
    width = round(100 * min(max(share, 0), 1))
    return f'<td><span style="--share:{width}%">{text}</span></td>' if text else "<td></td>"
