"""Turns the log of a library's build into what its author can act on: g++, clang++, nvcc, ptxas and the linker."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from grader.toolchain import lessons
from grader.toolchain.diagnostics import first_error
from grader.toolchain.lessons import Said
from grader.toolchain.records import Source
from grader.toolchain.tensorrt import exported_functions, tensorrt_include
from grader.verdict import Diagnostic, State

MAX_DIAGNOSTICS = 50
_MAX_MESSAGE = 2000  # characters
_NEAR = 1 << 15  # characters around an error in which its cause is looked for
_MAX_ERRORS = 4 * MAX_DIAGNOSTICS  # of a log, that are looked at: a build of an author's own prints what it likes

_GXX = re.compile(
    r"(?P<file>[^\n:()]+):(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):)? "
    r"(?P<severity>fatal error|error|warning|note): (?P<message>.*)"
)
_EDG = re.compile(
    r"(?P<file>[^\n()]+)\((?P<line>\d{1,9})\): (?P<severity>(?:catastrophic )?error|warning|remark)"
    r"(?: #\d+(?:-D)?)?: (?P<message>.*)"
)
_MORE_EDG = re.compile(r"\s{8,}(?P<message>(?:pure virtual )?function .*)")
_TOOL = re.compile(
    r"(?P<tool>ptxas|nvcc|nvlink)(?P<where> [^;\n]{0,500};)?\s{1,9}(?P<severity>fatal|error|warning)\s*: "
    r"(?P<message>.*)"
)
_PTX_LINE = re.compile(r"line (\d+)")
_UNDEFINED = re.compile(r"^(?P<where>.*?)undefined (?:reference to|symbol:) [`'‘]?(?P<name>[^`'’\n]+)", re.M)
_MULTIPLE = re.compile(r"multiple definition of [`'‘](?P<name>[^`'’\n]+)")
_OUT_OF_MEMORY = "The compiler ran out of memory: look for a template that grows without end."
_COMPILER_FAILED = "The compiler itself failed on this file: undo your latest change to find what sets it off."


def explain(log: str, source: Source, *, strict: bool, failed: bool) -> tuple[State, tuple[Diagnostic, ...], str]:
    """State, diagnostics at the author's files, and a sentence where the first error says too little. ``failed``:
    whether the build stopped; ``strict``: whether warnings that name a plugin's defect count as errors."""
    if failed and re.search(r"Killed signal terminated|virtual memory exhausted|out of memory allocating", log):
        return State.OUT_OF_MEMORY, (), _OUT_OF_MEMORY
    if failed and "internal compiler error" in log and ": error: " not in log:
        return State.CRASH, (), _COMPILER_FAILED
    said = list(read_log(log))
    known = lessons.signatures(said)
    said = sorted(_each_class_once(said), key=lessons.urgency)[:_MAX_ERRORS]
    found = [lessons.teach(one, known, source.files, strict) for one in said]
    found = [one if isinstance(one, Diagnostic) else _elsewhere(one, log, source) for one in found if one]
    diagnostics = _tidy([*filter(None, found), *_tools(log, source), *_link(log, source)])
    if first_error(diagnostics) is not None:
        return State.FAIL, diagnostics, ""
    if not failed:
        return State.PASS, diagnostics, ""
    tail = " ".join(log.split()[-40:])
    if re.search(r"Assembler messages:|: Error: |\bld: |ld returned", log) and "cannot find -l" not in log:
        message = f"The compiler accepts the file, the assembler or linker does not: {tail}"
        return State.FAIL, (*diagnostics, Diagnostic(message=message, file=source.main)), ""
    return State.GRADER_FAULT, diagnostics, f"The build failed without naming a line: {tail}"


