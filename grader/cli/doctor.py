"""`grader doctor`: what this machine can do, tried."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from grader.cli.guard import NOT_PASSED, OK
from grader.workspace.machine import PROBES, abilities


def report(console: Console | None = None) -> int:
    """Print a line for each ability. 0 if all that the course needs is there, else 1."""
    console = console or Console(highlight=False)
    lacking = []
    for probe in PROBES:  # one by one: what is slow is seen to be at work
        with console.status(f"trying: {probe.title}"):
            [item] = abilities([probe.key])
        mark = (
            Text("ok      ", "bold green")
            if item.ok
            else Text("missing ", "bold red" if item.needed else "yellow")
        )
        wide = not console.is_terminal  # in a file or a pipe a line is as long as it is
        console.print(Text.assemble(mark, (item.title, "bold"), "  ", item.found), soft_wrap=wide)
        _indented(console, f"{'for' if item.ok else 'would be for'} {item.unlocks}", "dim")
        if not item.ok:
            _indented(console, f"to get it: {item.how}")
            lacking += [item.title] if item.needed else []
    console.print()
    if lacking:
        console.print(Text(f"The course needs what is missing here: {', '.join(lacking)}.", "bold red"))
        return NOT_PASSED
    console.print(Text("This machine has all that the course needs.", "bold green"))
    return OK


def _indented(console: Console, text: str, style: str = "") -> None:
    if console.is_terminal:
        console.print(Padding(Text(text, style), (0, 0, 0, 8)))
    else:
        console.print(Text(f"        {text}", style), soft_wrap=True)
