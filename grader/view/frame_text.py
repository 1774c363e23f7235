"""A frame of a warp's trace in words: for a terminal, and for those who do not see the picture."""

from __future__ import annotations

from grader.gpu.traces import WarpTrace
from grader.simulator.trace import Step
from grader.view.frames import Frame, Written
from grader.view.values import lane_list, shown

_DOES = {"load": "read", "store": "write", "atomic": "update", "reduction": "update", "copy": "copy"}
# How a lane of a warp is drawn: (word, mark in text).
STATES = {"runs": "#", "idle": "-", "waits": ".", "ended": "x"}


def lane_states(frame: Frame) -> list[str]:
    """The state of each lane: "runs", "idle" (its guard is false), "waits" (elsewhere in the code), "ended"."""
    return [
        "ended" if not frame.live >> lane & 1
        else "waits" if not frame.path >> lane & 1
        else "runs" if frame.active >> lane & 1
        else "idle"
        for lane in range(32)
    ]  # fmt: skip


def happening(frame: Frame) -> str:
    """What the lanes do, in a sentence."""
    parts = []
    if frame.parting:
        jump, stay = frame.parting
        parts.append(f"The lanes part: {_some(jump)} jump{_s(jump)}, {_some(stay)} go{_es(stay)} on first.")
    elif frame.active == frame.path:
        parts.append(f"{_first_upper(_some(frame.path))} run{_s(frame.path)} it.")
    else:
        off = frame.path & ~frame.active
        parts.append(f"{_first_upper(_some(frame.active))} run{_s(frame.active)} it; "
                     f"the guard keeps {_some(off)} from it.")  # fmt: skip
    waiting = frame.live & ~frame.path
    if waiting:
        parts.append(f"{_first_upper(_some(waiting))} wait{_s(waiting)} elsewhere.")
    if frame.waits:
        parts.append("The warp waits for its block at the barrier.")
    if frame.exits:
        parts.append(f"{_first_upper(_some(frame.exits))} end{_s(frame.exits)} here.")
    return " ".join(parts)


def access_sentence(view: WarpTrace, step: Step) -> str:
    """What a memory access touches and costs, as Nsight Compute counts it."""
    count = len(step.touching)
    who = f"1 lane {_DOES[step.kind]}s" if count == 1 else f"{count} lanes {_DOES[step.kind]}"
    each = _number(step.width, "byte") + ("" if count == 1 else " each")
    where = f"{buffer_name(view, step)} in global memory" if step.space == "global" else f"{step.space} memory"
    if step.kind == "copy":
        where = "from global to shared memory"
    if step.fault:
        cost = "here the launch ended"
    elif step.kind == "copy":
        cost = f"{_number(step.sectors, 'sector')}; they land when the thread waits for them"
    elif step.space == "shared":
        cost = f"{_number(step.shared_requests, 'request')}, {_number(step.wavefronts, 'wavefront')}"
    else:
        cost = f"{_number(step.requests, 'request')}, {_number(step.sectors, 'sector')}"
    return f"{who} {each}, {where}: {cost}."


def buffer_name(view: WarpTrace, step: Step) -> str:
    """The buffer of the first active lane."""
    return view.trace.buffer_at(step.addresses[step.touching[0]])[0] or "a buffer"


def place(view: WarpTrace, frame: Frame) -> str:
    """ "line 6: v += …", or what stands for it where no line is known."""
    if frame.line is None:
        return "no line of the source"
    name = f"{frame.file} " if len(view.sources) > 1 else ""
    source = view.line(frame.file, frame.line).strip()
    return f"{name}line {frame.line}" + (f": {source}" if source else "")


def register_text(written: Written) -> list[str]:
    """One line where all lanes agree, else four lines of eight lanes."""
    values = [shown(bits, written.type) for bits in written.bits]
    head = f"{written.name} ({written.type})"
    there = [value for lane, value in enumerate(values) if written.mask >> lane & 1]
    if len(set(there)) == 1:
        return [f"  {head} = {there[0]} in {lane_list(written.mask)}"]
    cells = [value if written.mask >> lane & 1 else "" for lane, value in enumerate(values)]
    width = max(map(len, cells))
    rows = [f"  {head}"]
    for first in range(0, 32, 8):
        eight = " ".join(f"{cell:>{width}}" for cell in cells[first : first + 8]).rstrip()
        if eight:
            rows.append(f"    lane {first:>2}: {eight}")
    return rows


def frame_text(view: WarpTrace, frame: Frame, number: int, count: int) -> str:
    """The whole frame for a terminal."""
    rows = [f"step {number + 1} of {count}, {place(view, frame)}"]
    rows += [f"  {step.text}" for step in frame.steps] if len(frame.steps) == 1 else []
    marks = "".join(STATES[state] for state in lane_states(frame))
    rows.append("  lanes " + " ".join(marks[k : k + 8] for k in range(0, 32, 8)) + f"   {legend(frame)}")
    rows.append(f"  {happening(frame)}")
    for written in frame.written():
        rows += register_text(written)
    rows += [f"  {access_sentence(view, step)}" for step in frame.requests]
    if ending := end_words(view, frame, number, count):
        rows.append("  FAULT. " + " ".join(ending))
    return "\n".join(rows)


def legend(frame: Frame) -> str:
    there = dict.fromkeys(lane_states(frame))
    return ", ".join(f"{STATES[state]} {state}" for state in STATES if state in there)


def alt(view: WarpTrace, frame: Frame, number: int, count: int) -> str:
    """One paragraph that says what the picture shows."""
    parts = [f"Step {number + 1} of {count}, {place(view, frame)}.", happening(frame)]
    parts += ["; ".join(row.strip() for row in register_text(written)) + "." for written in frame.written()]
    parts += [access_sentence(view, step) for step in frame.requests]
    return " ".join((*parts, *end_words(view, frame, number, count)))


def end_words(view: WarpTrace, frame: Frame, number: int, count: int) -> tuple[str, str] | tuple[()]:
    """(how the launch ended, why) at the last frame of a launch that failed, here or in another warp."""
    if not view.fault or number != count - 1:
        return ()
    if frame.fault:
        return "The launch ends here.", view.fault
    return "The launch ended while this warp was here; another one failed.", view.fault


def _some(mask: int) -> str:
    return lane_list(mask)


def _single(mask: int) -> bool:
    return mask != 0 and not mask & (mask - 1)


def _s(mask: int) -> str:
    return "s" if _single(mask) or not mask else ""


def _es(mask: int) -> str:
    return "es" if _single(mask) else ""


def _first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _number(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"
