"""Looks through a learner's files before any compiler reads them.

Compilers quote the files that they include, so an ``#include`` of a private file would show its content in
the diagnostics. Only the exercise's own files, the toolchain's headers and the standard library may be
named, plainly. What is not known to be harmless is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from os.path import isfile  # False too for a name that is too long
from pathlib import Path

from grader.toolchain.conditions import check_condition, not_plain, own_macros
from grader.toolchain.lexer import Directive, Reading, read
from grader.toolchain.strings import IN_LABEL, check_pragma_strings, check_strings
from grader.verdict import Diagnostic

MAX_FILE = 1 << 20  # bytes

STANDARD_HEADERS = frozenset(
    """algorithm any array atomic bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes
    ciso646 climits clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp
    csignal cstdalign cstdarg cstdbool cstddef cstdint cstdio cstdlib cstring ctgmath ctime cuchar cwchar
    cwctype deque exception execution filesystem format forward_list fstream functional future
    initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map memory
    memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex
    scoped_allocator semaphore set shared_mutex source_location span sstream stack stdexcept stop_token
    streambuf string string_view system_error thread tuple type_traits typeindex typeinfo unordered_map
    unordered_set utility valarray variant vector version assert.h complex.h ctype.h errno.h fenv.h float.h
    inttypes.h iso646.h limits.h locale.h math.h setjmp.h signal.h stdalign.h stdarg.h stdatomic.h stdbool.h
    stddef.h stdint.h stdio.h stdlib.h string.h tgmath.h time.h uchar.h wchar.h wctype.h""".split()
)
_DIRECTIVES = frozenset(
    "define undef if ifdef ifndef elif elifdef elifndef else endif include pragma error warning".split()
)
_TARGET = re.compile(r'"([^"]*)"|<([^<>]*)>')
_MENTIONS_PROBE = re.compile(r"__has_(?:include|embed)")
_PRAGMA_CALL = re.compile(r'\b_Pragma\s*\(\s*"((?:\\.|[^"\\])*)"\s*\)')
_BAD_PRAGMA = re.compile(r"\b(?:dependency|pch_preprocess|system_header|include_alias|include)\b")
_ASSEMBLY = re.compile(r"\b(?:asm|__asm|__asm__)\b")
_PLAIN_TARGET = re.compile(r"[\w.+-]+(/[\w.+-]+)*")


def read_files(files: Mapping[str, bytes]) -> tuple[dict[str, Reading], list[Diagnostic]]:
    """Read every file; those that are no text are reported and left out."""
    readings, problems = {}, []
    for name, data in files.items():
        if problem := _not_text(name, data):
            problems.append(problem)
        else:
            readings[name] = read(data.decode(), name)
            problems += readings[name].problems
    return readings, problems


def check_includes(
    readings: Mapping[str, Reading], known: Iterable[str], folders: Iterable[Path], *,
    assembly: bool | Collection[str], private: Iterable[str] = (),
) -> list[Diagnostic]:  # fmt: skip
    """What the compiler must not be shown. ``known``: files that may be included; ``folders``: all in them
    may be, but for ``private``, the grader's own. ``assembly``: whether inline assembly is allowed, or the
    files in which it is (PTX reads no files, a host's assembler does)."""
    known, folders, private = set(known), list(folders), set(private)

    def check_target(target: str) -> str | None:
        return _check_target(target, known, folders, private)

    macros = own_macros(directive for reading in readings.values() for directive in reading.directives)
    refused = not_plain(macros)
    problems, everywhere = [], assembly
    for name, reading in readings.items():
        assembly = everywhere if isinstance(everywhere, bool) else name in everywhere

        def problem(message: str, line: int, name=name) -> None:
            problems.append(Diagnostic(message=message, file=name, line=line))

        for directive in reading.directives:
            if message := _check_directive(directive, macros, refused, check_target):
                problem(message, directive.line)
            if not assembly and _ASSEMBLY.search(directive.text):
                problem(_NO_ASSEMBLY, directive.line)
            if directive.name == "define":
                for message, _ in check_strings(read(directive.text, name).tokens):
                    problem(message, directive.line)
        for message, line in check_strings(reading.tokens):
            if assembly or message != IN_LABEL:  # without assembly a label has a message already
                problem(message, line)
        for index, token in enumerate(reading.tokens):
            if token.kind != "name":
                continue
            if _MENTIONS_PROBE.match(token.text):
                problem(f"{token.text} belongs in an #if line.", token.line)
            elif token.text == "_Pragma":
                call = " ".join(following.text for following in reading.tokens[index : index + 4])
                if message := _check_pragma_calls(call):
                    problem(message, token.line)
            elif not assembly and _ASSEMBLY.fullmatch(token.text):
                problem(_NO_ASSEMBLY, token.line)
    return problems


_NO_ASSEMBLY = "Inline assembly is not accepted in host code: write it in C++."


def _not_text(name: str, data: bytes) -> Diagnostic | None:
    if len(data) > MAX_FILE:
        return Diagnostic(message=f"The file is larger than {MAX_FILE >> 20} MB: it cannot be an answer.", file=name)
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        return Diagnostic(message="The file holds binary data, not text: save it as C++ source.", file=name, line=line)
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Diagnostic(message="The file is not UTF-8 text here: save it as UTF-8.", file=name, line=line)
    return None


def _check_directive(
    directive: Directive,
    macros: Mapping[str, list[str | None]],
    refused: set[str],
    check_target: Callable[[str], str | None],
) -> str | None:
    name, text = directive.name, directive.text
    if name == "" and not text:
        return None
    if name not in _DIRECTIVES:
        return f"#{name or text.split()[0]} is not accepted in an answer: remove it."
    if name == "include":
        found = _TARGET.fullmatch(text)
        if not found:
            return 'Name the file plainly: #include "file.h" or #include <file.h>, without a macro.'
        return check_target(found[1] if found[1] is not None else found[2])
    if name in ("if", "elif"):
        return check_condition(text, macros, refused, check_target)
    if name in ("ifdef", "ifndef", "elifdef", "elifndef", "error", "warning"):
        return None
    if name == "pragma":
        if _BAD_PRAGMA.search(text):
            return "This #pragma is not accepted in an answer: remove it."
        if message := check_pragma_strings(text):
            return message
    if _MENTIONS_PROBE.search(text) and name in ("define", "undef"):
        return "Use __has_include in an #if line only."
    return _check_pragma_calls(text) if name == "define" else None


def _check_pragma_calls(text: str) -> str | None:
    for found in _PRAGMA_CALL.finditer(text):
        if _BAD_PRAGMA.search(found[1]):
            return "This _Pragma is not accepted in an answer: remove it."
        if message := check_pragma_strings(re.sub(r"\\(.)", r"\1", found[1])):
            return message
    if re.search(r"\b_Pragma\b", _PRAGMA_CALL.sub("", text)):
        return "Write the pragma as a #pragma line."
    return None


def _check_target(target: str, known: set[str], folders: list[Path], private: set[str]) -> str | None:
    """Why a file may not be included; None when it may."""
    target = target.strip()
    plain = target.removeprefix("./")
    if target.startswith(("/", "~")) or "\\" in target or ":" in target:
        return "Only files of this exercise can be included, by their names: this is a path on the machine."
    if ".." in target.split("/"):
        return "Only files of this exercise can be included: a path with .. leads out of it."
    if plain in private:
        return f"{plain} belongs to the grader's own program, and your code does without it: remove this line."
    if plain in known or plain in STANDARD_HEADERS:
        return None
    if _PLAIN_TARGET.fullmatch(plain) and any(isfile(folder / plain) for folder in folders):
        return None
    return f"{target!r} cannot be included here: it is no file of this exercise and no header of the compiler."
