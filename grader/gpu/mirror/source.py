"""From the source text of ``RawKernel`` and ``RawModule`` to PTX, through the course's own compile child."""

from __future__ import annotations

import os
import re
from pathlib import Path

from grader.gpu.mirror.errors import CompileException, CUDARuntimeError
from grader.toolchain import Source, compile_kernel, supplied_include
from grader.verdict import Diagnostic, State

_NAME = re.compile(r"\w[\w.+-]*")  # file names that the compile child takes
_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*[<\"]([\w.+-]+)[>\"]", re.M)
_STANDARD = ("-std=c++17", "--std=c++17")  # what the grader compiles with anyway
_CUPYS = ("-ftz=true",)  # CuPy 14 adds it to whatever NVRTC compiles: FP32 subnormals become 0
_HEADERS = (".h", ".hpp", ".cuh", ".inc", ".cu")
_LARGEST = 1 << 20  # bytes of a file that a kernel may include


def compile(code: str, options: tuple[str, ...] = ()) -> str:
    """PTX of ``code``. ``CompileException`` shows the line; ``CUDARuntimeError`` if there is no compiler here."""
    files, rest = prepare(code, options)
    result = compile_kernel(files, options=rest)
    if result.state is State.PASS and result.ptx is not None:
        return result.ptx
    if result.state is State.FAIL:
        message = describe(result.diagnostics, code, files.main) or result.message
        raise CompileException(message, code, files.main, options, diagnostics=result.diagnostics)
    raise CUDARuntimeError(801, result.message)


def prepare(code: str, options: tuple[str, ...] = ()) -> tuple[Source, tuple[str, ...]]:
    """What the compile child gets for ``code``: its files and options."""
    data = code.encode()
    folders, rest = _include_folders(options)
    name = _file_name(data)
    files = _included(data, {name: path for folder in reversed(folders) for name, path in _headers(folder).items()})
    return Source(files={**files, name: data}, main=name), (*rest, *_CUPYS)


def named(code: str) -> dict[str, str]:
    """The source by the name that messages, counters and traces give it."""
    return {_file_name(code.encode()): code}


def describe(diagnostics: tuple[Diagnostic, ...], code: str, name: str) -> str:
    """The compiler's messages, each with the line of ``code`` it is about and a mark under the column."""
    lines = code.splitlines()
    parts = []
    for diagnostic in diagnostics:
        file = diagnostic.file or name
        place = f"{file}({diagnostic.line}): " if diagnostic.line else ""
        part = f"{place}{diagnostic.severity}: {diagnostic.message}"
        if file == name and diagnostic.line and diagnostic.line <= len(lines):
            text = lines[diagnostic.line - 1]
            number = f"{diagnostic.line:>5} | "
            part += f"\n{number}{text.rstrip().expandtabs(4)}"
            if diagnostic.column:
                part += "\n" + " " * len(number + text[: diagnostic.column - 1].expandtabs(4)) + "^"
        parts.append(part)
    return "\n".join(parts)


def _include_folders(options: tuple[str, ...]) -> tuple[list[Path], tuple[str, ...]]:
    """Take the include folders out of the options: their files are handed to the compile child by content."""
    folders, rest, waiting = [], [], False
    for option in options:
        if waiting:
            folders.append(Path(option))
            waiting = False
        elif option in ("-I", "--include-path"):
            waiting = True
        elif option.startswith("-I"):
            folders.append(Path(option[2:]))
        elif option.startswith("--include-path="):
            folders.append(Path(option.split("=", 1)[1]))
        elif option not in _STANDARD:
            rest.append(option)
    return folders, tuple(rest)


def _headers(folder: Path) -> dict[str, Path]:
    """The files of a folder that a kernel can include. The compile child has the supplied headers already."""
    if not folder.is_dir() or folder == supplied_include():
        return {}
    found = (path for path in sorted(folder.iterdir()) if path.suffix in _HEADERS and _is_plain(path.name))
    return {path.name: path for path in found if path.is_file() and path.stat().st_size <= _LARGEST}


def _included(data: bytes, headers: dict[str, Path]) -> dict[str, bytes]:
    """The headers that a source includes, and those that they include in turn."""
    files: dict[str, bytes] = {}
    waiting = [data]
    while waiting:
        for name in map(bytes.decode, _INCLUDE.findall(waiting.pop())):
            if name in headers and name not in files:
                files[name] = headers[name].read_bytes()
                waiting.append(files[name])
    return files


def _file_name(data: bytes) -> str:
    """The name of the file in the working folder that holds this source, so that messages name it."""
    try:
        with os.scandir(".") as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if not entry.name.endswith((".cu", ".cuh")) or not _is_plain(entry.name):
                    continue
                if entry.is_file() and entry.stat().st_size == len(data):
                    if Path(entry.path).read_bytes() == data:
                        return entry.name
    except OSError:
        pass
    return "kernel.cu"


def _is_plain(name: str) -> bool:
    return _NAME.fullmatch(name) is not None
