"""A verdict in the terminal: each check with its sentence, and what helps to see why it went wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.course import Exercise
from grader.notebook import words
from grader.notebook.panel import headline, worded
from grader.notebook.source import LONGEST_LINE, read_sources
from grader.verdict import CheckResult, State, Verdict

_STYLES = {State.PASS: "bold green", State.UNSUPPORTED_HERE: "bold yellow", State.GRADER_FAULT: "bold yellow"}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # a learner's file must not steer the terminal
_SHOWN_DIAGNOSTICS = 5
_FIRST = (("case", "label"), ("kernel", "kernel"))  # what is shown -> the case's field
_AROUND = 2  # lines of an excerpt before and after


def show(
    verdict: Verdict, exercise: Exercise, folder: Path, console: Console, *, full: bool = False, learner: bool = True,
    ran: bool = True,
) -> None:  # fmt: skip
    """Print the verdict. `folder` holds the files that excerpts are taken from.

    While something is wrong, that comes first, the first of it with all its evidence; what passed and what waits is
    counted. `full`: every check in its order with all its evidence, and the counters.
    `learner`: with what to do next, and where the files lie. `ran`: something was there to be checked.
    """
    sources = read_sources(folder, exercise.files)
    points = words.points(verdict.earned, verdict.possible)
    console.print(
        Text.assemble((headline(verdict), state_style(verdict.state)), "  ", (exercise.title, "bold"),
                      (f"  {exercise.slug}", "dim"), f"  {points}")
    )  # fmt: skip
    if verdict.pending:
        console.print(
            Text(
                f"{words.number(verdict.pending)} points are pending: they need a grade on another machine.",
                "bold yellow",
            )
        )
    console.print()
    waiting = [check for check in verdict.checks if check.blocked_by]
    passing = [check for check in verdict.checks if check.state is State.PASS]
    not_passed = [check for check in verdict.checks if check not in waiting and check not in passing]
    wrong = [check for check in not_passed if check.state is not State.UNSUPPORTED_HERE]
    brief = bool(wrong) and not full
    for check in not_passed if brief else verdict.checks:
        _check(check, verdict, exercise, sources, console, full=full or check in (wrong or not_passed)[:1])
    if brief:
        _folded(passing, waiting, console)
    if verdict.counters and not brief:
        _counters(verdict.counters, console)
    console.print()
    for line in _next(verdict, exercise) if learner else ():
        console.print(line)
    if not ran:
        return
    where = words.DEVICES.get(verdict.device, verdict.device)
    told = f"Checked on {where} in {verdict.seconds:.1f} s" + (f": {folder}" if learner else ".")
    console.print(Text(told, "dim"), soft_wrap=True)


def _folded(passing: list[CheckResult], waiting: list[CheckResult], console: Console) -> None:
    """A line for what passed and one for what waits."""
    if passing:
        many = "1 check passed" if len(passing) == 1 else f"{len(passing)} checks passed"
        console.print(Text(f"✓ {many}; --full shows what was checked", "dim"))
    if waiting:
        many = "1 more check waits" if len(waiting) == 1 else f"{len(waiting)} more checks wait"
        console.print(Text(f"– {many} for what is above; --full names them", "dim"))


def state_style(state: State) -> str:
    return _STYLES.get(state, "bold red")


def clean(text: Any) -> str:
    return _CONTROL.sub("�", str(text))


def _check(check: CheckResult, verdict: Verdict, exercise: Exercise, sources, console: Console, *, full: bool) -> None:
    icon, word = worded(check)
    style = "dim" if check.blocked_by else state_style(check.state)
    row = Table.grid(padding=(0, 1))
    row.add_column(no_wrap=True, min_width=18)
    row.add_column()
    row.add_row(Text(f"{icon} {word}", style), Text(clean(check.sentence), "dim" if check.blocked_by else ""))
    console.print(row)
    if check.state is not State.PASS and not check.blocked_by:
        parts = _found(check, verdict, exercise, sources) if full else [Text(clean(check.message))]
        console.print(Padding(Group(*parts), (0, 0, 1, 4)))
    elif check.state is State.PASS and check.detail.get("diagnostics"):
        console.print(Padding(Group(*diagnostics_parts(check.detail["diagnostics"], sources)), (0, 0, 1, 4)))


def _found(check: CheckResult, verdict: Verdict, exercise: Exercise, sources) -> list[RenderableType]:
    detail = check.detail
    diagnostics = detail.get("diagnostics") or ()
    said_below = any(item.get("message") and item["message"] in check.message for item in diagnostics[:1])
    parts: list[RenderableType] = []
    if check.message and not said_below:
        parts.append(Text(clean(check.message), "bold"))
    parts += diagnostics_parts(diagnostics, sources)
    if isinstance(detail.get("case"), Mapping):
        parts.append(_case(detail["case"]))
    fault = detail.get("fault")
    if isinstance(fault, Mapping):
        parts += _fault(fault, sources)
    place = detail.get("source_line")
    if isinstance(place, Mapping):
        parts += _excerpt(sources, place.get("file"), place.get("line"))
    elif isinstance(place, int):
        parts += _excerpt(sources, next(iter(sources), None), place)
    for key, title in (("stdout", "Your code printed:"), ("stderr", "Your code printed to stderr:")):
        if str(detail.get(key) or "").strip():
            parts += [Text(title), Padding(Text(clean(detail[key])[-2000:].rstrip(), "dim"), (0, 0, 0, 2))]
    if check.hidden and verdict.seed is not None:
        again = f"grader check {verdict.exercise} --seed {verdict.seed}"
        parts.append(Text(f"The visible cases pass. This one is random; make it again with: {again}", "dim"))
    if belief := next((m.text for m in exercise.misconceptions if m.id == check.misconception), None):
        parts.append(Text(words.behind(belief), "italic"))
    elif rule := detail.get("belief"):
        parts.append(Text(words.often(clean(rule)), "italic"))
    if check.source:
        parts.append(Text(f"The rule: {check.source}", "dim"))
    return parts


def diagnostics_parts(diagnostics, sources) -> list[RenderableType]:
    """The first of what a compiler said, each at its line. ``sources``: the files' texts by name."""
    parts: list[RenderableType] = []
    for item in diagnostics[:_SHOWN_DIAGNOSTICS]:
        place = ":".join(str(item[key]) for key in ("file", "line", "column") if item.get(key))
        style = "red" if item.get("severity", "error") == "error" else "yellow"
        severity = f"{item.get('severity', 'error')}: "
        parts.append(Text.assemble((f"{clean(place)} " if place else "", "cyan"), (severity, style),
                                   clean(item.get("message", ""))))  # fmt: skip
        parts += _excerpt(sources, item.get("file"), item.get("line"), item.get("column"))
    if (more := len(diagnostics) - _SHOWN_DIAGNOSTICS) > 0:
        parts.append(Text(f"and {more} more; mend the first ones first", "dim"))
    return parts


