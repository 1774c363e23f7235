"""Reads C++ source as the compilers do, as far as its directives and comments go.

The include check must see every directive that a compiler would see. Where two compilers could read a file
differently (trigraphs, raw strings, a lone carriage return, spaces after a continuation), the file is refused
rather than guessed at.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass, field

from grader.verdict import Diagnostic


@dataclass(frozen=True, slots=True)
class Token:
    kind: str  # "name", "number", "string", "char", "mark"
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Directive:
    name: str  # "include"; "" for the null directive
    text: str  # what follows the name, comments replaced by a space, lines joined
    line: int


@dataclass
class Reading:
    """One file: its tokens outside directives, its directives, and what cannot be read for certain."""

    tokens: list[Token] = field(default_factory=list)
    directives: list[Directive] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)


_TOKEN = re.compile(
    r"""(?P<raw>\b(?:u8|[uUL])?R")
    |(?P<string>(?:\b(?:u8|[uUL]))?"(?:\\.|[^"\\\n])*")
    |(?P<char>(?:\b(?:u8|[uUL]))?'(?:\\.|[^'\\\n])*')
    |(?P<block>/\*)
    |(?P<comment>//[^\n]*)
    |(?P<number>\.?\d(?:[eEpP][+-]|'?[A-Za-z0-9_]|\.)*)
    |(?P<name>[^\W\d][\w$]*)
    |(?P<newline>\n)
    |(?P<space>[ \t\v\f]+)
    |(?P<quote>["'][^\n]*)
    |(?P<mark><<<|>>>|\#\#|%:%:|%:|::|.)""",
    re.X,
)
_DIRECTIVE_NAME = re.compile(r"\s*(\w*)")
_CONTEXT = ("include", "if", "elif")  # directives in which <...> may be a header's name


def read(text: str, file: str) -> Reading:
    """Split ``text``; every problem names ``file`` and a line. Never raises."""
    reading = Reading()

    def problem(message: str, at: int) -> None:
        reading.problems.append(Diagnostic(message=message, file=file, line=at))

    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    for pattern, message in _UNCERTAIN:
        if found := pattern.search(text):
            problem(message, text.count("\n", 0, found.start()) + 1)
    text, starts = _join_lines(text)

    def line_at(position: int) -> int:
        return starts[bisect.bisect_right(starts, (position, len(text) + 1)) - 1][1]

    position, directive, parts = 0, None, []
    fresh = True  # only blanks and comments since the line began
    while position < len(text):
        found = _TOKEN.match(text, position)
        kind, piece, start = found.lastgroup, found.group(), position
        position = found.end()
        if kind == "block":
            end = text.find("*/", position)
            if end < 0:
                problem("This comment is never closed: add */ at its end.", line_at(start))
                end = len(text)
            inside = text[start:end]
            if directive is not None and "\n" in inside and _name_of(parts[:2]) in _CONTEXT:
                problem("Close the comment on the line of the directive.", line_at(start))
            if directive is None and "\n" in inside:
                fresh = True  # some compiler may take what follows for the start of a line
            position = min(end + 2, len(text))
            kind, piece = "space", " "
        elif kind == "comment":
            kind, piece = "space", " "
        elif kind == "raw":
            problem('Raw strings, R"(...)", are not accepted here: write an ordinary string.', line_at(start))
        elif kind == "quote" and ("/*" in piece or "*/" in piece):
            problem("A quotation mark is not closed on its line.", line_at(start))
        if kind == "newline":
            if directive is not None:
                reading.directives.append(_directive(parts, directive))
            fresh, directive, parts = True, None, []
        elif directive is not None:
            if kind != "space" or (parts and parts[-1] != " "):  # so the name is among the first two
                parts.append(" " if kind == "space" else piece)
        elif kind == "space":
            pass
        elif fresh and piece in ("#", "%:"):
            directive, fresh = line_at(start), False
        else:
            fresh = False
            reading.tokens.append(Token("string" if kind == "raw" else kind, piece, line_at(start)))
    if directive is not None:
        reading.directives.append(_directive(parts, directive))
    return reading


_UNCERTAIN = (
    (re.compile(r"\?\?[=/]"), "Some compilers take ?? and this sign for another one: put a space between."),
    (re.compile(r"\r"), "The line ends with a lone carriage return: save the file with Unix line ends."),
    (re.compile(r"\\[ \t\v\f]+\n"), "A blank follows the backslash at the end of this line: remove it."),
)  # fmt: skip


def _join_lines(text: str) -> tuple[str, list[tuple[int, int]]]:
    """``text`` without its continued line ends, and (position, line) for the start of each original line."""
    pieces, starts, position = [], [], 0
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        starts.append((position, number))
        last = number == len(lines)
        piece = line[:-1] if line.endswith("\\") and not last else line + ("" if last else "\n")
        pieces.append(piece)
        position += len(piece)
    return "".join(pieces), starts


def _name_of(parts: list[str]) -> str:
    return _DIRECTIVE_NAME.match("".join(parts)).group(1)


def _directive(parts: list[str], line: int) -> Directive:
    text = "".join(parts)
    found = _DIRECTIVE_NAME.match(text)
    return Directive(found.group(1), text[found.end() :].strip(), line)
