"""`grader plugin conform`: a plugin library through all rules, for people and for CI."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.checks.conformance import reports
from grader.checks.conformance.rule import GROUPS
from grader.checks.conformance.run import Report, conform
from grader.cli.guard import FAULT, NOT_PASSED, OK, WrongUse, keep_log
from grader.cli.lane import ensure
from grader.cli.verdict_view import clean, state_style
from grader.notebook.panel import worded
from grader.plugin.build import HostUnavailable
from grader.plugin.spec import SpecError, load_spec
from grader.toolchain import tensorrt
from grader.verdict import CheckResult, State


def run(
    library: Path, spec: Path | None, form: str, level: str | None, only: list[str], seed: int | None,
    trace: Path | None, full: bool,
) -> int:  # fmt: skip
    """Check, print or write, and return the exit status."""
    if not library.is_file():
        raise WrongUse(f"there is no library {library}")
    if level not in (None, "L0", "L1", "L2"):
        raise WrongUse(f"--level is L0, L1 or L2, not {level}")
    keep_log()
    if tensorrt.tensorrt_include() is None or tensorrt.lean_library() is None:
        ensure(Console(highlight=False, stderr=True))
    try:
        facts = load_spec(spec) if spec else None
    except SpecError as problem:
        raise WrongUse(str(problem)) from None
    options = {} if seed is None else {"seed": seed}
    console = Console(highlight=False)
    try:
        with console.status("Starting the plugin host …") as status:
            report = conform(
                library.resolve(), facts, level=level, only=only or None, **options,
                progress=lambda each, at, of: status.update(f"{at + 1} of {of}: {each.sentence}"),
            )  # fmt: skip
    except HostUnavailable as problem:
        raise WrongUse(problem.sentence) from None
    if trace:
        trace.write_text(report.trace.to_json() + "\n")
    writers = {"json": reports.to_json, "junit": reports.to_junit, "sarif": reports.to_sarif}
    if form in writers:
        sys.stdout.write(writers[form](report).rstrip() + "\n")
    else:
        show(report, console, full=full)
    return exit_status(report)


def exit_status(report: Report) -> int:
    """0 where all that could run passed and something did; 1 where not; 3 for a fault of the grader's own."""
    if report.state is State.GRADER_FAULT:
        return FAULT
    ran = [r for r in report.results if r.state is not State.UNSUPPORTED_HERE]
    return OK if ran and all(r.state is State.PASS for r in ran) else NOT_PASSED


def show(report: Report, console: Console, *, full: bool) -> None:
    """What failed, with the rule and its source; what passed is counted, or listed with ``full``."""
    for group, title in GROUPS.items():
        results = [r for r in report.results if r.group == group]
        shown = results if full else [r for r in results if r in report.failed]
        if shown:
            console.print(Text(title, "bold"))
            for result in shown:
                _result(result, console)
            console.print()
    _summary(report, console)


def _result(result: CheckResult, console: Console) -> None:
    icon, word = worded(result)
    row = Table.grid(padding=(0, 1))
    row.add_column(no_wrap=True, min_width=18)
    row.add_column(no_wrap=True, min_width=22)
    row.add_column()
    quiet = "dim" if result.blocked_by else ""
    row.add_row(
        Text(f"{icon} {word}", quiet or state_style(result.state)),
        Text(result.check, "cyan"),
        Text(result.sentence, quiet),
    )
    console.print(row)
    if result.state is State.PASS:
        return
    lines = [Text(clean(result.message), quiet or "bold")]
    if result.state is not State.UNSUPPORTED_HERE and not result.blocked_by:
        lines += [
            Text(f"Often believed: {reports.belief(result)}", "italic"),
            Text(f"The rule: {result.source}", "dim"),
        ]
    for line in lines:
        console.print(Padding(line, (0, 0, 0, 4)))


def _summary(report: Report, console: Console) -> None:
    states = [r.state for r in report.results]
    waiting = sum(r.blocked_by is not None for r in report.results)
    parts = [f"{states.count(State.PASS)} rules passed", f"{len(report.failed)} failed"]
    parts += [f"{waiting} wait for those"] if waiting else []
    if left := states.count(State.UNSUPPORTED_HERE):
        parts.append(f"{left} could not run here")
    style = "bold red" if report.failed else "bold green"
    console.print(
        Text(f"{', '.join(parts)}, in {report.seconds:.1f} s, at level {report.level}: {LEVELS[report.level]}.", style)
    )
    if report.reason:
        console.print(Text(clean(report.reason), "yellow"))
    if report.rebuild:
        console.print(Text.assemble(("To get further, build it so: ", "yellow"), clean(report.rebuild)), soft_wrap=True)
    for note in report.notes:
        console.print(Text(clean(note), "dim"))


LEVELS = {
    "L0": "loaded, asked, cloned and serialized; its kernels were not run",
    "L1": "its kernels ran on the simulated GPU",
    "L2": "its kernels ran on a GPU",
}
