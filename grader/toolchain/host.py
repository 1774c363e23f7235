"""Compiles a host C++ answer and the exercise's harness to one program."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from grader.sandbox import Limits
from grader.toolchain import aloof, locate
from grader.toolchain.cache import Cache, key_of, write_atomically
from grader.toolchain.compile import COMPILE_LIMITS, ask
from grader.toolchain.diagnostics import bounded
from grader.toolchain.host_messages import explain
from grader.toolchain.lexer import Reading, read
from grader.toolchain.records import HostProgram, Source, check_names
from grader.toolchain.screen import check_includes, read_files
from grader.toolchain.summary import summary
from grader.verdict import Diagnostic, State

_SCHEMA = 3  # raise it when the same input is compiled differently
_CHANNEL = "grader_channel.hpp"
_UNIT_SUFFIXES = {".cpp", ".cc", ".cxx"}
_FLAGS = ("-std=c++17", "-O1", "-g", "-Wall", "-Wextra")
_PLAIN = ("-fdiagnostics-color=never", "-fno-diagnostics-show-caret")
_NO_COMPILER = "No C++ compiler was found: install g++ (on Debian and Ubuntu: sudo apt install g++)."

_NO_ORDERS = "Something in your files gives orders to the assembler: write it in plain C++."


def compile_host(
    source: Source,
    *,
    harness: Mapping[str, bytes],
    flags: Sequence[str] = (),
    limits: Limits = COMPILE_LIMITS,
) -> HostProgram:
    """Compile the learner's files and the ``harness`` with ``-std=c++17 -O1 -g -Wall -Wextra`` and ``flags``.

    Every ``.cpp`` file is a unit of its own, unless another file includes it. All files may include the
    learner's by name, the standard library, the CUDA headers, and what lies in the ``-I`` and ``-isystem``
    folders of ``flags``; the harness' files may include each other and ``grader_channel.hpp``. A learner's may
    include those headers of the harness that have nothing to do with its channel. Never raises for what is
    in the learner's files.
    """
    check_names(harness)
    harness_readings = {name: read(data.decode(), name) for name, data in harness.items()}
    folders = [locate.supplied_include(), *filter(None, [locate.cuda_include()])]
    readings, problems = _screen(source, harness_readings, [*folders, *_folders_of(flags)])
    if problems:
        return _failed(problems)
    if (compiler := locate.gxx()) is None:
        return HostProgram(state=State.UNSUPPORTED_HERE, message=_NO_COMPILER)
    command = [str(compiler), *_FLAGS, *_PLAIN, "-Ianswer", "-Iharness"]
    for folder in folders:
        command += ["-isystem", str(folder)]
    units = _units(readings, harness_readings)
    supplied = (folders[0] / _CHANNEL).read_bytes()
    key = key_of(
        _SCHEMA,
        dict(source.files),
        source.main,
        dict(harness),
        [command, units, *flags],
        locate.gxx_fingerprint(compiler),
        supplied,
    )
    cache = Cache("programs")
    if kept := cache.get(key):
        facts, program = kept
        return _passed(facts["log"], _executable(cache, key, program), source, harness, cached=True)
    files = {f"answer/{name}": data for name, data in source.files.items()}
    files |= {f"harness/{name}": data for name, data in harness.items()}
    link = [str(compiler), *_PLAIN]
    reads = [*folders, *_folders_of(flags), *locate.installation(compiler)]
    reply = ask("gxx", files, limits, reads=reads, compile=command, units=units, link=link, flags=list(flags))
    if reply.state is not State.PASS:
        return HostProgram(state=reply.state, log=reply.log, message=reply.message)
    if reply.result == "assembly":
        return _failed([Diagnostic(message=_NO_ORDERS, file=source.main)])
    if not reply.ok:
        state, diagnostics, message = explain(reply.log, source, harness)
        message = message or summary(diagnostics)
        return HostProgram(state=state, diagnostics=diagnostics, log=reply.log, message=message)
    if foreign := aloof.foreign_functions(reply.blob, _with_channel(harness_readings)):
        called = ", ".join(foreign[:3])
        message = f"Your code calls {called}, which C++ does not have: an answer needs nothing of the system."
        return _failed([Diagnostic(message=message, file=source.main)])
    cache.put(key, {"log": reply.log}, reply.blob)
    return _passed(reply.log, _executable(cache, key, reply.blob), source, harness, cached=False)


def _screen(
    source: Source, harness: Mapping[str, Reading], folders: Sequence[Path]
) -> tuple[dict[str, Reading], list[Diagnostic]]:
    data = source.files.get(source.main)
    if data is None:
        return {}, [Diagnostic(message="The file is missing: put it beside the notebook.", file=source.main)]
    readings, problems = read_files(source.files)
    if not problems:
        private = _private(harness) - set(source.files)
        known = {*source.files, *harness} - private
        problems = check_includes(readings, known, folders, assembly=False, private=private)
        problems += aloof.check_names(readings, _with_channel(harness), {*private, _CHANNEL})
    if not problems and not readings[source.main].tokens and not readings[source.main].directives:
        message = "The file is empty: write your answer in it."
        problems.append(Diagnostic(message=message, file=source.main, line=1))
    if not problems and any(_main_line(reading) for reading in harness.values()):
        for name, reading in readings.items():
            if line := _main_line(reading):
                message = "Leave out main(): the grader's program has its own and calls your functions."
                problems.append(Diagnostic(message=message, file=name, line=line))
    return readings, problems


def _with_channel(harness: Mapping[str, Reading]) -> dict[str, Reading]:
    """The harness with the header that it speaks through."""
    text = (locate.supplied_include() / _CHANNEL).read_text()
    return {**harness, _CHANNEL: read(text, _CHANNEL)}


def _main_line(reading: Reading) -> int | None:
    tokens = reading.tokens
    for first, second, third in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if (first.text, second.text, third.text) == ("int", "main", "("):
            return second.line
    return None


def _private(harness: Mapping[str, Reading]) -> set[str]:
    """The harness' files that are no supplied headers: its units, and what speaks with the grader."""
    private = {_CHANNEL, *(name for name in harness if PurePosixPath(name).suffix in _UNIT_SUFFIXES)}
    while more := {name for name in set(harness) - private if _included(harness[name]) & {_CHANNEL, *private}}:
        private |= more
    return private


