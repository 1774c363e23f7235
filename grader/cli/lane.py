"""`grader plugin-lane`: install the second part of the course's tools, or say how far it is."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from grader.cli.guard import NOT_PASSED, OK
from grader.toolchain import lane
from grader.toolchain.lane import Lane


def run(background: bool = False, only_state: bool = False, console: Console | None = None) -> int:
    """Install it, start that, or neither; print the state. 0 if it is ready, else 1.

    In the background it is 0 whatever comes: `make course` goes on without it.
    """
    console = console or Console(highlight=False)
    if only_state:
        now = lane.state()
    elif background:
        now = lane.install_in_background()
        if now.ready:  # each `make course` comes by here; nothing to say
            return OK
    else:
        now = install(console)
    console.print(Text(now.sentence), soft_wrap=True)
    return OK if now.ready or background else NOT_PASSED


def install(console: Console) -> Lane:
    """Install it with a progress bar, without a terminal with a line now and then."""
    if (now := lane.state()).ready:
        return now
    try:
        if not console.is_terminal:
            return lane.install(_lines(console))
        with _bar(console) as bar:
            task = bar.add_task("", total=now.total or None)
            return lane.install(lambda at: bar.update(task, completed=at.done, total=at.total, description=at.detail))
    except KeyboardInterrupt:
        console.print(Text(lane.state().sentence), soft_wrap=True)
        raise


def ensure(console: Console) -> Lane:
    """Before an exercise or a tool that needs it: ready, or installed now, or the reason why not."""
    now = lane.state()
    if now.ready or now.phase == "unsupported":
        return now
    console.print(Text("This needs the plugin lane, which is installed now, once.", "bold"))
    now = install(console)
    console.print(Text(now.sentence), soft_wrap=True)
    return now


def _bar(console: Console) -> Progress:
    return Progress(
        BarColumn(30), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False),
        console=console, transient=True,
    )  # fmt: skip


def _lines(console: Console) -> Callable[[Lane], None]:
    """A line for every fourth package, so that a log stays short."""
    last = -4

    def report(at: Lane) -> None:
        nonlocal last
        if at.done >= last + 4 or at.done < last:
            last = at.done
            console.print(Text(at.sentence), soft_wrap=True)

    return report