def read_log(log: str) -> Iterator[Said]:
    """What the compilers say about lines, each with the notes that belong to it."""
    last: Said | None = None
    for line in log.splitlines():
        if _UNDEFINED.search(line):  # the linker's
            continue
        if match := _GXX.fullmatch(line) or _EDG.fullmatch(line):
            facts = match.groupdict()
            one = Said(
                facts["file"], int(facts["line"]), int(facts["column"]) if facts.get("column") else None,
                facts["severity"].removeprefix("fatal ").removeprefix("catastrophic ").replace("remark", "note"),
                facts["message"][:_MAX_MESSAGE],
            )  # fmt: skip
            if one.severity == "note" and last:
                last.notes.append(one)
                continue
            if last:
                yield last
            last = one
        elif last and (match := _MORE_EDG.fullmatch(line)):
            last.notes.append(Said(last.file, last.line, None, "note", match["message"][:_MAX_MESSAGE]))
    if last:
        yield last


def _each_class_once(said: Iterable[Said]) -> Iterator[Said]:
    """A class that is abstract is complained about wherever it is made; g++ says why at the first place only."""
    seen = set()
    for one in said:
        name = lessons.abstract_class(one)
        if name is None or name not in seen:
            yield one
        seen.add(name)


def _elsewhere(said: Said, log: str, source: Source) -> Diagnostic | None:
    """An error inside a header that is not the author's, told where the author set it off."""
    if said.severity != "error":
        return None
    names = "|".join(map(re.escape, source.files))
    at = max(log.find(f"{said.file}:{said.line}:"), log.find(f"{said.file}({said.line}):"), 0)
    place = re.compile(rf"(?:^|[ \"/])(?P<file>{names})[:(](?P<line>\d{{1,9}})", re.M)
    cause = re.search(rf"at line (?P<line>\d{{1,9}}) of \"?(?P<file>{names})\b", log[at : at + _NEAR])  # nvcc: after
    cause = cause or next(reversed(list(place.finditer(log, max(0, at - _NEAR), at))), None)  # g++ before
    cause = cause or place.search(log, at, at + _NEAR)
    if not cause:
        return Diagnostic(message=said.message, file=source.main)
    message = f"This line sets off an error in a library: {said.message}"
    return Diagnostic(message=message, file=cause["file"], line=int(cause["line"]))


def _tools(log: str, source: Source) -> Iterator[Diagnostic]:
    """What ptxas and nvcc say without a line of the source."""
    units = [name for name in source.files if name.endswith(".cu")]
    file = units[0] if len(units) == 1 else source.main
    for match in _TOOL.finditer(log):
        severity = "warning" if match["severity"] == "warning" else "error"
        message = match["message"].strip()
        if line := _PTX_LINE.search(match["where"] or ""):
            message = f"ptxas refuses line {line[1]} of the PTX that the kernels become; look at your asm: {message}"
        elif message.startswith("Ptx assembly aborted"):
            continue
        else:
            message = f"{match['tool']} says: {message}"
        yield Diagnostic(message=message[:_MAX_MESSAGE], severity=severity, file=file)


def _link(log: str, source: Source) -> Iterator[Diagnostic]:
    include = tensorrt_include()
    supplied = exported_functions(include) if include else frozenset()
    names = "|".join(map(re.escape, source.files))
    for match in _UNDEFINED.finditer(log):
        name = match["name"].strip()
        if name in supplied:
            continue
        place = re.search(rf"(?P<file>{names}):(?P<line>\d{{1,9}})", match["where"])
        file, line = (place["file"], int(place["line"])) if place else (source.main, None)
        yield Diagnostic(message=lessons.undefined(name), file=file, line=line)
    for match in _MULTIPLE.finditer(log):
        message = f"{match['name']} is defined twice: leave out one; in a header, mark it inline."
        yield Diagnostic(message=message, file=source.main)


def _tidy(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Each once, in order; errors before the rest when there are too many."""
    unique = {(one.message, one.file, one.line): one for one in reversed(list(diagnostics))}
    never = {(one.file, one.line) for one in unique.values() if lessons.NEVER_CALLED in one.message}
    kept = [  # one sentence about a method is enough
        one for one in reversed(unique.values())
        if lessons.OVERRIDES_NOTHING not in one.message or (one.file, one.line) not in never
    ]  # fmt: skip
    if len(kept) > MAX_DIAGNOSTICS:
        kept.sort(key=lambda one: one.severity != "error")
    return tuple(kept[:MAX_DIAGNOSTICS])
