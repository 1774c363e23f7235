"""`grader plugin conform`: a plugin library through all rules, for people and for CI."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.checks.conformance import reports
from grader.checks.conformance.rule import GROUPS, RULES
from grader.checks.conformance.run import MISSING, UNJUDGED, Report, conform, conform_each
from grader.cli.guard import FAULT, NOT_PASSED, OK, WrongUse, keep_log
from grader.cli.lane import ensure
from grader.cli.verdict_view import clean, state_style
from grader.course.table import did_you_mean
from grader.notebook.panel import worded
from grader.plugin.build import HostUnavailable
from grader.plugin.guess import HOW_TO_GO_ON
from grader.plugin.spec import Spec, SpecError, load_spec
from grader.toolchain import tensorrt
from grader.verdict import CheckResult, State


@dataclass(frozen=True)
class Options:
    """The command line of ``grader plugin conform``."""

    library: Path
    spec: Path | None = None
    creator: str | None = None  # "NAME" or "NAME:VERSION"
    form: str = "text"  # or "json", "junit", "sarif"
    level: str | None = None
    only: Sequence[str] = ()
    skip: Sequence[str] = ()
    seed: int | None = None
    trace: Path | None = None
    full: bool = False


def run(options: Options) -> int:
    """Check, print or write, and return the exit status."""
    _right_use(options)
    keep_log()
    if tensorrt.tensorrt_include() is None or tensorrt.lean_library() is None:
        ensure(Console(highlight=False, stderr=True))
    console = Console(highlight=False)
    writers = {"json": reports.to_json, "junit": reports.to_junit, "sarif": reports.to_sarif}
    found = []
    try:
        with console.status("Starting the plugin host …") as status:
            for report in _conform(options, status.update):
                found.append(report)
    except HostUnavailable as problem:
        raise WrongUse(problem.sentence) from None
    if options.trace:
        options.trace.write_text(found[0].trace.to_json() + "\n")
    if options.form in writers:
        sys.stdout.write(writers[options.form](*found).rstrip() + "\n")
    else:
        said: set[str] = set()  # what holds for the whole library is said once
        for report in found:
            show(report, console, full=options.full, among=len(found), said=said)
    return max(exit_status(report, options.level) for report in found)


def _right_use(options: Options) -> None:
    from grader.checks.conformance import rules as _all  # noqa: F401  (fills RULES)

    if not options.library.is_file():
        raise WrongUse(f"there is no library {options.library}")
    if options.level not in (None, "L0", "L1", "L2"):
        raise WrongUse(f"--level is L0, L1 or L2, not {options.level}")
    for id in (*options.only, *options.skip):
        if id not in RULES:
            raise WrongUse(f"there is no rule {id}" + did_you_mean(id, RULES))


def _conform(options: Options, say: Callable[[str], None]) -> Iterator[Report]:
    """The library's plugins, one after the other; the one that is named, where the spec or ``--creator`` does."""
    spec = named_spec(options.library, options.spec, options.creator)
    more = {} if options.seed is None else {"seed": options.seed}
    more |= {"level": options.level, "only": options.only or None, "skip": options.skip}
    more["progress"] = lambda each, at, of: say(f"{at + 1} of {of}: {each.sentence}")
    if spec is None:
        yield from conform_each(options.library.resolve(), **more)
        return
    report = conform(options.library.resolve(), spec, **more)
    known = [triple[0] for triple in (report.plugin, *report.others) if triple]
    if options.creator and options.creator.partition(":")[0] not in known and known:
        raise WrongUse(f"the library has no creator {options.creator}; it has {', '.join(filter(None, known))}")
    yield report


def named_spec(library: Path, file: Path | None, creator: str | None) -> Spec | None:
    """The spec of that file, for the creator "NAME" or "NAME:VERSION"; None where neither is given. ``WrongUse``."""
    try:
        spec = load_spec(file) if file else None
    except SpecError as problem:
        raise WrongUse(str(problem)) from None
    if creator:
        name, _, version = creator.partition(":")
        spec = replace(spec or Spec(library), name=name, **({"version": version} if version else {}))
    return spec


