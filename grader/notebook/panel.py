"""The panel of a verdict: what a learner sees after ``check()``."""

from __future__ import annotations

from collections.abc import Mapping

from grader.course import Exercise
from grader.notebook import words
from grader.notebook.markup import Html, heading, join, prose, tag
from grader.notebook.parts import case_part, counters_part, diagnostics_part, facts, fault_part
from grader.notebook.source import excerpt
from grader.notebook.style import STYLE
from grader.verdict import CheckResult, State, Verdict, worst

_COLOURS = {State.PASS: "good", State.UNSUPPORTED_HERE: "open", State.GRADER_FAULT: "open"}
_LONGEST_MESSAGE = 2000


class Panel:
    """A verdict made visible: HTML in a notebook, text in a terminal.

    ``sources`` holds the learner's files by name; ``note`` is one more sentence about how the check was made.
    """

    def __init__(self, verdict: Verdict, exercise: Exercise, sources: Mapping[str, str] = {}, *, note: str = ""):
        self.verdict, self.exercise, self.sources, self.note = verdict, exercise, dict(sources), note

    def _repr_html_(self) -> str:
        return panel_html(self.verdict, self.exercise, self.sources, self.note)

    def __repr__(self) -> str:
        from grader.notebook.text import panel_text

        return panel_text(self.verdict, self.exercise, self.note)


def state_shown(verdict: Verdict) -> State:
    """The state to show: that of the checks that ran. One that waits for another says nothing of its own."""
    ran = [check.state for check in verdict.checks if not check.blocked_by]
    return verdict.state if verdict.passed or not ran else worst(ran)


def headline(verdict: Verdict) -> str:
    """The verdict in a few words."""
    state = state_shown(verdict)
    if any(check.check == "compiles" and check.state is State.FAIL for check in verdict.checks):
        return words.DOES_NOT_COMPILE
    if state is State.UNSUPPORTED_HERE and not any(c.state is State.PASS for c in verdict.checks):
        return words.NOTHING_CHECKED
    return words.HEADLINES[state]


def worded(check: CheckResult) -> tuple[str, str]:
    """Icon and word of one check."""
    return words.BLOCKED if check.blocked_by else words.CHECK_STATES[check.state]


def panel_html(verdict: Verdict, exercise: Exercise, sources: Mapping[str, str], note: str = "") -> Html:
    colour = _COLOURS.get(state_shown(verdict), "bad")
    icon = words.CHECK_STATES[state_shown(verdict)][0]
    points = words.points(verdict.earned, verdict.possible) if verdict.possible else "no points here"
    if verdict.pending:
        points += f", {words.number(verdict.pending)} pending"
    header = tag(
        "header",
        heading(3, tag("span", icon, class_="icon", aria_hidden="true"), " ", headline(verdict), class_="title"),
        tag("p", exercise.title),
        tag("p", points, class_="points"),
    )
    body = tag(
        "div",
        tag("p", prose(note), class_="note") if note else None,
        _groups(verdict, exercise, sources),
        _counters(verdict),
        _footer(verdict, exercise),
        class_="body",
    )
    name = f"Result of {exercise.slug}: {headline(verdict)}, {points}"
    return join(STYLE, tag("section", header, body, class_=f"panel {colour}", aria_label=name))


def _groups(verdict: Verdict, exercise: Exercise, sources) -> list[Html]:
    """The checks under the group whose points they earn; the first that is open shows its evidence unfolded."""
    first = next((c for c in verdict.checks if c.state is not State.PASS and not c.blocked_by), None)
    named = {group.id for group in exercise.groups}
    blocks = []
    for group in exercise.groups:
        checks = [check for check in verdict.checks if check.group == group.id]
        state = worst(check.state for check in checks)
        if state is State.UNSUPPORTED_HERE:
            earned = f"{words.number(group.points)} pending"
        else:
            earned = words.points(group.points if state is State.PASS else 0, group.points)
        blocks.append(heading(4, tag("span", group.title), " ", tag("span", earned, class_="earned"), class_="group"))
        blocks.append(_group(checks, first, verdict, exercise, sources))
    if loose := [check for check in verdict.checks if check.group not in named]:
        blocks += [heading(4, "Further checks", class_="group"), _group(loose, first, verdict, exercise, sources)]
    return blocks


def _group(checks, first, verdict: Verdict, exercise: Exercise, sources) -> Html:
    """The checks of one group. Where something is wrong, what says nothing about it is folded away."""
    shown = _checks(checks, first, verdict, exercise, sources)
    states = {"waiting" if check.blocked_by else check.state for check in checks}
    if verdict.passed or len(checks) < 2 or states not in ({State.PASS}, {"waiting"}):
        return shown
    icon, word = worded(checks[0])
    state = tag("span", tag("span", icon, class_="icon", aria_hidden="true"), " ", word, class_="state")
    summary = tag("summary", state, f", {len(checks)} checks", class_="good" if states == {State.PASS} else "quiet")
    return tag("details", summary, shown)


def _checks(checks, first, verdict: Verdict, exercise: Exercise, sources) -> Html:
    return tag("ul", [_check(check, check is first, verdict, exercise, sources) for check in checks], class_="checks")


