"""The class summary as a page: bars and a table of signs, readable in black and white and by a screen reader.

Every picture is a table too: a bar stands beside its number, and a sign is a letter, not a colour.
"""

from __future__ import annotations

from datetime import datetime
from html import escape

from grader.classroom.page import number, prose, split_belief, when, whole_page
from grader.classroom.summary import Check, ExerciseSummary, How, Mark, Summary

_SIGNS = {
    Mark.PASSED: "passed",
    Mark.FAILED: "not passed",
    Mark.HIDDEN: "passed with the cases that students can see, not with a hidden one",
    Mark.NOT_RUN: "not run: another check had to pass first",
    Mark.WAITING: "waits for a grade",
    Mark.FAULT: "the grader failed",
    Mark.ABSENT: "not handed in",
}
# Fills that differ in lightness and in pattern: name, colour, what is drawn on a tile of 6 x 6.
_FILLS = {
    How.PASSED: ("#1b6e3c", ""),
    How.FAILED: ("#f4c7b8", '<path d="M0 6 6 0M-1 1 1-1M5 7 7 5" stroke="#8a1c0c" stroke-width="1.4"/>'),
    How.WAITING: ("#fff3cf", '<circle cx="3" cy="3" r="1.2" fill="#7a5200"/>'),
    How.FAULT: ("#d9d9d9", '<path d="M0 3h6M3 0v6" stroke="#333" stroke-width="1"/>'),
    How.ABSENT: ("#fff", ""),
}
_STYLE = """<style>
body { max-width: 64rem; }
.counts { font-size: 1.05rem; margin: .3rem 0; } .key { display: inline-block; margin-right: 1.1rem; }
.key svg { vertical-align: -2px; margin-right: .35rem; }
table.troubles { border-collapse: collapse; width: 100%; margin-top: .8rem; }
.troubles th, .troubles td { text-align: left; vertical-align: top; padding: .55rem .6rem; border-top: 1px solid #ddd; }
.troubles th { border: 0; font-weight: 600; color: #595959; } .troubles .n { width: 13rem; white-space: nowrap; }
.troubles p { margin: 0 0 .25rem; } .belief { font-weight: 600; }
.scroll { overflow-x: auto; } table.marks { border-collapse: collapse; font-size: .9rem; }
.marks td, .marks thead th { border: 1px solid #ccc; text-align: center; min-width: 1.5rem; padding: .1rem .25rem; }
.marks tbody th { text-align: left; font-weight: 400; padding: .1rem .6rem .1rem 0; white-space: nowrap; }
.marks .bad { background: #8a1c0c; color: #fff; font-weight: 700; } .marks .half { background: #f4c7b8; }
.marks .off { color: #767676; } summary { cursor: pointer; margin: .7rem 0 .3rem; }
@media print { details > * { display: block; } }
</style>"""
_CLASSES = {Mark.FAILED: "bad", Mark.HIDDEN: "half", Mark.FAULT: "bad", Mark.NOT_RUN: "off", Mark.WAITING: "off"}


def summary_page(summaries: list[Summary], *, refresh: int | None = None, now: datetime | None = None) -> str:
    """The whole page. `refresh`: seconds after which a browser asks for it anew."""
    head = _STYLE + (f'<meta http-equiv="refresh" content="{refresh}">' if refresh else "")
    body = [_patterns()]
    if refresh and now:
        clock = f"{now:%H:%M:%S %Z}".strip()
        body.append(
            f'<p class="muted">This page is alive: it looks again every {refresh} seconds. Now {clock}.</p>'
        )
    for summary in summaries:
        body.append(_chapter(summary))
    return whole_page("Class summary", "\n".join(body), head)


def _chapter(summary: Summary) -> str:
    graded = len(summary.students)
    latest = f", the last one {when(summary.latest)}" if summary.latest else ""
    waiting = summary.handed_in - graded
    left = f" {waiting} more {'is' if waiting == 1 else 'are'} handed in and not graded yet." if waiting > 0 else ""
    parts = [
        f"<h1>Chapter {summary.chapter.number}: {escape(summary.chapter.title)}</h1>",
        f"<p>{graded} submission{'s' * (graded != 1)} graded{latest}.{left}</p>",
    ]
    if graded:
        parts += [_exercise(exercise, summary) for exercise in summary.exercises]
    return "\n".join(parts)


