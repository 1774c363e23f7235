"""A stranger's Markdown as HTML that can do nothing.

Safe by construction: the result holds tags that this module writes, all of them without attributes but for two
classes, and text that it escaped. Headings, lists, quotations, fenced and inline code, bold and italics are understood,
which is what an answer in words needs. Everything else (HTML, links, images, formulas) is shown as it was typed, so a
link's address is there to read and nothing is there to click. The work grows with the text's length and no faster.
"""

from __future__ import annotations

import re
from html import escape

LONGEST = 40_000  # characters that are shown
# MathJax leaves such an element alone: version 3, which JupyterLab runs over Markdown cells, and 2, in exported pages.
NO_FORMULAS = "mathjax_ignore tex2jax_ignore"
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?=\s)(.*)")
_ITEM = re.compile(r"(\s*)(?:[-*+]|(\d{1,4})[.)])\s+(?=\S)")
_QUOTE = re.compile(r" {0,3}> ?")
_AS_IT_STANDS = re.compile(r"    |\t|\|")  # indented code, and tables
# Neither spans a line break, a tag or another star, so each is found in one walk over the text.
_BOLD = re.compile(r"(?<!\\)\*\*(?=[^\s*])([^*\n]*[^\s*\\])\*\*")
_ITALIC = re.compile(r"(?<![\\*\w])([*_])(?=[^\s*_])([^*_<\n]*[^\s*_<\\])\1(?![\w*])")
# What a Markdown reader or MathJax acts on; signs that change the direction of the text around them.
_ACTIVE = re.compile(r"[$\\`*_~\[\]{}|^@!\n]|:(?=//)|(?<=www)\.", re.IGNORECASE)
_DIRECTIONS = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")


def to_html(markdown: str) -> str:
    """The answer as one HTML element on one line."""
    text = readable(markdown)
    cut = len(text) > LONGEST
    lines = text[:LONGEST].splitlines()
    body = "".join(_blocks(lines)) + ("<p><em>… (cut here: the answer is longer)</em></p>" if cut else "")
    return inert(f'<div class="{NO_FORMULAS} answer">{body}</div>')


def readable(text: str) -> str:
    """Text without control characters and without signs that make text read in another order than it stands."""
    text = _DIRECTIONS.sub("\ufffd", text.encode("utf-8", "replace").decode())
    return "".join(c if c in "\n\t" or ord(c) > 31 and not 127 <= ord(c) < 160 else " " for c in text)


def inert(html: str) -> str:
    """HTML that stays as it is in a Markdown cell: whatever Markdown or MathJax acts on is written as a character
    reference, so no formula, link or emphasis is seen in it, and no empty line ends it."""
    return _ACTIVE.sub(lambda match: f"&#{ord(match[0])};", html)


def _blocks(lines: list[str]) -> list[str]:
    """The blocks of the text, in order. Lists and quotations are not nested: what is deeper is indented text."""
    found, at = [], 0
    while at < len(lines):
        line = lines[at]
        if fence := _FENCE.match(line):
            code, at = _fenced(lines, at + 1, fence[1])
            found.append(f"<pre><code>{escape(code)}</code></pre>")
        elif heading := _HEADING.match(line):
            found.append(f"<h4>{_inline(heading[1].strip().rstrip('#').strip())}</h4>")
            at += 1
        elif _ITEM.match(line):
            items, at = _items(lines, at)
            found.append(items)
        elif not line.strip():
            at += 1
        elif _AS_IT_STANDS.match(line):
            start = at
            while at < len(lines) and _AS_IT_STANDS.match(lines[at]):
                at += 1
            found.append(f"<pre>{escape(chr(10).join(lines[start:at]))}</pre>")
        else:
            quoted = bool(_QUOTE.match(line))
            start = at
            at += 1  # a line of its own, whatever it looks like
            while at < len(lines) and not _ends_paragraph(lines[at]) and bool(_QUOTE.match(lines[at])) == quoted:
                at += 1
            text = _inline("\n".join(_QUOTE.sub("", each, count=1) if quoted else each for each in lines[start:at]))
            found.append(f"<blockquote><p>{text}</p></blockquote>" if quoted else f"<p>{text}</p>")
    return found


def _ends_paragraph(line: str) -> bool:
    return not line.strip() or bool(_FENCE.match(line) or _HEADING.match(line) or _ITEM.match(line))


def _fenced(lines: list[str], at: int, fence: str) -> tuple[str, int]:
    """The code up to the closing fence, or to the end of the text."""
    for end in range(at, len(lines)):
        closing = lines[end].strip()
        if len(closing) >= len(fence) and not closing.strip(fence[0]) and closing:
            return "\n".join(lines[at:end]), end + 1
    return "\n".join(lines[at:]), len(lines)


def _items(lines: list[str], at: int) -> tuple[str, int]:
    ordered = bool(_ITEM.match(lines[at])[2])
    items: list[list[str]] = []
    while at < len(lines) and lines[at].strip() and not _FENCE.match(lines[at]):
        item = _ITEM.match(lines[at])
        if item and bool(item[2]) != ordered and not item[1]:
            break
        if item:
            items.append([lines[at][item.end() :]])
        else:
            items[-1].append(lines[at])
        at += 1
    inner = "".join(f"<li>{_inline(chr(10).join(item))}</li>" for item in items)
    return (f"<ol>{inner}</ol>" if ordered else f"<ul>{inner}</ul>"), at


def _inline(text: str) -> str:
    """Code between backquotes, then bold and italics in what is left."""
    pieces = re.split("(`+)", text)  # text, backquotes, text, backquotes, ..., text
    last: dict[str, int] = {ticks: at for at, ticks in enumerate(pieces) if at % 2}
    html, at = [_emphasis(pieces[0])], 1
    while at < len(pieces):
        ticks = pieces[at]
        if last[ticks] > at:  # a run of the same length closes it
            end = pieces.index(ticks, at + 1)
            html.append(f"<code>{escape(''.join(pieces[at + 1 : end]).strip())}</code>")
        else:
            end = at
            html.append(escape(ticks))
        html.append(_emphasis(pieces[end + 1]))
        at = end + 2
    return "".join(html)


def _emphasis(text: str) -> str:
    html = _BOLD.sub(r"<strong>\1</strong>", escape(text))
    html = _ITALIC.sub(r"<em>\2</em>", html)
    return re.sub(r"\\([*_`#])", r"\1", html)
