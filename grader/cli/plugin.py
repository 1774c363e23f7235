"""`grader plugin conform`: a plugin library through all rules, for people and for CI."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from grader.checks.conformance import reports
from grader.checks.conformance.rule import RULES
from grader.checks.conformance.run import Report, conform, conform_each
from grader.cli.guard import FAULT, NOT_PASSED, OK, WrongUse, keep_log
from grader.cli.lane import ensure
from grader.cli.plugin_view import show
from grader.course.table import did_you_mean
from grader.plugin.build import HostUnavailable
from grader.plugin.spec import Spec, SpecError, load_spec
from grader.toolchain import tensorrt
from grader.verdict import State


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
    required: bool = False  # only rules that a document demands


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
    if options.trace and not options.trace.resolve().parent.is_dir():
        raise WrongUse(f"there is no folder {options.trace.parent} for the trace")
    if options.level not in (None, "L0", "L1", "L2"):
        raise WrongUse(f"--level is L0, L1 or L2, not {options.level}")
    for id in (*options.only, *options.skip):
        if id not in RULES:
            raise WrongUse(f"there is no rule {id}" + did_you_mean(id, RULES))


def _conform(options: Options, say: Callable[[str], None]) -> Iterator[Report]:
    """The library's plugins, one after the other; the one that is named, where the spec or ``--creator`` does."""
    spec = named_spec(options.library, options.spec, options.creator)
    more = {} if options.seed is None else {"seed": options.seed}
    skip = [*options.skip, *(each.id for each in RULES.values() if options.required and each.recommended)]
    more |= {"level": options.level, "only": options.only or None, "skip": skip}
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
