"""Turns the log of a host C++ build into what the learner can act on.

An error in the harness is nearly always a function of the learner's that is missing or of another shape; an
error in a system header was set off by a line of the learner's. Both are told at the learner's file.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping

from grader.toolchain.diagnostics import first_error, parse_gxx
from grader.toolchain.records import Source
from grader.verdict import Diagnostic, State

_UNDEFINED = re.compile(r"^(?P<where>.*?)undefined (?:reference to|symbol:) [`'‘]?(?P<name>[^`'’\n]+)", re.M)
_MULTIPLE = re.compile(r"multiple definition of [`'‘](?P<name>[^`'’\n]+)")
_ANSWER_LINE = re.compile(r"answer/(?P<file>[^\n:(]+):(?P<line>\d+)")
_UNKNOWN_NAME = re.compile(
    r"[‘'](?P<name>[^’']+)[’'] (?:was not declared|has not been declared|is not a member)"
)
_UNKNOWN_CLANG = re.compile(r"use of undeclared identifier '(?P<name>[^']+)'")
_HINT = re.compile(r" \(use [^)\n]*-f[^)\n]*\)")
_MISSING_FILE = re.compile(r"(?P<name>[\w./+-]+): No such file or directory")


def explain(
    log: str, source: Source, harness: Mapping[str, bytes]
) -> tuple[State, tuple[Diagnostic, ...], str]:
    """State, diagnostics at the learner's files, and a sentence where the first error says too little."""
    if "File size limit exceeded" in log:
        message = "The program would be too large: look for a large array with initial values."
        return State.FAIL, (Diagnostic(message=message, file=source.main),), ""
    if re.search(r"Killed signal terminated|virtual memory exhausted|out of memory allocating", log):
        return State.OUT_OF_MEMORY, (), _OUT_OF_MEMORY
    if "internal compiler error" in log and ": error: " not in log:
        return State.CRASH, (), _COMPILER_FAILED
    diagnostics = tuple(dict.fromkeys(_at_the_answer(log, source) + _link_errors(log, source)))
    if first_error(diagnostics) is not None:
        return State.FAIL, diagnostics, ""
    tail = " ".join(log.split()[-40:])
    if _LATE_ERROR.search(log) and "cannot find -l" not in log:
        message = f"The compiler accepts the file, the assembler or linker does not: {tail}"
        return State.FAIL, (*diagnostics, Diagnostic(message=message, file=source.main)), ""
    return State.GRADER_FAULT, diagnostics, f"The build failed without naming a line: {tail}"


_OUT_OF_MEMORY = "The compiler ran out of memory: look for a template that grows without end."
_COMPILER_FAILED = (
    "The compiler itself failed on this file: undo your latest change to find what sets it off."
)
_LATE_ERROR = re.compile(r"Assembler messages:|: Error: |\bld: |ld returned")


def _at_the_answer(log: str, source: Source) -> tuple[Diagnostic, ...]:
    own, others = [], []
    for diagnostic in parse_gxx(_HINT.sub("", log)):
        file = diagnostic.file or ""
        if file.startswith("answer/"):
            message = diagnostic.message
            if message.startswith("#include nested depth"):
                message = "This file includes itself, perhaps through another: write #pragma once at its top."
            own.append(dataclasses.replace(diagnostic, message=message, file=file.removeprefix("answer/")))
        elif diagnostic.severity != "error":
            continue  # a warning or a note about a file that the learner does not see
        elif file.startswith("harness/"):
            others.append(Diagnostic(message=_does_not_fit(diagnostic.message), file=source.main))
        else:
            own.append(_set_off_by(diagnostic, log, source))
    # Where a file of the learner's has an error, those in the harness are mostly its consequence.
    return tuple(own) if first_error(own) else tuple(others + own)


def _does_not_fit(message: str) -> str:
    name = _UNKNOWN_NAME.search(message) or _UNKNOWN_CLANG.search(message)
    if name:
        return f"The grader uses {name['name']}, which your files do not declare: check its name."
    if missing := _MISSING_FILE.search(message):
        return f"The grader needs your file {missing['name']}, which is missing."
    if message.startswith("expected "):  # said at the first line after the learner's header
        return f"The file ends in the middle of a declaration: {message}"
    return f"What you declare does not fit how the grader uses it; check types and parameters: {message}"


def _set_off_by(diagnostic: Diagnostic, log: str, source: Source) -> Diagnostic:
    """An error inside a library's header, moved to the first line of the answer that is named near it."""
    at = log.find(f"{diagnostic.file}:{diagnostic.line}:")
    found = _ANSWER_LINE.search(log, at) or _ANSWER_LINE.search(log)
    message = f"This line sets off an error in a library: {diagnostic.message}"
    if not found:
        return Diagnostic(message=diagnostic.message, file=source.main)
    return Diagnostic(message=message, file=found["file"], line=int(found["line"]))


def _link_errors(log: str, source: Source) -> tuple[Diagnostic, ...]:
    found = []
    for match in _UNDEFINED.finditer(log):
        name, place = match["name"].strip(), _ANSWER_LINE.search(match["where"])
        if name.startswith("vtable for "):
            message = f"{name.removeprefix('vtable for ')} declares a virtual function that is never defined."
            found.append(Diagnostic(message=message, file=source.main))
        elif place:
            message = f"{name} is declared and used here, but never defined."
            found.append(Diagnostic(message=message, file=place["file"], line=int(place["line"])))
        else:
            message = (
                f"The grader calls {name}, and your files do not define it: check name and parameter types."
            )
            found.append(Diagnostic(message=message, file=source.main))
    for match in _MULTIPLE.finditer(log):
        message = f"{match['name']} is defined twice: leave out one; in a header, mark it inline."
        found.append(Diagnostic(message=message, file=source.main))
    return tuple(found)
