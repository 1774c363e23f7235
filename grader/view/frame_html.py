"""A frame of a warp's trace as HTML: the source, the 32 lanes, what changed, what was touched.

Nothing depends on colour: filled, framed, dashed and crossed boxes tell a lane's state, and words say it again.
"""

from __future__ import annotations

from html import escape

from grader.gpu.traces import WarpTrace
from grader.simulator.trace import Step
from grader.view.banks import BANKS, bank_access
from grader.view.frame_text import access_sentence, alt, end_words, happening, lane_states, register_text
from grader.view.frames import Frame, Written
from grader.view.stepper_style import STYLE
from grader.view.values import shown

_CONTEXT = 5  # lines of the source above and below
_WHOLE = 16  # a source of so many lines is shown whole
_MOST_SECTORS = 8
_MOST_DEPTH = 8
_SECTOR = 32
_WORDS = {"runs": "running", "idle": "held back by the guard", "waits": "waiting elsewhere", "ended": "ended"}


def frame_html(view: WarpTrace, frame: Frame, number: int, count: int) -> str:
    said = escape(alt(view, frame, number, count))
    parts = [
        f'<p class="grader-where"><b>Step {number + 1} of {count}</b><span>{escape(view.name)}</span></p>',
        _source(view, frame),
        _lanes(view, frame),
        f'<p class="grader-happens">{escape(happening(frame))}</p>',
        "".join(_register(written) for written in frame.written()),
        "".join(_request(view, step) for step in frame.requests),
        _end(view, frame, number, count),
        _instructions(frame),
    ]
    return f'{STYLE}<section class="grader-step" role="group" aria-label="{said}">{"".join(parts)}</section>'


def _end(view: WarpTrace, frame: Frame, number: int, count: int) -> str:
    ending = end_words(view, frame, number, count)
    return f'<p class="grader-fault"><b>✗ {escape(ending[0])}</b> {escape(ending[1])}</p>' if ending else ""


# ---- the source ----


def _source(view: WarpTrace, frame: Frame) -> str:
    lines = view.sources.get(frame.file or "", "").splitlines()
    if not lines or frame.line is None:
        return f'<pre><span class="grader-row grader-now"><i>▶</i>{escape(frame.steps[-1].text)}</span></pre>'
    first, last = max(1, frame.line - _CONTEXT), min(len(lines), frame.line + _CONTEXT)
    if len(lines) <= _WHOLE:
        first, last = 1, len(lines)
    rows = ""
    for number in range(first, last + 1):
        now = number == frame.line
        mark = "▶" if now else ""
        rows += (
            f'<span class="grader-row{" grader-now" if now else ""}"><i>{mark}</i><i class="grader-no">{number}</i>'
            f"{escape(lines[number - 1].expandtabs(4))}</span>"
        )
    title = f"<figcaption>{escape(frame.file or '')}</figcaption>" if len(view.sources) > 1 else ""
    return f"{title}<pre>{rows}</pre>"


# ---- the lanes ----


def _lanes(view: WarpTrace, frame: Frame) -> str:
    states = lane_states(frame)
    x, y, _ = view.trace.threads
    threads = view.trace.threads[0] * view.trace.threads[1] * view.trace.threads[2]
    boxes = ""
    for lane, state in enumerate(states):
        thread = 32 * view.trace.warp + lane
        who = f"thread ({thread % x}, {thread // x % y}, {thread // (x * y)})" if thread < threads else "no thread"
        boxes += f'<span class="grader-{state}" title="lane {lane}, {who}: {_WORDS[state]}">{lane}</span>'
    key = "".join(
        f'<span><i class="grader-{state}">{"×" * (state == "ended")}</i>{states.count(state)} {_WORDS[state]}</span>'
        for state in _WORDS
        if state in states
    )
    return f'<div class="grader-lanes" aria-hidden="true">{boxes}</div><p class="grader-key">{key}</p>'


# ---- registers ----


