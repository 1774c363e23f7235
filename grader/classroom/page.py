"""Public verdicts as HTML and as plain text. Everything is escaped; pages need no network and run no
script."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from html import escape

from grader.classroom.public import PublicCheck, PublicVerdict

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; max-width: 54rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
.muted { color: #595959; } .points { float: right; font-weight: 600; }
table.sum { border-collapse: collapse; width: 100%; } table.sum td, table.sum th { text-align: left;
  padding: .35rem .6rem; border-bottom: 1px solid #ddd; } table.sum .n { text-align: right; }
.answer { border-left: 4px solid #ddd; padding: .1rem .9rem; margin: .6rem 0; }
.answer pre { white-space: pre-wrap; background: #f4f4f4; padding: .5rem; }
@media (max-width: 30rem) { body { margin: 1rem auto; } }
"""
# Styles stand inline in the fragments, so that they look the same in the formgrader and in a feedback page.
_GOOD, _BAD, _WAIT, _QUIET = "#0b6b2e", "#a11212", "#7a5200", "#595959"
# The formgrader's style sheet makes a summary a plain block, without the triangle that says "click me".
_SUMMARY = "display:list-item;cursor:pointer"
_MONTHS = (  # in English, whatever the locale
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_LONGEST_FILE = 64 << 10  # characters of a handed-in file that are shown


def number(points: float) -> str:
    """Points without needless zeros."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def verdict_html(verdict: PublicVerdict, files: dict[str, bytes] | None = None) -> str:
    """One exercise as a fragment; `files` are shown below it, folded."""
    colour = _GOOD if verdict.passed else (_WAIT if verdict.pending else _BAD)
    failed = [_check_html(check) for check in verdict.checks if not check.passed and not check.waits_for]
    passed = [_check_html(check) for check in verdict.checks if check.passed]
    waiting = f", {number(verdict.pending)} waiting for a grade" if verdict.pending else ""
    shown = "".join(_file_html(name, data) for name, data in (files or {}).items())
    return (
        f'<section style="border-left:4px solid {colour};padding:.2rem .9rem;margin:.6rem 0">'
        f'<p style="margin:.2rem 0"><b>{prose(verdict.title)}</b>: '
        f'<span style="color:{colour};font-weight:600">{escape(verdict.state)}</span>, '
        f"{number(verdict.earned)} of {number(verdict.points)} points{waiting}</p>"
        f"{_list(failed)}{_not_run(verdict)}{_folded(passed)}"
        f"{_paragraph(verdict.hidden)}{shown}</section>"
    )


def prose(text: str) -> str:
    """A sentence as HTML: escaped, and what stands between `backquotes` as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _paragraph(text: str) -> str:
    return f'<p style="margin:.2rem 0">{prose(text)}</p>' if text else ""


def _list(items: list[str]) -> str:
    return f'<ul style="list-style:none;padding-left:0;margin:.3rem 0">{"".join(items)}</ul>' if items else ""


def _folded(passed: list[str]) -> str:
    """What passed, out of the way of what did not."""
    if not passed:
        return ""
    words = "1 check passed" if len(passed) == 1 else f"{len(passed)} checks passed"
    return f'<details><summary style="{_SUMMARY};color:{_GOOD}">✓ {words}</summary>{_list(passed)}</details>'


def _not_run(verdict: PublicVerdict) -> str:
    """One quiet line for all the checks that wait for the same one."""
    waiting: dict[str, list[str]] = {}
    for check in verdict.checks:
        if check.waits_for:
            waiting.setdefault(check.waits_for, []).append(f"<li>{prose(check.sentence)}</li>")
    html = ""
    for first, items in waiting.items():
        words = not_run_words(len(items), first)
        html += (
            f'<details style="color:{_QUIET};margin:.3rem 0"><summary style="{_SUMMARY}">– {prose(words)}</summary>'
            f'<ul style="margin:.3rem 0">{"".join(items)}</ul></details>'
        )
    return html


def not_run_words(count: int, first: str) -> str:
    subject = "1 check was not run: it needs" if count == 1 else f"{count} checks were not run: they need"
    return f"{subject} ‘{first.rstrip('.')}’ first"


def _check_html(check: PublicCheck) -> str:
    mark, colour = ("✓", _GOOD) if check.passed else ("✗", _BAD)
    html = (
        f'<li style="margin:.35rem 0">'
        f'<span style="color:{colour};font-weight:700" aria-hidden="true">{mark}</span> '
        f'{prose(check.sentence)} <span style="color:{colour}">({escape(check.state)})</span>'
    )
    if check.message:
        html += f'<div style="margin-left:1.4rem">{prose(check.message)}</div>'
    if check.misconception:
        html += f'<div style="margin-left:1.4rem">{prose(belief(check.misconception))}</div>'
    if check.facts:
        facts = "; ".join(f"{escape(key)} <code>{escape(value)}</code>".lstrip() for key, value in check.facts)
        html += f'<div style="margin-left:1.4rem">Smallest failing case: {facts}</div>'
    if check.diagnostics:
        html += _pre("\n".join(check.diagnostics))
    return html + "</li>"


def _file_html(name: str, data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    cut = "\n… (cut)" if len(text) > _LONGEST_FILE else ""
    return (
        f'<details><summary style="{_SUMMARY}">{escape(name)} as handed in</summary>'
        f"{_pre(text[:_LONGEST_FILE] + cut)}</details>"
    )


def _pre(text: str) -> str:
    style = "margin:.3rem 0 .3rem 1.4rem;padding:.5rem;background:#f4f4f4;overflow-x:auto;white-space:pre-wrap"
    return f'<pre style="{style}">{escape(text)}</pre>'


def rubric_html(points: float, rubric: tuple[str, ...]) -> str:
    """What a good answer in words names, for the person who grades it."""
    items = "".join(f"<li>{prose(line)}</li>" for line in rubric)
    style = f"border-left:4px solid {_QUIET};padding:.2rem .9rem;margin:.6rem 0"
    return f'<div style="{style}"><p>For the grader, {number(points)} points. A full answer:</p><ul>{items}</ul></div>'


def notes_html(sentences: list[str]) -> str:
    """What was odd about the submission, as a fragment; nothing if nothing was."""
    if not sentences:
        return ""
    items = "".join(f"<li>{prose(sentence)}</li>" for sentence in sentences)
    style = f"border-left:4px solid {_WAIT};padding:.2rem .9rem;margin:.6rem 0"
    return f'<div style="{style}"><p>About what was handed in:</p><ul>{items}</ul></div>'


def verdict_text(verdict: PublicVerdict) -> str:
    """One exercise as plain text, for a notebook's reader without HTML."""
    lines = [f"{verdict.title}: {verdict.state}, {number(verdict.earned)} of {number(verdict.points)} points"]
    waiting = Counter(check.waits_for for check in verdict.checks if check.waits_for)
    for check in verdict.checks:
        if check.waits_for:
            continue
        lines.append(f"  {'+' if check.passed else '-'} {check.sentence} ({check.state})")
        lines += [f"      {text}" for text in (check.message, belief(check.misconception)) if text]
    lines += [f"  {not_run_words(count, first)}" for first, count in waiting.items()]
    return "\n".join([*lines, *filter(None, [verdict.hidden])])


def belief(misconception: str) -> str:
    """A misconception as what it is, something that the student may have thought."""
    thought, truth = split_belief(misconception)
    return f"You may have thought: “{thought}”{f' But: {truth}' if truth else ''}" if thought else ""


def split_belief(misconception: str) -> tuple[str, str]:
    """The belief and its correction, which stands in brackets at the end of the text, "" if there is none."""
    split = re.fullmatch(r"(.*?[.!?])\s+\((.*)\)", misconception, re.DOTALL)
    return (split[1], split[2]) if split else (misconception, "")


def when(stamp: str) -> str:
    """A UTC time of ISO 8601 as people write it: 3 May 2030, 14:05 UTC."""
    time = datetime.fromisoformat(stamp).astimezone(UTC)
    return f"{time.day} {_MONTHS[time.month - 1]} {time:%Y, %H:%M} UTC"


def whole_page(title: str, body: str, head: str = "") -> str:
    """A page that stands alone; `head` is HTML of ours. The policy forbids scripts and every load from elsewhere,
    should an escape be missed."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style>{head}</head><body>{body}</body></html>\n"
    )