def _case(case: Mapping[str, Any]) -> RenderableType:
    """The smallest failing case: which element, what came and what was due, which thread wrote it."""
    rest = dict(case)

    def taken(*names: str) -> list:
        """The values of `names`, taken out of the rest; an empty list unless all are there."""
        return [rest.pop(name) for name in names] if all(rest.get(name) is not None for name in names) else []

    lines: list[tuple[str, Any]] = [(name, rest.pop(key, None)) for name, key in _FIRST]
    if element := taken("output", "index"):
        lines.append(("element", f"{element[0]}[{_value(element[1])}]"))
    lines += [(name, rest.pop(name, None)) for name in ("got", "expected", "inputs")]
    if place := taken("thread", "block"):
        lines.append(("thread", f"{_value(place[0])} of block {_value(place[1])}"))
    if launch := taken("grid", "threads"):
        lines.append(("launch", f"grid {_value(launch[0])}, block {_value(launch[1])}"))
    if wrong := taken("wrong", "of"):
        lines.append(("wrong", f"{wrong[0]} of {wrong[1]} elements"))
    tolerance = rest.pop("tolerance", None)
    if isinstance(tolerance, Mapping) and any(tolerance.values()):
        lines.append(("tolerance", tolerance))
    return _facts(lines + [(name.replace("_", " "), value) for name, value in rest.items()])