def _register(written: Written) -> str:
    by = f"<small>{escape(written.type)}, by <code>{escape(written.by)}</code></small>"
    head = f"<code>{escape(written.name)}</code> {by}"
    text = register_text(written)
    if len(text) == 1:
        return f'<p class="grader-register">{head}<br>{escape(text[0].split(") ", 1)[1])}</p>'
    cells = "".join(
        f"<td><small>{lane}</small>{escape(shown(bits, written.type)) if written.mask >> lane & 1 else '·'}</td>"
        + ("</tr><tr>" if lane == 15 else "")
        for lane, bits in enumerate(written.bits)
    )
    return f'<p class="grader-register">{head}</p><table class="grader-values"><tr>{cells}</tr></table>'


# ---- memory ----


def _request(view: WarpTrace, step: Step) -> str:
    words = f'<p class="grader-request">{escape(access_sentence(view, step))}</p>'
    if step.space == "local":  # each thread has its own: no picture says more
        return f'<div class="grader-memory">{words}</div>'
    drawn = _banks(step) if step.space == "shared" else _sectors(view, step)
    return f'<div class="grader-memory">{words}<div aria-hidden="true">{drawn}</div></div>'


def _sectors(view: WarpTrace, step: Step) -> str:
    """A row for each sector: its place in the buffer, and the lanes that want its elements."""
    size = min(max(step.width, 1), _SECTOR)
    sectors: dict[int, dict[int, list[int]]] = {}
    for lane in step.touching:
        address = step.addresses[lane]
        sectors.setdefault(address // _SECTOR, {}).setdefault(address % _SECTOR // size, []).append(lane)
    rows, beyond = "", False
    for sector in sorted(sectors)[:_MOST_SECTORS]:
        _, offset = view.trace.buffer_at(sector * _SECTOR)
        slots = ""
        for slot in range(_SECTOR // size):
            who = sectors[sector].get(slot, [])
            outside = who and not view.trace.is_inside(sector * _SECTOR + slot * size, size)
            beyond |= bool(outside)
            slots += f'<span class="grader-{"outside" if outside else "runs" if who else "free"}">{_who(who)}</span>'
        rows += f'<div class="grader-sector"><small>byte {offset}</small>{slots}</div>'
    left = len(sectors) - _MOST_SECTORS
    more = f"<small>and {left} sector{'s' if left > 1 else ''} more;</small>" if left > 0 else ""
    crossed = "; crossed out: in no buffer" if beyond else ""
    key = f"filled: the lane that wants this element; dotted: moved with its sector all the same{crossed}"
    return f'<div class="grader-sectors">{rows}</div>{more} <small>{key}</small>'


def _banks(step: Step) -> str:
    """The 32 banks side by side; under each the words that its lanes want, one a pass."""
    touched = {lane: step.addresses[lane] for lane in step.touching}
    phase = bank_access(touched, step.width, load=step.kind == "load").worst
    depth = min(phase.wavefronts, _MOST_DEPTH)
    head = "".join(f"<th>{bank}</th>" for bank in range(BANKS))
    rows = ""
    for level in range(depth):
        cells = ""
        for bank in range(BANKS):
            words = list(phase.banks.get(bank, {}).values())
            lanes = words[level] if level < len(words) else []
            cells += f'<td class="grader-{"runs" if lanes else "free"}">{_who(lanes)}</td>'
        rows += f"<tr><th>{level + 1}</th>{cells}</tr>"
    left = phase.wavefronts - depth
    more = f"<small>and {left} pass{'es' if left > 1 else ''} more; </small>" if left > 0 else ""
    key = "<small>a column is a bank, a row a pass; in the cell the lane</small>"
    return f'<table class="grader-banks"><tr><th>bank</th>{head}</tr>{rows}</table>{more}{key}'


def _who(lanes: list[int]) -> str:
    if len(lanes) == 1:
        return str(lanes[0])
    return f"×{len(lanes)}" if lanes else ""


def _instructions(frame: Frame) -> str:
    if len(frame.steps) == 1:
        return f'<p class="grader-ptx"><code>{escape(frame.steps[0].text)}</code></p>'
    listed = "\n".join(step.text for step in frame.steps)
    return f"<details><summary>{len(frame.steps)} PTX instructions</summary><pre>{escape(listed)}</pre></details>"
