"""How a profile looks: as text in a terminal, as a table in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from grader.gpu.counters import BYTES, MEANING, RATIOS
from grader.gpu.ptxas import ResourcesUnavailable

if TYPE_CHECKING:
    from grader.gpu.profiler import profile

# JupyterLab's own colours where there is a JupyterLab, the system's elsewhere.
_SHEET = """
& table { border-collapse: collapse; margin: .4em 0; font-variant-numeric: tabular-nums }
& th, & td { padding: .25em .8em; text-align: right; vertical-align: top;
  border-bottom: 1px solid var(--jp-border-color2, #8884) }
& th:first-child, & td:first-child, & .text { text-align: left }
& tr { background: none !important }
& thead th { white-space: normal; vertical-align: bottom }
& tbody th { font-weight: 400 }
& caption, & summary { text-align: left; color: var(--jp-ui-font-color2, inherit) }
& summary { cursor: pointer }
& code { background: none; color: inherit; padding: 0 }
"""
# `&` stands for the table. The class stands twice so that a rule wins over JupyterLab's own.
_STYLE = f"<style>{_SHEET.replace('& ', '.grader-profile.grader-profile ')}</style>"


def _number(value: float) -> str:
    return f"{value:,.3f}".rstrip("0").rstrip(".")


def profile_text(p: profile) -> str:
    if not p.launches:
        return "profile: no kernel was launched"
    parts = []
    for kernel, counters in p.counters.items():
        count = sum(launch.kernel == kernel for launch in p.launches)
        parts.append(f"{kernel}: {count} launch{'' if count == 1 else 'es'}")
        shown = [name for name in (*RATIOS, *BYTES) if name in counters]
        parts += [f"  {name:<30} {_number(counters[name]):>16}" for name in shown]
    for kernel, registers, spilled, _, _, holds in _resources(p):
        parts.append(
            f"{kernel}, by ptxas: {registers} registers, bytes spilled: {spilled}; a multiprocessor holds {holds}"
        )
    return "\n".join(parts)


def profile_html(p: profile, problem: str = "") -> str:
    if problem:
        return f"<p>{escape(problem)}</p>"
    if not p.launches:
        return "<p>No kernel was launched inside <code>profile()</code>.</p>"
    names = [name for name in (*RATIOS, *BYTES) if any(name in c for c in p.counters.values())]
    head = "".join(f'<th title="{escape(MEANING[n])}" scope="col">{escape(n.replace("_", " "))}</th>' for n in names)
    rows = ""
    for kernel, counters in p.counters.items():
        count = sum(launch.kernel == kernel for launch in p.launches)
        cells = "".join(f"<td>{_number(counters[n]) if n in counters else 'none'}</td>" for n in names)
        rows += f'<tr><th scope="row"><code>{escape(kernel)}</code></th><td>{count}</td>{cells}</tr>'
    table = (
        "<table><caption>Counted exactly by the simulated GPU, summed over the launches</caption>"
        f'<thead><tr><th scope="col">kernel</th><th scope="col">launches</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )
    return f'{_STYLE}<div class="grader-profile">{table}{_metrics_html(p)}{_lines_html(p)}{_resources_html(p)}</div>'


def _metrics_html(p: profile) -> str:
    rows = [
        (kernel, name, _number(value))
        for kernel, counters in p.counters.items()
        for name, value in counters.items()
        if name not in MEANING
    ]
    return _folded("All counters, by Nsight Compute's names", ("kernel", "metric", "sum"), rows)


def _lines_html(p: profile) -> str:
    rows = []
    for kernel, lines in p.lines.items():
        for line in lines:
            shown = {n: line["counters"][n] for n in (*RATIOS, *BYTES) if line["counters"].get(n)}
            if shown:
                text = ", ".join(f"{n.replace('_', ' ')} {_number(v)}" for n, v in shown.items())
                rows.append((kernel, f"{line['file']}:{line['line']}", text))
    return _folded("Line by line", ("kernel", "line", "what it did"), rows)


def _resources(p: profile) -> list[tuple[str, ...]]:
    """(kernel, registers, bytes spilled, stack, static shared memory, what a multiprocessor holds) of every kernel."""
    try:
        found, runs = p.resources, p.occupancy
    except ResourcesUnavailable:  # no compiler here: nothing is known
        return []
    rows = []
    for kernel, run in runs.items():
        one, limits = found[kernel], " and ".join(run.limited_by)
        spilled = f"{one.spill_store_bytes} stored, {one.spill_load_bytes} loaded" if one.spill_store_bytes else "none"
        holds = f"{run.blocks} blocks, {run.warps} warps: {run.fraction:.0%}, limited by {limits}"
        rows.append((kernel, f"{one.registers}", spilled, f"{one.stack_bytes}", f"{one.shared_bytes}", holds))
    return rows


def _resources_html(p: profile) -> str:
    heads = (
        "kernel", "registers", "bytes spilled", "bytes of stack", "bytes of static shared memory",
        "on a multiprocessor",
    )  # fmt: skip
    return _folded("Registers and occupancy, by ptxas for compute capability 8.0", heads, _resources(p))


def _folded(title: str, heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table of text behind a summary; nothing where there are no rows."""
    if not rows:
        return ""
    head = "".join(f'<th class="text" scope="col">{escape(text)}</th>' for text in heads)
    body = "".join("<tr>" + "".join(f'<td class="text">{escape(t)}</td>' for t in row) + "</tr>" for row in rows)
    return (
        f"<details><summary>{escape(title)}</summary>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></details>"
    )