def _exercise(found: ExerciseSummary, summary: Summary) -> str:
    exercise = found.exercise
    parts = [
        f"<section><h2>{escape(exercise.title)} <span class='muted'>({escape(exercise.dotted)}, "
        f"{number(exercise.points)} points)</span></h2>",
        _counts(found, len(summary.students)),
    ]
    if troubles := found.troubles:
        often = [trouble for trouble in troubles if trouble[1].failed > 1] or troubles
        once = troubles[len(often) :]
        answers = {check.answer for _, check in troubles}
        shared = len(troubles) > 1 and len(answers) == 1  # then it is told once
        if shared and (answer := answers.pop()):
            parts.append(_contract(answer))
        parts.append(_troubles(often, len(summary.students), shared))
        if once:
            words = "One more check was" if len(once) == 1 else f"{len(once)} more checks were"
            table = _troubles(once, len(summary.students), shared)
            parts.append(
                f"<details><summary>{words} failed by one student{' each' * (len(once) > 1)}</summary>{table}</details>"
            )
        parts.append(
            f'<p class="muted">Hints that lead there: <code>grader hint {escape(exercise.dotted)}</code>, or in the '
            f"notebook ({len(exercise.hints)} steps).</p>"
        )
    elif found.checks:
        parts.append("<p>Nobody failed a check.</p>")
    if found.checks:
        parts.append(_marks(found, summary))
    return "\n".join([*parts, "</section>"])


def _counts(found: ExerciseSummary, students: int) -> str:
    """One bar of the whole class, with its parts in words below it."""
    x, pieces, keys = 0.0, [], []
    for how in How:
        if count := found.counts[how]:
            width = 100 * count / students
            fill = _FILLS[how][0] if how is How.PASSED or how is How.ABSENT else f"url(#fill-{how.name})"
            box = f'y="0" height="20" fill="{fill}" stroke="#333" stroke-width=".8"'
            pieces.append(f'<rect x="{x:.2f}%" width="{width:.2f}%" {box}/>')
            sample = f'<svg width="16" height="16" aria-hidden="true"><rect width="16" {box}/></svg>'
            keys.append(f'<span class="key">{sample}{count} {how}</span>')
            x += width
    return (
        f'<svg width="100%" height="20" aria-hidden="true">{"".join(pieces)}</svg><p class="counts">{"".join(keys)}</p>'
    )


def _troubles(troubles: list[tuple[int, Check]], students: int, shared: bool) -> str:
    """`shared`: the contract's row is the same for all, and not repeated."""
    rows = "".join(_trouble(place, check, students, "" if shared else check.answer) for place, check in troubles)
    return (
        '<table class="troubles"><thead><tr><th scope="col" class="n">Students</th>'
        '<th scope="col">What they may have thought, and what answers it</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _trouble(place: int, check: Check, students: int, answer: str) -> str:
    share = 100 * check.failed / students
    fill = f"url(#fill-{How.FAILED.name})"
    bar = (
        f'<svg width="110" height="14" aria-hidden="true"><rect width="110" height="14" fill="#fff" stroke="#999"/>'
        f'<rect width="{1.1 * share:.1f}" height="14" fill="{fill}" stroke="#333" stroke-width=".8"/></svg>'
    )
    hidden = f'<br><span class="muted">{check.hidden} in a hidden case only</span>' if check.hidden else ""
    thought, truth = split_belief(check.belief)
    said = f'<p class="belief">“{prose(thought)}”</p>' if thought else ""
    said += f"<p>But: {prose(truth)}</p>" if truth else ""
    return (
        f'<tr><td class="n">{bar} <b>{check.failed}</b> of {students}{hidden}</td>'
        f"<td>{said}<p>Check {place}: {prose(check.sentence)}</p>{_contract(answer)}</td></tr>"
    )


def _contract(answer: str) -> str:
    return f'<p class="muted">The contract: {prose(answer)}</p>' if answer else ""


def _marks(found: ExerciseSummary, summary: Summary) -> str:
    """Students by checks, folded: who met what."""
    used = {mark for row in found.marks for mark in row}
    keys = "; ".join(
        f"{sign} {words}" if sign.strip() else f"empty {words}" for sign, words in _SIGNS.items() if sign in used
    )
    heads = "".join(
        f'<th scope="col" title="{escape(check.sentence)}">{place}</th>' for place, check in enumerate(found.checks, 1)
    )
    rows = []
    for place, (student, row) in enumerate(zip(summary.students, found.marks, strict=True), 1):
        cells = "".join(
            f'<td class="{_CLASSES.get(mark, "")}" title="{escape(_SIGNS[mark])}">{mark}</td>' for mark in row
        )
        rows.append(f'<tr><th scope="row">{escape(student) or place}</th>{cells}</tr>')
    checks = "".join(f"<li>{prose(check.sentence)}</li>" for check in found.checks)
    return (
        f'<details><summary>Every student and every check</summary><p class="muted">{escape(keys)}.</p>'
        f'<div class="scroll"><table class="marks"><thead><tr><th scope="col">Student</th>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div><ol>{checks}</ol></details>"
    )


def _patterns() -> str:
    tiles = "".join(
        f'<pattern id="fill-{how.name}" width="6" height="6" patternUnits="userSpaceOnUse">'
        f'<rect width="6" height="6" fill="{colour}"/>{drawn}</pattern>'
        for how, (colour, drawn) in _FILLS.items()
    )
    return f'<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>{tiles}</defs></svg>'
