"""How a profile looks: as text in a terminal, as a table in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from grader.gpu.counters import BYTES, MEANING, RATIOS

if TYPE_CHECKING:
    from grader.gpu.profiler import profile

# JupyterLab's own colours where there is a JupyterLab, the system's elsewhere.
_STYLE = """<style>
.grader-profile table { border-collapse: collapse; margin: .4em 0; font-variant-numeric: tabular-nums }
.grader-profile th, .grader-profile td { padding: .25em .8em; text-align: right; vertical-align: top;
  border-bottom: 1px solid var(--jp-border-color2, #8884) }
.grader-profile th:first-child, .grader-profile td:first-child { text-align: left }
.grader-profile caption, .grader-profile summary { text-align: left; color: var(--jp-ui-font-color2, inherit) }
.grader-profile code { background: none; color: inherit; padding: 0 }
</style>"""


def _number(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.3f}"


def profile_text(p: profile) -> str:
    if not p.launches:
        return "profile: no kernel was launched"
    parts = []
    for kernel, counters in p.counters.items():
        count = sum(launch.kernel == kernel for launch in p.launches)
        parts.append(f"{kernel}: {count} launch{'' if count == 1 else 'es'}")
        shown = [name for name in (*RATIOS, *BYTES) if name in counters]
        parts += [f"  {name:<30} {_number(counters[name]):>16}" for name in shown]
    return "\n".join(parts)


def profile_html(p: profile, problem: str = "") -> str:
    if problem:
        return f"<p>{escape(problem)}</p>"
    if not p.launches:
        return "<p>No kernel was launched inside <code>profile()</code>.</p>"
    names = [name for name in (*RATIOS, *BYTES) if any(name in c for c in p.counters.values())]
    head = "".join(f'<th scope="col" title="{escape(MEANING[n])}">{escape(n.replace("_", " "))}</th>' for n in names)
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
    return f'{_STYLE}<div class="grader-profile">{table}{_metrics_html(p)}{_lines_html(p)}</div>'


def _metrics_html(p: profile) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(kernel)}</code></td><td><code>{escape(name)}</code></td><td>{_number(value)}</td></tr>"
        for kernel, counters in p.counters.items()
        for name, value in counters.items()
        if name not in MEANING
    )
    return (
        "<details><summary>All counters, by Nsight Compute's names</summary><table><thead><tr>"
        '<th scope="col">kernel</th><th scope="col">metric</th><th scope="col">sum</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></details>"
    )


def _lines_html(p: profile) -> str:
    rows = ""
    for kernel, lines in p.lines.items():
        for line in lines:
            shown = {n: line["counters"][n] for n in (*RATIOS, *BYTES) if line["counters"].get(n)}
            if shown:
                text = ", ".join(f"{n.replace('_', ' ')} {_number(v)}" for n, v in shown.items())
                rows += (
                    f"<tr><td><code>{escape(kernel)}</code></td>"
                    f"<td><code>{escape(str(line['file']))}:{line['line']}</code></td><td>{escape(text)}</td></tr>"
                )
    if not rows:
        return ""
    return (
        "<details><summary>Line by line</summary><table><thead><tr>"
        '<th scope="col">kernel</th><th scope="col">line</th><th scope="col">what it did</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></details>"
    )