def _check(check: CheckResult, unfolded: bool, verdict: Verdict, exercise: Exercise, sources) -> Html:
    icon, word = worded(check)
    colour = _COLOURS.get(check.state, "bad")
    state = tag("span", tag("span", icon, class_="icon", aria_hidden="true"), " ", word, class_="state")
    found = None
    if check.blocked_by:
        colour = "quiet waiting"  # what it waits for is said once, below
    elif check.state is not State.PASS:
        belief = next((m.text for m in exercise.misconceptions if m.id == check.misconception), None)
        found = _found(check, unfolded, verdict, sources, belief)
    elif warnings := check.detail.get("diagnostics"):
        many = f"{len(warnings)} compiler warning{'' if len(warnings) == 1 else 's'}"
        found = tag("details", tag("summary", many), diagnostics_part(warnings, sources))
    return tag("li", state, tag("div", prose(check.sentence), found), class_=colour)


def _found(check: CheckResult, unfolded: bool, verdict: Verdict, sources, belief: str | None) -> Html:
    message = check.message[:_LONGEST_MESSAGE] + (" …" if len(check.message) > _LONGEST_MESSAGE else "")
    diagnostics = check.detail.get("diagnostics") or ()
    if len(diagnostics) == 1 and str(diagnostics[0].get("message")) in message:
        message = ""  # it stands below, at its line
    parts = [part for part in _evidence(check, sources) if part]
    if belief or check.detail.get("belief"):
        behind = tag("p", prose(words.behind(belief) if belief else words.often(check.detail["belief"])))
        parts.append(tag("details", tag("summary", "What may be behind it"), behind) if unfolded else behind)
    if check.source:
        parts.append(tag("p", "The rule: ", prose(check.source), class_="note"))
    if parts and not unfolded:  # first things first: one check's evidence lies open, the others' is a click away
        parts = [tag("details", tag("summary", "Details"), parts)]
    if check.hidden and verdict.seed is not None and check.detail:
        text = words.HIDDEN_CASE.format(seed=verdict.seed, slug=verdict.exercise)
        parts.append(tag("p", prose(text), class_="note"))
    if check.state is State.GRADER_FAULT:
        parts.append(tag("p", words.GRADER_FAULT))
    said = [tag("p", prose(line)) for line in message.splitlines() if line.strip()]
    return tag("div", said, parts, class_="found")


def _evidence(check: CheckResult, sources) -> list[Html | None]:
    detail = check.detail
    fault, case, place = detail.get("fault"), detail.get("case"), detail.get("source_line")
    return [
        diagnostics_part(detail["diagnostics"], sources) if detail.get("diagnostics") else None,
        case_part(case, fault=bool(fault)) if isinstance(case, Mapping) else None,
        fault_part(fault, sources) if isinstance(fault, Mapping) else None,
        _place(place, sources),
        counters_part({"": detail["counters"]} if _flat(detail["counters"]) else detail["counters"])
        if detail.get("counters") else None,
        _output(detail.get("stderr"), "What your code printed to stderr"),
        _output(detail.get("stdout"), "What your code printed"),
    ]  # fmt: skip


def _place(place, sources) -> Html | None:
    """The learner's line: a line of the main file (or the answer cell), or a ``{"file", "line"}``."""
    if isinstance(place, Mapping):
        return excerpt(sources, place.get("file"), place.get("line"))
    return excerpt(sources, next(iter(sources), None), place) if isinstance(place, int) else None


def _flat(counters: Mapping) -> bool:
    return not any(isinstance(value, Mapping) for value in counters.values())


def _output(text, title: str) -> Html | None:
    if not text or not str(text).strip():
        return None
    return tag("details", tag("summary", title), tag("pre", tag("span", str(text)[-4000:], class_="row")))


def _counters(verdict: Verdict) -> Html | None:
    table = counters_part(verdict.counters) if verdict.counters else None
    if not table:
        return None
    title = "What the kernel did to memory"
    if verdict.passed:
        return join(heading(4, title, class_="group"), table)
    return tag("details", tag("summary", title), table)  # first things first: what is wrong


def _footer(verdict: Verdict, exercise: Exercise) -> Html:
    where = words.DEVICES.get(verdict.device, verdict.device)
    lines = [prose(sentence) for sentence in next_steps(verdict, exercise)]
    judged = facts([("exercise", f"{verdict.exercise}, revision {verdict.revision}"),
                    ("seed", verdict.seed), *verdict.provenance.items()])  # fmt: skip
    return tag(
        "footer",
        [tag("p", line) for line in lines],
        tag("p", f"Checked on {where} in {verdict.seconds:.1f} s.", class_="note"),
        tag("details", tag("summary", "What judged"), judged),
    )


def next_steps(verdict: Verdict, exercise: Exercise) -> list[str]:
    """What the learner can do now, in sentences."""
    pending = [check for check in verdict.checks if check.state is State.UNSUPPORTED_HERE and not check.blocked_by]
    steps = [f"Not checked here: {check.message or check.sentence}" for check in pending]
    if verdict.state in (State.PASS, State.UNSUPPORTED_HERE) and any(c.state is State.PASS for c in verdict.checks):
        steps += [words.HIDDEN_PASSED.format(seed=verdict.seed)] if verdict.seed is not None else []
        return [*steps, *([words.NEXT_PASSED] if verdict.passed else [])]
    blocked = [check.blocked_by for check in verdict.checks if check.blocked_by]
    for root in dict.fromkeys(blocked):
        many = blocked.count(root)
        sentence = next((check.sentence for check in verdict.checks if check.check == root), root)
        steps.append(words.WAITING.format(many=f"{many} check{'' if many == 1 else 's'}", first=sentence))
    if verdict.state is not State.GRADER_FAULT:
        steps += [words.NEXT_HINT.format(slug=exercise.slug)] if exercise.hints else []
        steps += [words.NEXT_CONTRACT.format(slug=exercise.slug)] if exercise.contract else []
    return steps
