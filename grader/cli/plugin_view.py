"""A conformance report in the terminal: what failed, with its rule; what waits, what was not run, how to go on."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.checks.conformance import reports
from grader.checks.conformance.rule import GROUPS, RULES
from grader.checks.conformance.run import MISSING, UNJUDGED, Report
from grader.cli.verdict_view import clean, state_style
from grader.notebook.conformance import headline, worded
from grader.plugin.guess import HOW_TO_GO_ON
from grader.verdict import CheckResult, State

LEVELS = {
    "L0": "loaded, asked, cloned and serialized; its kernels were not run",
    "L1": "its kernels ran on the simulated GPU",
    "L2": "its kernels ran on a GPU",
}


def show(report: Report, console: Console, *, full: bool, among: int = 1, said: set[str] | None = None) -> None:
    """What failed comes first, with its rule and source; what passed is counted, or listed by theme with ``full``.

    ``among``: so many plugins of this library are shown; each is called by its name then. ``said``: notes that were
    shown before.
    """
    said = set() if said is None else said
    if among > 1:
        console.rule(Text(clean(reports.plugin_name(report) or "A plugin without a name"), "bold"), align="left")
    shown = [r for r in report.results if r in report.failed or r.message.startswith(UNJUDGED)]
    for result in shown:
        _found(result, console)
    if full:
        _all(report, console)
    else:
        _counted(report, shown, console)
    _summary(report, console, said)


def _found(result: CheckResult, console: Console) -> None:
    """One rule with all that is to be said about it."""
    icon, word = worded(result)
    console.print(
        Text.assemble((f"{icon} {word}", state_style(result.state)), "  ", (result.check, "bold cyan"),
                      (f"  {GROUPS[result.group]}", "dim"))
    )  # fmt: skip
    lines = [Text(result.sentence), Text(clean(result.message), "bold")]
    if belief := reports.belief(result):
        lines.append(Text(f"Often believed: {belief}", "italic"))
    if result.source:
        lines.append(Text(f"The rule: {result.source}", "dim"))
    for line in lines:
        _say(line, console, "  ")
    console.print()


def _say(text: Text, console: Console, indent: str = "") -> None:
    """Print it wrapped, with nothing behind the last word of a line."""
    for part in text.wrap(console, console.width - len(indent)):
        part.rstrip()
        console.print(Text.assemble(indent, part))


def _all(report: Report, console: Console) -> None:
    """Every rule in a line or two, by theme."""
    width = max((len(result.check) for result in report.results), default=0)
    for group, title in GROUPS.items():
        results = [r for r in report.results if r.group == group]
        if not results:
            continue
        console.print(Text(title, "bold"))
        table = Table.grid(padding=(0, 1))
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=True, min_width=width)
        table.add_column()
        for result in results:
            table.add_row(*_row(result))
        console.print(Padding(table, (0, 0, 1, 2), expand=False))


def _row(result: CheckResult) -> tuple[Text, Text, Text]:
    icon, word = worded(result)
    if result.blocked_by:
        return Text(icon, "dim"), Text(result.check, "dim"), Text(f"waits for {result.blocked_by}", "dim")
    if result.state is State.UNSUPPORTED_HERE:
        return Text(icon, "yellow"), Text(result.check, "cyan"), Text(clean(result.message), "dim")
    sentence = result.sentence if result.state is State.PASS else f"{word}, as told above: {result.sentence}"
    return Text(icon, state_style(result.state)), Text(result.check, "cyan"), Text(sentence)


def _counted(report: Report, shown: Sequence[CheckResult], console: Console) -> None:
    """A line for what passed, one for what waits for each rule, one for each reason why rules were not run."""
    passed = sum(result.state is State.PASS for result in report.results)
    if passed:
        _say(Text(f"✓ {_rules(passed)} passed; --full shows which", "dim"), console)
    blocked = [result.blocked_by for result in report.results if result.blocked_by]
    for root in dict.fromkeys(blocked):
        many = blocked.count(root)
        _say(Text(f"– {many} more {'rule waits' if many == 1 else 'rules wait'} for {root}", "dim"), console)
    reasons = [r.message.removeprefix("Not run: ") for r in report.results if _left(r) and r not in shown]
    for reason in dict.fromkeys(reasons):
        many = reasons.count(reason)
        if many > 1:
            reason = reason.replace("it is", "they are", 1).replace("it needs", "they need", 1)
        _say(Text(f"○ {_rules(many)} not run: {clean(reason)}", "dim"), console)
    console.print()


def _left(result: CheckResult) -> bool:
    return result.state is State.UNSUPPORTED_HERE and result.blocked_by is None


def _rules(many: int) -> str:
    return "1 rule" if many == 1 else f"{many} rules"


def _summary(report: Report, console: Console, said: set[str]) -> None:
    """The verdict, how far it went and why no further; last, since that is where the eye is when the command ends."""
    words, colour = headline(report)
    passed = sum(result.state is State.PASS for result in report.results)
    counts = f"{_rules(passed)} passed, {len(report.failed)} failed, in {report.seconds:.1f} s"
    style = {"good": "bold green", "bad": "bold red"}.get(colour, "bold yellow")
    _say(Text.assemble((words, style), f". {counts}{_reached(report)}."), console)
    if report.reason:
        _say(Text(clean(report.reason), "yellow"), console)
    if report.rebuild:
        console.print(Text.assemble(("To get further, build it so: ", "yellow"), clean(report.rebuild)), soft_wrap=True)
    if further := how_to_go_on(report):
        console.print(Text(further, "yellow"), soft_wrap=True)
    for note in report.notes:
        if note not in said:
            _say(Text(clean(note), "dim"), console)
    said.update(report.notes)


def _reached(report: Report) -> str:
    """The level and what was done, of what it allows: without a spec's inputs no kernel is run."""
    if any(r.check == "loads" for r in report.failed):
        return ": it does not load"
    if any(r.check in ("exports", "creators") for r in report.failed):
        return ": it was loaded, and no plugin was found to drive"
    tried = [r for r in report.results if r.state is not State.UNSUPPORTED_HERE and r.blocked_by is None]
    done = LEVELS[report.level if any(RULES[r.check].level == "L1" for r in tried) else "L0"]
    return f", at level {report.level}: {done}"


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
    guessed = any("inputs are guessed" in note for note in report.notes)
    if MISSING["reference"] in messages and not guessed:
        return "Results were compared with nothing but the plugin's own: a [reference] in the spec says what is right."
    if MISSING["reference"] in messages:
        return f"Results were compared with nothing but the plugin's own, for want of a reference: {begin}"
    return ""
