"""A conformance report as a panel: what failed with its rule, what waits for it, what passed by theme."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path

from grader.checks.conformance.reports import belief
from grader.checks.conformance.rule import GROUPS
from grader.checks.conformance.run import UNJUDGED, Report
from grader.notebook import words
from grader.notebook.markup import Html, code, heading, join, prose, tag
from grader.notebook.panel import worded as worded_check
from grader.notebook.source import excerpt
from grader.notebook.style import STYLE
from grader.verdict import CheckResult, State

_LEVELS = {
    "none": "It does not load.",
    "L0": "Level L0: it was loaded, asked, cloned and serialized; its kernels were not run.",
    "L1": "Level L1: its kernels ran on the simulated GPU.",
    "L2": "Level L2: its kernels ran on this machine's GPU.",
}
_PLACE = re.compile(r"\(([^(),]+), line (\d+)")  # as the sentence of a device fault ends
_WIDTH = 100


class ConformancePanel:
    """A report made visible: HTML in a notebook, text in a terminal. ``sources``: the plugin's files by name."""

    def __init__(self, report: Report, sources: Mapping[str, str] = {}, *, title: str = ""):
        self.report, self.sources = report, dict(sources)
        self.title = title or Path(report.library).name

    def _repr_html_(self) -> str:
        title, state = headline(self.report)
        icon, colour = {"good": "✓", "bad": "✗", "open": "○"}[state], state
        header = tag(
            "header",
            heading(3, tag("span", icon, class_="icon", aria_hidden="true"), " ", title, class_="title"),
            tag("p", code(self.title)),
            tag("p", _counted(self.report), class_="points"),
        )
        body = tag("div", _failed(self.report, self.sources), _waiting(self.report), _themes(self.report),
                   _footer(self.report), class_="body")  # fmt: skip
        name = f"Conformance of {self.title}: {title}, {_counted(self.report)}"
        return join(STYLE, tag("section", header, body, class_=f"panel {colour}", aria_label=name))

    def __repr__(self) -> str:
        title, _ = headline(self.report)
        lines = [f"{self.title}: {title}, {_counted(self.report)}"]
        for result in self.report.failed:
            icon, word = worded(result)
            lines += _wrapped(f"{icon} {word:<17}{result.check}: {result.sentence}", "  ", 21)
            parts = [result.message, f"Often believed: {belief(result)}", f"The rule: {result.source}"]
            lines += [line for part in parts for line in _wrapped(part, " " * 21)]
        for sentence in _remarks(self.report):
            lines += _wrapped(sentence, "  ")
        return "\n".join(lines)


def worded(result: CheckResult) -> tuple[str, str]:
    """Icon and word of one rule. A plugin that breaks a rule has failed it; "not yet" is for exercises."""
    icon, word = worded_check(result)
    return icon, "failed" if result.state is State.FAIL and not result.blocked_by else word


def headline(report: Report) -> tuple[str, str]:
    """A few words and the colour: "good", "bad" or "open"."""
    failed = report.failed
    if any(result.state is State.GRADER_FAULT for result in failed):
        return words.HEADLINES[State.GRADER_FAULT], "open"
    if failed:
        names = ", ".join(result.check for result in failed[:3])
        return f"Not conforming: {names}{' and more' if len(failed) > 3 else ''}", "bad"
    if any(result.state is State.PASS for result in report.results):
        left = any(_left(result) for result in report.results)
        return "It keeps the rules that were run" if left else "It keeps the rules", "good"
    return words.NOTHING_CHECKED, "open"


def _left(result: CheckResult) -> bool:
    """Whether it might have been run and was not; a rule of the other interface family is none of this plugin's."""
    return result.state is State.UNSUPPORTED_HERE and not result.message.startswith("Not run: it is about V")


def _counted(report: Report) -> str:
    passed = _with(report, State.PASS)
    many = f"{len(passed)} rule{'' if len(passed) == 1 else 's'} passed"
    return f"{many}, {len(report.failed)} failed" if report.failed else many


