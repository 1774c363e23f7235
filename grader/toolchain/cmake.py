"""Builds a plugin library by the ``CMakeLists.txt`` that comes with it, as its author would.

The same file works unchanged here, with CUDA from wheels and TensorRT's headers alone, and on a machine with CUDA and
TensorRT installed. Its author's commands run in a child of their own; this process takes the library and keeps it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from grader.sandbox import Limits
from grader.toolchain import library_messages, locate
from grader.toolchain.cache import Cache, key_of
from grader.toolchain.compile import ask
from grader.toolchain.levels import reach
from grader.toolchain.library import NO_COMPILER, PLAIN, WARNINGS, kept_at, lacking
from grader.toolchain.records import Library, Source
from grader.toolchain.summary import summary
from grader.toolchain.tensorrt import headers_version, tensorrt_include
from grader.verdict import Diagnostic, State

CMAKE_LIMITS = Limits(wall_seconds=180.0, memory_bytes=4 << 30, processes=128, reply_bytes=256 << 20)

_SCHEMA = 1  # raise it when the same input is built differently
_MAIN = "CMakeLists.txt"
# Bounded throughout: whoever wrote the project can print what looks so, as long as they like.
_ERROR = re.compile(
    r"^CMake (?P<severity>Error|Warning)[^\n]{0,60}? at (?P<file>[^\n:]{1,300}):(?P<line>\d{1,9})\b[^\n]{0,300}:\n"
    r"(?P<text>(?:  [^\n]*\n|\n)+)|^CMake Error: (?P<bare>[^\n]+)",
    re.M,
)


def build_library(
    files: Mapping[str, bytes], *, target: str | None = None, strict: bool = True, limits: Limits = CMAKE_LIMITS
) -> Library:
    """Configure and build the project in ``files``, whose ``CMakeLists.txt`` is at the top, and keep the shared
    library that ``target`` makes, or the only one.

    Lessons and ``strict`` are as in ``compile_library``. A library whose kernels the simulated GPU cannot run gets a
    warning with the way to build it. Never raises for what is in the files.
    """
    source = Source(files, _MAIN)
    cuda, include, cxx, cmake = locate.toolkit(), tensorrt_include(), locate.gxx(), locate.cmake()
    if _MAIN not in files:
        return _failed("The project has no CMakeLists.txt at its top.")
    languages = b"CUDA" in files[_MAIN] or any(name.endswith(".cu") for name in files)
    if cxx is None:
        return Library(state=State.UNSUPPORTED_HERE, message=NO_COMPILER)
    for lacks, what in (
        (cmake is None, "CMake was"), (include is None, "TensorRT's headers were"),
        (languages and not (cuda and cuda.nvcc and cuda.runtime), "nvcc was"),
    ):  # fmt: skip
        if lacks:
            return Library(state=State.UNSUPPORTED_HERE, message=lacking(what))
    nvcc = cuda if cuda and cuda.nvcc and cuda.runtime else None
    request = {
        "cmake": str(cmake), "ninja": _text(locate.ninja()), "cxx": str(cxx), "headers": _text(include),
        "nvcc": _text(nvcc and nvcc.nvcc), "include": _text(nvcc and nvcc.include),
        "runtime": _text(nvcc and nvcc.runtime), "target": target, "warnings": ["-g1", *PLAIN, *WARNINGS],
    }  # fmt: skip
    stamps = [locate.stamp(cmake), locate.gxx_fingerprint(cxx), cuda.fingerprint() if cuda else ""]
    key = key_of(_SCHEMA, dict(files), request, stamps, headers_version(include))
    cache = Cache("libraries")
    if kept := cache.get(key):
        facts, blob = kept
        return _judged(facts["log"], kept_at(cache, key, blob), source, strict, cached=True)
    reads = [*locate.installation(cmake, cxx, locate.ninja()), *filter(None, [include]), *(cuda.reads if nvcc else [])]
    reply = ask("cmake", files, limits, module="grader.toolchain.cmake_child", reads=reads, **request)
    if reply.state is not State.PASS:
        return Library(state=reply.state, log=reply.log, message=reply.message)
    if reply.ok:
        cache.put(key, {"log": reply.log}, reply.blob)
        return _judged(reply.log, kept_at(cache, key, reply.blob), source, strict, cached=False)
    if reply.result == "target":
        return _failed(_which(target, reply.facts.get("names")), reply.log)
    if reply.result == "cmake":
        message = "CMake is not installed whole: install it anew."
        return Library(state=State.UNSUPPORTED_HERE, log=reply.log, message=message)
    if reply.result == "files":
        return _failed("CMake does not tell what the project makes, or the library cannot be read.", reply.log)
    told = _cmake_messages(reply.log, files)
    if any(one.severity == "error" for one in told):
        return Library(state=State.FAIL, diagnostics=told, log=reply.log, message=summary(told))
    state, diagnostics, message = library_messages.explain(reply.log, source, strict=strict, failed=True)
    if state is State.GRADER_FAULT:  # the author's own commands failed: no fault of anyone's else
        return _failed(f"The build fails: {' '.join(reply.log.split()[-40:])}", reply.log)
    return Library(state=state, diagnostics=diagnostics, log=reply.log, message=message or summary(diagnostics))


def _judged(log: str, path: Path, source: Source, strict: bool, *, cached: bool) -> Library:
    state, diagnostics, _ = library_messages.explain(log, source, strict=strict, failed=False)
    if state is not State.PASS:
        return Library(state=state, diagnostics=diagnostics, log=log, message=summary(diagnostics), cached=cached)
    found = reach(path)
    if found.level != "L1":
        message = f"{found.reason} {found.rebuild}"
        diagnostics = (Diagnostic(message=message, severity="warning", file=_MAIN), *diagnostics)
    return Library(state=State.PASS, path=path, diagnostics=diagnostics, log=log, cached=cached)


def _cmake_messages(log: str, files: Mapping[str, bytes]) -> tuple[Diagnostic, ...]:
    """What CMake itself says, at the line of the author's file."""
    found = []
    for match in _ERROR.finditer(log):
        text = match["text"] or match["bare"]
        first = next((part for part in re.split(r"\n\s*\n", text) if part.strip()), text)
        file = (match["file"] or _MAIN).removeprefix("project/")
        known = file in files
        severity = "warning" if match["severity"] == "Warning" else "error"
        line = int(match["line"]) if match["line"] and known else None
        message = f"CMake says: {' '.join(first.split())}"
        found.append(Diagnostic(message=message, severity=severity, file=file if known else _MAIN, line=line))
    return tuple(dict.fromkeys(found))


def _which(target: str | None, names) -> str:
    names = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    if not names:
        return "The project makes no shared library: write add_library(NAME SHARED ...)."
    held = ", ".join(names)
    if target:
        return f"The project makes no shared library {target}; it makes {held}."
    return f"The project makes several shared libraries ({held}): say which one is the plugin library."


def _text(path: Path | None) -> str | None:
    return str(path) if path else None


def _failed(message: str, log: str = "") -> Library:
    diagnostics = (Diagnostic(message=message, file=_MAIN),)
    return Library(state=State.FAIL, diagnostics=diagnostics, log=log, message=summary(diagnostics))
