"""Draws plugin_host.svg, the processes of a conformance run: ``python docs/pictures/plugin_host.py``.

Plain SVG with text that can be selected, in dark colours on a light page and in light ones on a dark page.
"""

from html import escape
from pathlib import Path

WIDTH, HEIGHT = 920, 470
ALT = (
    "The parent scripts the plugin process, whose answers are claims, and drives the device process, whose results and "
    "log are evidence. The plugin process holds the library, the C++ host, NVIDIA's registry and the stand-in CUDA "
    "runtime, which sends every CUDA call to the device process. A reference child computes what is right."
)
STYLE = """
text { font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1b1b1d }
.title { font-weight: 600; font-size: 14.5px } .quiet { fill: #66666b; font-size: 12px }
.box { fill: #8881; stroke: #77777c } .part { fill: #8882; stroke: none }
.evidence { stroke: #1f6cb0; stroke-width: 2.2; fill: none } .claim { stroke: #c4661a; stroke-dasharray: 6 4;
  stroke-width: 2.2; fill: none } .plain { stroke: #77777c; stroke-width: 1.6; fill: none }
.e { fill: #1f6cb0 } .c { fill: #b3590f } .p { fill: #77777c }
@media (prefers-color-scheme: dark) {
  text { fill: #ececf0 } .quiet { fill: #a2a2aa } .box { stroke: #8e8e96 }
  .evidence { stroke: #63aeea } .claim { stroke: #f0a05a }
  .e { fill: #63aeea } .c { fill: #f0a05a } .p { fill: #a2a2aa }
}
"""


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def box(x: float, y: float, width: float, height: float, title: str, lines: list[str], command: str = "") -> str:
    rows = [f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" class="box"/>']
    rows += [text(x + 12, y + 24, title, "title")]
    rows += [text(x + 12, y + 42, command, "quiet")] if command else []
    first = y + (66 if command else 48)
    return "\n".join(rows + [text(x + 12, first + 19 * k, line) for k, line in enumerate(lines)])


def part(x: float, y: float, width: float, words: str, quiet: str = "") -> str:
    rect = f'<rect x="{x}" y="{y}" width="{width}" height="42" rx="4" class="part"/>'
    return "\n".join([rect, text(x + 10, y + 18, words), text(x + 10, y + 34, quiet, "quiet")])


def arrow(x1: float, y1: float, x2: float, y2: float, kind: str, both: bool = False) -> str:
    ends = f'marker-end="url(#{kind})"' + (f' marker-start="url(#{kind})"' if both else "")
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" class="{kind}" {ends}/>'


def marker(kind: str) -> str:
    return (
        f'<marker id="{kind}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" '
        'markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
        f'<path d="M0 0 L10 5 L0 10 z" class="{kind[0]}"/></marker>'
    )


def picture() -> str:
    parts = [
        box(10, 10, 250, 270, "the parent decides", [
            "the rules, the spec, the trace", "never loads the library", "",
            "makes all buffers of a run, fills", "them, reads them: on the device,", "never through the plugin process",
        ], "Python, grader.checks.conformance"),
        box(345, 10, 290, 270, "a plugin process", [], "several in a run, one after another or at once"),
        part(357, 66, 266, "the library under test", "learner's or anyone's: its word is a claim"),
        part(357, 116, 266, "the host", "C++, calls each method, lends memory"),
        part(357, 166, 266, "NVIDIA's plugin registry", "libnvinfer_lean.so.10"),
        part(357, 216, 266, "the stand-in CUDA runtime", "libcudart.so.13 and .12, ours"),
        box(345, 350, 290, 110, "the device process", [
            "the simulated GPU: memory, streams,", "captures, kernels, faults, and a log",
        ], "one for a run: grader.simulator.runtime"),
        box(10, 350, 250, 110, "the reference child", [
            "the spec's Python function, with no", "view of what the plugin computed",
        ]),
        arrow(260, 130, 340, 130, "plain"), text(300, 122, "commands", "quiet", "middle"),
        arrow(345, 175, 265, 175, "claim"), text(300, 167, "answers", "c", "middle"),
        arrow(490, 280, 490, 345, "plain"), text(500, 317, "every CUDA call, by a socket", "quiet"),
        arrow(345, 385, 200, 285, "evidence", both=True), text(285, 312, "log,", "e"),
        text(285, 328, "data", "e"),
        arrow(60, 280, 60, 345, "plain", both=True), text(70, 317, "inputs, results", "quiet"),
        text(660, 60, "claim", "c"), text(660, 80, "what the plugin process answers.", ""),
        text(660, 98, "A plugin could have written it.", "quiet"),
        text(660, 140, "evidence", "e"), text(660, 160, "what the device process holds", ""),
        text(660, 178, "and logs, and how a process ended.", ""),
        text(660, 196, "Results are read there.", "quiet"),
        text(660, 390, "One device for all processes of a run:", "quiet"),
        text(660, 408, "the parent chooses in which of the legal", "quiet"),
        text(660, 426, "orders the queued work runs.", "quiet"),
    ]  # fmt: skip
    body = "\n".join(parts)
    markers = "".join(map(marker, ("plain", "claim", "evidence")))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'role="img" aria-label="{escape(ALT)}">\n<title>{escape(ALT)}</title>\n<style>{STYLE}</style>\n'
        f"<defs>{markers}</defs>\n{body}\n</svg>\n"
    )


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture())