def _with(report: Report, state: State) -> list[CheckResult]:
    return [result for result in report.results if result.state is state and not result.blocked_by]


def _failed(report: Report, sources: Mapping[str, str]) -> Html | None:
    """The rules that failed by themselves, each with what was found; the first lies open. Then what is not judged,
    since the inputs are guessed."""
    shown = [*report.failed, *(result for result in report.results if result.message.startswith(UNJUDGED))]
    if not shown:
        return None
    rows = [_row(result, _found(result, sources, unfolded=index == 0)) for index, result in enumerate(shown)]
    return tag("ul", rows, class_="checks")


def _row(result: CheckResult, found: Html | None = None) -> Html:
    icon, word = worded(result)
    state = tag("span", tag("span", icon, class_="icon", aria_hidden="true"), " ", word, class_="state")
    quiet = result.blocked_by or result.state is State.UNSUPPORTED_HERE
    colour = "quiet waiting" if quiet else "good" if result.state is State.PASS else "bad"
    return tag("li", state, tag("div", code(result.check), " ", prose(result.sentence), found), class_=colour)


def _found(result: CheckResult, sources: Mapping[str, str], *, unfolded: bool) -> Html:
    place = _PLACE.search(result.message)
    around = excerpt(sources, place[1], int(place[2])) if place else None
    message = tag("p", prose(result.message)) if result.message else None
    parts = [
        tag("p", "Often believed: ", tag("em", belief(result))) if belief(result) else None,
        tag("p", "The rule: ", prose(result.source), class_="note") if result.source else None,
    ]
    rest = join(parts) if unfolded else tag("details", tag("summary", "Details"), parts)
    return tag("div", message, around, rest, class_="found")


def _waiting(report: Report) -> Html | None:
    """The rules that were not run because of another, under the one that they wait for."""
    waiting: dict[str, list[CheckResult]] = {}
    for result in report.results:
        if result.blocked_by:
            waiting.setdefault(result.blocked_by, []).append(result)
    folds = []
    for root, results in waiting.items():
        many = f"{len(results)} more rule{' waits' if len(results) == 1 else 's wait'} for "
        folds.append(tag("details", tag("summary", many, code(root)), _list(results)))
    return join(folds) if folds else None


def _themes(report: Report) -> list[Html]:
    """What passed, and what could not be run here, folded away by theme."""
    blocks = []
    for group, title in GROUPS.items():
        results = [r for r in report.results if r.group == group and not r.blocked_by and r not in report.failed]
        if not results:
            continue
        passed = sum(result.state is State.PASS for result in results)
        state = tag("span", tag("span", "✓" if passed else "○", class_="icon", aria_hidden="true"), " ", title,
                    class_="state")  # fmt: skip
        left = f", {len(results) - passed} not run" if len(results) > passed else ""
        summary = tag("summary", state, f" {passed} passed{left}", class_="good" if passed else "quiet")
        blocks.append(tag("details", summary, _list(results)))
    return blocks


def _list(results: list[CheckResult]) -> Html:
    rows = []
    for result in results:
        why = result.message if result.state is State.UNSUPPORTED_HERE else ""
        rows.append(_row(result, tag("p", prose(why), class_="note") if why else None))
    return tag("ul", rows, class_="checks")


def _footer(report: Report) -> Html:
    first, *rest = _remarks(report)
    return tag("footer", tag("p", first), [tag("p", prose(line), class_="note") for line in rest])


def _remarks(report: Report) -> list[str]:
    """How far it went, why no further, what was assumed."""
    lines = [f"{_LEVELS.get(report.level, report.level)} Checked in {report.seconds:.1f} s."]
    lines += [report.reason] if report.reason else []
    lines += [f"To get further, build it so: `{report.rebuild}`"] if report.rebuild else []
    return [*lines, *report.notes]


def _wrapped(text: str, indent: str, hanging: int | None = None) -> list[str]:
    rest = indent if hanging is None else " " * hanging
    return textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=rest)