def _included(*readings: Reading) -> set[str]:
    """The names of the files that are included."""
    return {
        directive.text.strip('"<>').removeprefix("./")
        for reading in readings
        for directive in reading.directives
        if directive.name == "include"
    }


def _units(answer: Mapping[str, Reading], harness: Mapping[str, Reading]) -> list[str]:
    by_harness = _included(*harness.values())
    by_any = by_harness | _included(*answer.values())
    return [
        f"{folder}/{name}"
        for folder, files, included in (("harness", harness, by_harness), ("answer", answer, by_any))
        for name in sorted(files)
        if PurePosixPath(name).suffix in _UNIT_SUFFIXES and name not in included
    ]


def _folders_of(flags: Sequence[str]) -> list[Path]:
    joined = [found[1] for flag in flags if (found := re.fullmatch(r"-I(.+)", flag))]
    separate = [value for flag, value in zip(flags, flags[1:], strict=False) if flag in ("-I", "-isystem")]
    return [Path(folder) for folder in joined + separate]


def _failed(diagnostics: Sequence[Diagnostic]) -> HostProgram:
    told = bounded(diagnostics)
    return HostProgram(state=State.FAIL, diagnostics=told, message=summary(told))


def _passed(log: str, path: Path, source: Source, harness: Mapping[str, bytes], *, cached: bool) -> HostProgram:
    _, warnings, _ = explain(log, source, harness)
    return HostProgram(state=State.PASS, path=path, diagnostics=warnings, log=log, cached=cached)


def _executable(cache: Cache, key: str, program: bytes) -> Path:
    try:
        return cache.executable(key, program)
    except OSError:  # no cache can be written: a folder that lasts as long as the machine keeps temporary files
        path = Path(tempfile.mkdtemp(prefix="grader-program-")) / "program"
        write_atomically(path, program, mode=0o755)
        return path
