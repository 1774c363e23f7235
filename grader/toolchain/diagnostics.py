"""Reads compilers' messages into ``Diagnostic`` records."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Callable, Iterable

from grader.verdict import Diagnostic

MAX_DIAGNOSTICS = 50
_MAX_MESSAGE = 2000  # characters; messages about templates can be huge
_NVRTC = re.compile(
    r"^(?:(?P<file>[^\n()]+)\((?P<line>\d+)\)|(?P<end>At end of source)): "
    r"(?P<severity>(?:catastrophic )?error|warning|remark)(?: #\d+(?:-D)?)?: (?P<message>.*)$"
)
_IS_CAUSE = re.compile(r'^identifier "[^"]+" is undefined')
_GXX = re.compile(
    r"^(?P<file>[^\n:]+):(?P<line>\d+):(?:(?P<column>\d+):)? "
    r"(?P<severity>fatal error|error|warning|note): (?P<message>.*)$"
)


def parse_nvrtc(log: str, main: str, advise: Callable[[str], str] = str) -> tuple[Diagnostic, ...]:
    """NVRTC's log, causes before consequences. The quoted source line and its caret give the column."""
    found, lines = [], log.splitlines()
    for index, line in enumerate(lines):
        match = _NVRTC.match(line)
        if not match:
            continue
        severity = match["severity"].removeprefix("catastrophic ").replace("remark", "note")
        message = advise(match["message"]) if match["file"] else f"At the end of the file: {match['message']}"
        diagnostic = Diagnostic(
            message=message[:_MAX_MESSAGE], severity=severity, file=match["file"] or main,
            line=int(match["line"]) if match["line"] else None, column=_caret(lines[index + 1 : index + 3]),
        )  # fmt: skip
        found.append((not _IS_CAUSE.match(match["message"]), diagnostic))
    # A type that is not known makes NVRTC misread its whole line first and name the cause last.
    by_line = itertools.groupby(found, key=lambda pair: (pair[1].file, pair[1].line, pair[1].severity))
    return _tidy(diagnostic for _, line in by_line for _, diagnostic in sorted(line, key=lambda pair: pair[0]))


def parse_gxx(log: str) -> tuple[Diagnostic, ...]:
    """The log of g++ or clang++."""
    return _tidy(
        Diagnostic(
            message=match["message"][:_MAX_MESSAGE],
            severity=match["severity"].removeprefix("fatal "),
            file=match["file"],
            line=int(match["line"]),
            column=int(match["column"]) if match["column"] else None,
        )  # fmt: skip
        for line in log.splitlines()
        if (match := _GXX.match(line))
    )


def bounded(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The first so many, each cut where it is very long: a file can be wrong in a hundred thousand places."""
    return tuple(
        dataclasses.replace(diagnostic, message=diagnostic.message[:_MAX_MESSAGE])
        for diagnostic in itertools.islice(diagnostics, MAX_DIAGNOSTICS)
    )


def first_error(diagnostics: Iterable[Diagnostic]) -> Diagnostic | None:
    return next((diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"), None)


def place(diagnostic: Diagnostic) -> str:
    """Where it is, to stand at the start of a sentence: "gelu.cu, line 3: "."""
    if not diagnostic.file:
        return ""
    return f"{diagnostic.file}, line {diagnostic.line}: " if diagnostic.line else f"{diagnostic.file}: "


def _caret(quoted: list[str]) -> int | None:
    """NVRTC quotes the source line with two blanks before it, and puts a caret below."""
    if len(quoted) == 2 and quoted[0].startswith("  ") and quoted[1].strip() == "^":
        return quoted[1].index("^") - 1
    return None


def _tidy(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Each once, in order, errors before the rest when there are too many."""
    unique = list(dict.fromkeys(diagnostics))
    if len(unique) > MAX_DIAGNOSTICS:
        unique.sort(key=lambda diagnostic: diagnostic.severity != "error")
    return tuple(unique[:MAX_DIAGNOSTICS])