def _facts(lines: list[tuple[str, Any]]) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    for name, value in lines:
        if value not in (None, "", {}, [], ()):
            table.add_row(Text(name, "dim"), Text(clean(_value(value))))
    return table


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {_value(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        if len(value) == 3 and list(value[1:]) in ([0, 0], [1, 1]):
            return str(value[0])  # one dimension alone says it
        return "(" + ", ".join(_value(item) for item in value) + ")"
    return str(value)


def _fault(fault: Mapping[str, Any], sources) -> list[RenderableType]:
    where = None
    if fault.get("thread") is not None:
        where = f"{_value(fault['thread'])} of block {_value(fault.get('block'))}"
    buffer = fault.get("buffer")
    if buffer and fault.get("offset") is not None:
        buffer = f"{buffer}, byte {fault['offset']} of {fault.get('buffer_bytes')}"
    facts = _facts([("kernel", fault.get("kernel")), ("thread", where), ("buffer", buffer)])
    return [facts, *_excerpt(sources, fault.get("file"), fault.get("line"))]


def _excerpt(sources: Mapping[str, str], file, line, column=None) -> list[RenderableType]:
    """The learner's lines about `line`, with that one marked and a caret under `column`."""
    lines = sources.get(Path(str(file)).name, "").splitlines() if file else []
    if not isinstance(line, int) or not 1 <= line <= len(lines):
        return []
    text = Text()
    for number in range(max(1, line - _AROUND), min(len(lines), line + _AROUND) + 1):
        marked = number == line
        content = lines[number - 1].expandtabs(4)[:LONGEST_LINE]
        text.append(f"{'>' if marked else ' '} {number:>4} | {clean(content)}\n", "bold" if marked else "dim")
        if marked and isinstance(column, int) and 1 <= column <= len(lines[number - 1]) + 1:
            indent = len(lines[number - 1][: column - 1].expandtabs(4))
            if indent < LONGEST_LINE:
                text.append(f"       | {' ' * indent}^\n", "bold red")
    text.rstrip()
    return [text]


def _counters(counters: Mapping[str, Mapping[str, float]], console: Console) -> None:
    """The ratios people read, a row for each kernel; the metrics themselves are in `--json`."""
    from grader.gpu.counters import MEANING, ratios

    rows = {kernel: ratios(metrics) for kernel, metrics in counters.items()}
    names = [name for name in MEANING if any(name in row for row in rows.values())]
    if not names:
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("kernel", no_wrap=True)
    for name in names:
        table.add_column(name.replace("_", " "), justify="right")
    for kernel, row in rows.items():
        table.add_row(clean(kernel), *(f"{row[name]:.6g}" if name in row else "" for name in names))
    console.print()
    console.print(Text("What the kernels did to memory", "bold"))
    console.print(table)
    for name in names:
        console.print(Text(f"{name.replace('_', ' ')}: {MEANING[name]}", "dim"))


def _next(verdict: Verdict, exercise: Exercise) -> list[Text]:
    lines = [
        Text(f"Not checked here: {check.message or check.sentence}", "yellow")
        for check in verdict.checks
        if check.state is State.UNSUPPORTED_HERE and not check.blocked_by
    ]
    if verdict.state is State.GRADER_FAULT:
        lines.append(Text("This costs you nothing. Please report it."))
    elif verdict.state in (State.PASS, State.UNSUPPORTED_HERE) and any(c.state is State.PASS for c in verdict.checks):
        if verdict.seed is not None:
            lines.append(Text(words.HIDDEN_PASSED.format(seed=verdict.seed), "green"))
    else:
        lines.append(Text(f"Stuck? `grader hint {exercise.slug}` shows the next hint."))
    return lines