def exit_status(report: Report, level: str | None = None) -> int:
    """0 where all that could run passed and something did; 1 where not; 3 for a fault of the grader's own.

    ``level``: what was asked for; a library that does not reach it has not passed.
    """
    if report.state is State.GRADER_FAULT:
        return FAULT
    if level and report.level != level:
        return NOT_PASSED
    ran = [r for r in report.results if r.state is not State.UNSUPPORTED_HERE]
    return OK if ran and all(r.state is State.PASS for r in ran) else NOT_PASSED


def show(
    report: Report, console: Console, *, full: bool, among: int = 1, said: set[str] | None = None
) -> None:  # fmt: skip
    """What failed, with the rule and its source; what passed is counted, or listed with ``full``.

    ``among``: so many plugins of this library are shown; each is called by its name then. ``said``: notes that were
    shown before.
    """
    said = set() if said is None else said
    if among > 1:
        console.rule(Text(reports.plugin_name(report) or "A plugin without a name", "bold"), align="left")
    for group, title in GROUPS.items():
        results = [r for r in report.results if r.group == group]
        shown = results if full else [r for r in results if r in report.failed or r.message.startswith(UNJUDGED)]
        if shown:
            console.print(Text(title, "bold"))
            for result in shown:
                _result(result, console)
            console.print()
    _summary(report, console, said)


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


def _summary(report: Report, console: Console, said: set[str]) -> None:
    passed = [r for r in report.results if r.state is State.PASS]
    here = [r for r in report.results if r.state is State.UNSUPPORTED_HERE]
    waiting = len(report.results) - len(passed) - len(here) - len(report.failed)
    parts = [f"{len(passed)} rules passed", f"{len(report.failed)} failed"]
    parts += [f"{waiting} wait for those"] if waiting else []
    if here:
        parts.append(f"{len(here)} were not run")
    style = "bold red" if report.failed else "bold green"
    console.print(
        Text(f"{', '.join(parts)}, in {report.seconds:.1f} s, at level {report.level}: {_reached(report)}.", style)
    )
    if report.reason:
        console.print(Text(clean(report.reason), "yellow"))
    if report.rebuild:
        console.print(Text.assemble(("To get further, build it so: ", "yellow"), clean(report.rebuild)), soft_wrap=True)
    if further := how_to_go_on(report):
        console.print(Text(further, "yellow"), soft_wrap=True)
    for note in report.notes:
        if note not in said:
            console.print(Text(clean(note), "dim"))
    said.update(report.notes)


def _reached(report: Report) -> str:
    """What was done, of what the level allows: without a spec's inputs no kernel is run."""
    tried = [r for r in report.results if r.state is not State.UNSUPPORTED_HERE and r.blocked_by is None]
    return LEVELS[report.level if any(RULES[r.check].level == "L1" for r in tried) else "L0"]


def how_to_go_on(report: Report) -> str:
    """What would make more rules run, in a sentence: a spec that says the attributes, the inputs, or what is right."""
    messages = [r.message for r in report.results]
    option = f" --creator {report.plugin[0]}" if report.plugin and report.others else ""
    begin = f"grader plugin spec {report.library}{option} > mine.toml begins a spec, --spec mine.toml uses it."
    if unmade := next((each for each in messages if HOW_TO_GO_ON in each), ""):
        return clean(unmade.removeprefix("Not run: ").replace(HOW_TO_GO_ON, begin))
    if other := next((each for each in messages if "are driven here" in each), ""):
        return clean(other.removeprefix("Not run: "))
    if MISSING["spec"] in messages:
        return f"Formats, shapes, runs and streams were not checked for want of the plugin's inputs: {begin}"
    if MISSING["reference"] in messages:
        return f"Results were compared with nothing but the plugin's own, for want of a reference: {begin}"
    return ""


LEVELS = {
    "L0": "loaded, asked, cloned and serialized; its kernels were not run",
    "L1": "its kernels ran on the simulated GPU",
    "L2": "its kernels ran on a GPU",
}
