"""`grader plugin engine`: a plugin on the real TensorRT, and a report that can be shared."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from grader.cli.guard import FAULT, NOT_PASSED, OK, WrongUse, keep_log
from grader.cli.verdict_view import clean, state_style
from grader.plugin.engine import report as reports
from grader.plugin.engine.command import run_engine
from grader.plugin.spec import SpecError, load_spec
from grader.verdict import State


def run(library: Path, spec: Path, output: Path | None, as_json: bool) -> int:
    """Build, run, compare, write the report. Returns the exit status."""
    if not library.is_file():
        raise WrongUse(f"there is no library {library}")
    keep_log()
    try:
        facts = load_spec(spec)
    except SpecError as problem:
        raise WrongUse(str(problem)) from None
    console = Console(highlight=False)
    if as_json:
        report = run_engine(library.resolve(), facts)
    else:
        with console.status("Building an engine with TensorRT …"):
            report = run_engine(library.resolve(), facts)
    if output:
        reports.write(report, output)
    if as_json:
        sys.stdout.write(json.dumps(report, indent=1) + "\n")
    else:
        show(report, console)
        if output:
            console.print(f"The report is in {output}.")
    state = State(report["state"])
    return OK if state is State.PASS else FAULT if state is State.GRADER_FAULT else NOT_PASSED


def show(report: dict[str, Any], console: Console) -> None:
    """The machine, each combination with its times and errors, the call order that it bore out or not."""
    machine = report["machine"]
    if "tensorrt" in machine:
        console.print(clean(f"TensorRT {machine['tensorrt']} on {machine['gpu']}"))
    for one in report["combinations"]:
        state = State(one["state"])
        console.print(Text(clean(f"{', '.join(one['types'])}: {state.value}"), state_style(state)))
        for ran in one["runs"]:
            extents = ", ".join(f"{name} = {value}" for name, value in ran["extents"].items()) or "fixed shapes"
            errors = [part["largest_error"] for part in ran["outputs"] if part["largest_error"] is not None]
            worst = f", largest error {max(errors):.3g}" if errors else ""
            spent = f"{ran['milliseconds']:.3f} ms" if ran["milliseconds"] is not None else "not timed"
            console.print(clean(f"    {ran['at']}: {extents}: {spent}{worst}"))
        for rule in one["order"]:
            if rule["held"] is False:
                console.print(Text(clean(f"    Not so here: {rule['sentence']}"), "yellow"))
    if report["trace"]:
        console.print(Text(clean(report["trace"]), "dim"))
    if report["sentence"]:
        console.print(Text(clean(report["sentence"]), "bold"))
