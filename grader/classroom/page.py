"""Public verdicts as HTML and as plain text. Everything is escaped; pages need no network and run no
script."""

from __future__ import annotations

from html import escape

from grader.classroom.public import PublicCheck, PublicVerdict

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; max-width: 54rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
.muted { color: #595959; } .points { float: right; font-weight: 600; }
table.sum { border-collapse: collapse; width: 100%; } table.sum td, table.sum th { text-align: left;
  padding: .35rem .6rem; border-bottom: 1px solid #ddd; } table.sum .n { text-align: right; }
@media (max-width: 30rem) { body { margin: 1rem auto; } }
"""
# Styles stand inline in the fragments, so that they look the same in the formgrader and in a feedback page.
_GOOD, _BAD, _WAIT = "#0b6b2e", "#a11212", "#7a5200"
_LONGEST_FILE = 64 << 10  # characters of a handed-in file that are shown


def number(points: float) -> str:
    """Points without needless zeros."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def verdict_html(verdict: PublicVerdict, files: dict[str, bytes] | None = None) -> str:
    """One exercise as a fragment; `files` are shown below it, folded."""
    colour = _GOOD if verdict.passed else (_WAIT if verdict.pending else _BAD)
    failed = [_check_html(check) for check in verdict.checks if not check.passed]
    passed = [_check_html(check) for check in verdict.checks if check.passed]
    waiting = f", {number(verdict.pending)} waiting for a grade" if verdict.pending else ""
    shown = "".join(_file_html(name, data) for name, data in (files or {}).items())
    return (
        f'<section style="border-left:4px solid {colour};padding:.2rem .9rem;margin:.6rem 0">'
        f'<p style="margin:.2rem 0"><b>{escape(verdict.title)}</b>: '
        f'<span style="color:{colour};font-weight:600">{escape(verdict.state)}</span>, '
        f"{number(verdict.earned)} of {number(verdict.points)} points{waiting}</p>"
        f"{_list(failed)}{_folded(passed)}"
        f'<p style="margin:.2rem 0">{escape(verdict.hidden)}</p>{shown}</section>'
    )


def _list(items: list[str]) -> str:
    return f'<ul style="list-style:none;padding-left:0;margin:.3rem 0">{"".join(items)}</ul>' if items else ""


def _folded(passed: list[str]) -> str:
    """What passed, out of the way of what did not."""
    if not passed:
        return ""
    words = "1 check passed" if len(passed) == 1 else f"{len(passed)} checks passed"
    return f'<details><summary style="color:{_GOOD}">✓ {words}</summary>{_list(passed)}</details>'


def _check_html(check: PublicCheck) -> str:
    mark, colour = ("✓", _GOOD) if check.passed else ("✗", _BAD)
    html = (
        f'<li style="margin:.35rem 0">'
        f'<span style="color:{colour};font-weight:700" aria-hidden="true">{mark}</span> '
        f'{escape(check.sentence)} <span style="color:{colour}">({escape(check.state)})</span>'
    )
    if check.message:
        html += f'<div style="margin-left:1.4rem">{escape(check.message)}</div>'
    if check.misconception:
        html += f'<div style="margin-left:1.4rem">Often behind it: <i>{escape(check.misconception)}</i></div>'
    if check.facts:
        facts = "; ".join(
            f"{escape(key)} <code>{escape(value)}</code>".lstrip() for key, value in check.facts
        )
        html += f'<div style="margin-left:1.4rem">Smallest failing case: {facts}</div>'
    if check.diagnostics:
        html += _pre("\n".join(check.diagnostics))
    return html + "</li>"


def _file_html(name: str, data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    cut = "\n… (cut)" if len(text) > _LONGEST_FILE else ""
    return (
        f"<details><summary>{escape(name)} as handed in</summary>{_pre(text[:_LONGEST_FILE] + cut)}</details>"
    )


def _pre(text: str) -> str:
    style = (
        "margin:.3rem 0 .3rem 1.4rem;padding:.5rem;background:#f4f4f4;overflow-x:auto;white-space:pre-wrap"
    )
    return f'<pre style="{style}">{escape(text)}</pre>'


def notes_html(sentences: list[str]) -> str:
    """What was odd about the submission, as a fragment; nothing if nothing was."""
    if not sentences:
        return ""
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    style = f"border-left:4px solid {_WAIT};padding:.2rem .9rem;margin:.6rem 0"
    return f'<div style="{style}"><p>About what was handed in:</p><ul>{items}</ul></div>'


def verdict_text(verdict: PublicVerdict) -> str:
    """One exercise as plain text, for a notebook's reader without HTML."""
    lines = [f"{verdict.title}: {verdict.state}, {number(verdict.earned)} of {number(verdict.points)} points"]
    for check in verdict.checks:
        lines.append(f"  {'+' if check.passed else '-'} {check.sentence} ({check.state})")
        lines += [f"      {text}" for text in (check.message, check.misconception) if text]
    return "\n".join([*lines, verdict.hidden])


def whole_page(title: str, body: str) -> str:
    """A page that stands alone. The policy forbids scripts and every load from elsewhere, should an escape
    be missed."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>{body}</body></html>\n"
    )
