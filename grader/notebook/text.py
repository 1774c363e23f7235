"""The panel as plain text, for terminals and for notebooks that show no HTML."""

from __future__ import annotations

import textwrap

from grader.course import Exercise
from grader.notebook import words
from grader.notebook.panel import headline, next_steps, worded
from grader.verdict import State, Verdict

WIDTH = 100


def panel_text(verdict: Verdict, exercise: Exercise, note: str = "") -> str:
    """A dozen lines: the verdict, each check, what was found, and what to do next."""
    points = words.points(verdict.earned, verdict.possible)
    if verdict.pending:
        points += f", {words.number(verdict.pending)} pending"
    lines = [f"{exercise.title} ({exercise.slug}): {headline(verdict)}, {points}"]
    lines += _wrapped(note, "  ") if note else []
    for check in verdict.checks:
        icon, word = worded(check)
        lines += _wrapped(f"{icon} {word:<17}{check.sentence}", "  ", 21)
        diagnostics = (check.detail.get("diagnostics") or ())[:5]
        said_below = any(each["message"] in check.message for each in diagnostics[:1])
        if check.state is not State.PASS and check.message and not check.blocked_by and not said_below:
            lines += [part for line in check.message.splitlines() for part in _wrapped(line, " " * 21)]
        for diagnostic in diagnostics:
            place = ":".join(str(diagnostic[k]) for k in ("file", "line", "column") if diagnostic.get(k))
            lines += _wrapped(f"{place}: {diagnostic['severity']}: {diagnostic['message']}", " " * 21)
        fault = check.detail.get("fault")
        if fault and fault.get("file") and fault.get("line"):
            lines.append(" " * 21 + f"at {fault['file']}:{fault['line']}")
    for step in next_steps(verdict, exercise):
        lines += _wrapped(step, "  ")
    return "\n".join(lines)


def _wrapped(text: str, indent: str, hanging: int | None = None) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent if hanging is None else " " * hanging
    ) or [""]
