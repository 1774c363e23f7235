"""Compiles kernel files and C++ sources to a shared library: a plugin as TensorRT would load it.

The library is what anyone else's build would make, with three choices that let it run on the simulated GPU: the CUDA
runtime is linked as a shared library, device code is PTX, and the PTX is not compressed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from grader.sandbox import Limits
from grader.toolchain import lessons, library_messages, locate
from grader.toolchain.cache import Cache, key_of, write_atomically
from grader.toolchain.compile import Reply, ask
from grader.toolchain.diagnostics import bounded
from grader.toolchain.lexer import Reading
from grader.toolchain.locate import Toolkit
from grader.toolchain.records import Library, Source
from grader.toolchain.screen import check_includes, read_files
from grader.toolchain.summary import summary
from grader.toolchain.tensorrt import headers_version, tensorrt_include
from grader.verdict import Diagnostic, State

LIBRARY_LIMITS = Limits(wall_seconds=60.0, memory_bytes=4 << 30, reply_bytes=256 << 20)

_SCHEMA = 3  # raise it when the same input is compiled differently
_KERNEL_SUFFIX = ".cu"
_UNIT_SUFFIXES = {_KERNEL_SUFFIX, ".cpp", ".cc", ".cxx"}
_COMMON = ("-std=c++17", "-O2", "-fPIC", "-g1")  # -g1: file and line of a crash, at a fraction of the size of -g
PLAIN = ("-fdiagnostics-color=never", "-fno-diagnostics-show-caret")
# Not -Wunused-parameter: a plugin has a dozen methods, and few need all that TensorRT hands them. Not
# -Wdeprecated-declarations (nvcc: 1444): TensorRT's headers use what they deprecate.
WARNINGS = (
    "-Wall", "-Wextra", "-Woverloaded-virtual", "-Wsuggest-override", "-Wno-unused-parameter",
    "-Wno-deprecated-declarations",
)  # fmt: skip
# A plugin may leave symbols open for TensorRT to fill. Others are a mistake, so the linker names all.
_LINK = ("-shared", "-pthread", "-Wl,-z,defs", "-Wl,--warn-unresolved-symbols")
NO_COMPILER = "No C++ compiler was found: install g++ (on Debian and Ubuntu: sudo apt install g++)."


def compile_library(
    source: Source, *, flags: Sequence[str] = (), kernel_flags: Sequence[str] = (), arch: str = "compute_80",
    strict: bool = True, limits: Limits = LIBRARY_LIMITS, headers: Path | None = None,
) -> Library:  # fmt: skip
    """Compile every ``.cu`` file with nvcc and every ``.cpp``, ``.cc`` and ``.cxx`` with g++, ``-std=c++17 -O2``,
    unless another file includes it, and link them. Never raises for what is in the files.

    All files may include each other by name, the C++ library, CUDA's and TensorRT's headers. ``flags`` are for both
    compilers, such as ``-DBLOCK=256``, ``kernel_flags`` for nvcc. ``arch``: "compute_80" for PTX, "sm_80" for
    machine code, which the simulated GPU cannot run. ``strict``: the warnings that name a defect of a plugin
    (a method that does not override, ...) fail the build; else they stay warnings. ``headers``: TensorRT's; None:
    those that are found.
    """
    include = headers or tensorrt_include()
    cuda = locate.toolkit()
    folders = [*(cuda.folders if cuda else []), *filter(None, [include])]
    readings, problems = _screen(source, folders)
    if missing := _missing(readings, include, cuda):
        return Library(state=State.UNSUPPORTED_HERE, message=missing)
    if problems:
        return _failed(problems)
    units = _units(readings)
    if not units:
        message = "There is nothing to compile: a library needs a .cpp or a .cu file."
        return _failed([Diagnostic(message=message, file=source.main)])
    plan = _Plan(source, readings, units, include, cuda, [*flags], [*kernel_flags], arch)
    cache = Cache("libraries")
    key = key_of(_SCHEMA, plan.keys, plan.link("objects"), cuda.fingerprint() if cuda else "")
    if kept := cache.get(key):
        facts, blob = kept
        return _judged(facts["log"], blob, key, cache, source, strict, cached=True)
    reply = plan.ask(limits)
    if reply.state is not State.PASS:
        return Library(state=reply.state, log=reply.log, message=reply.message)
    log, blob, hidden = plan.take(reply)
    if log is None:
        return Library(state=State.GRADER_FAULT, message="The compile process gave an answer that makes no sense.")
    if hidden:
        message = "Something in your files gives orders to the assembler: write it in plain C++."
        return _failed([Diagnostic(message=message, file=name) for name in hidden])
    if not reply.ok:
        state, diagnostics, message = library_messages.explain(log, source, strict=strict, failed=True)
        message = message or summary(diagnostics)
        return Library(state=state, diagnostics=diagnostics, log=log, message=message)
    cache.put(key, {"log": log}, blob)
    return _judged(log, blob, key, cache, source, strict, cached=False)


def commands(
    source: Source, where: Mapping[str, Path], output: Path, *, arch: str = "compute_80", headers: Path | None = None
) -> list[list[str]]:
    """The same build as commands for a shell: each unit to an object in the current folder, all of them to ``output``.
    ``where``: the path of each file. Empty where this machine lacks what it takes, or the files are refused."""
    include, cuda = headers or tensorrt_include(), locate.toolkit()
    readings, problems = _screen(source, [*(cuda.folders if cuda else []), *filter(None, [include])])
    if problems or _missing(readings, include, cuda):
        return []
    plan = _Plan(source, readings, _units(readings), include, cuda, [], [], arch)
    return plan.for_a_shell(where, output)


class _Plan:
    """How each unit is compiled, under which key its object is kept, and how all are linked."""

    def __init__(
        self, source: Source, readings: Mapping[str, Reading], units: Sequence[str], include: Path | None,
        cuda: Toolkit | None, flags: list[str], kernel_flags: list[str], arch: str,
    ):  # fmt: skip
        self._gxx, self._cuda, self._units, self._source = str(locate.gxx()), cuda, units, source
        self._reads = [*locate.installation(locate.gxx()), *filter(None, [include]), *(cuda.reads if cuda else [])]
        self._cache = Cache("objects")
        headers = [f"-I{include}"] if include else []  # not -isystem: g++ then no longer says what a method hides
        system = [part for folder in (cuda.folders if cuda else []) for part in ("-isystem", str(folder))]
        self._cpp = [self._gxx, *_COMMON, *PLAIN, *WARNINGS, "-I.", *headers, *system, *flags]
        packed = [] if any("compress" in flag for flag in kernel_flags) else ["--no-compress"]
        self._cu = [
            str(cuda and cuda.nvcc), "-std=c++17", "-O2", "-lineinfo", "-ccbin", self._gxx, "-Xcompiler", "-fPIC",
            "-diag-suppress=1444", "-I.", *headers, *_gencode(arch), *packed, *flags, *kernel_flags,
        ]  # fmt: skip
        compilers = [locate.gxx_fingerprint(Path(self._gxx)), cuda.fingerprint() if cuda else ""]
        stamp = [str(include), headers_version(include)] if include else []
        self.keys = [
            key_of(_SCHEMA, unit, _read_by(unit, readings, source.files), self._steps(unit, "unit"), compilers, stamp)
            for unit in units
        ]
        self._kept = [self._cache.get(key) for key in self.keys]

    def _steps(self, unit: str, name: object) -> list[list[str]]:
        """The commands that make the assembly ``../out/NAME.s`` of a unit."""
        assembly = ["-S", "-o", f"../out/{name}.s"]
        if PurePosixPath(unit).suffix != _KERNEL_SUFFIX:
            return [[*self._cpp, unit, *assembly]]
        host = [self._gxx, *_COMMON, *PLAIN, "-Wno-deprecated-declarations", "-Wsuggest-override"]
        made = f"../out/{name}.ii"  # the host's part in C++, which holds the device's as data
        return [[*self._cu, "-cuda", unit, "-o", made], [*host, "-x", "c++-cpp-output", made, *assembly]]

    def link(self, *objects: str) -> list[str]:
        runtime = self._cuda.runtime if self._cuda else None
        cudart = [f"-L{runtime.parent}", f"-l:{runtime.name}"] if runtime else []
        return [self._gxx, *PLAIN, *_LINK, *objects, *cudart, "-ldl", "-o", "../out/library"]

    def for_a_shell(self, where: Mapping[str, Path], output: Path) -> list[list[str]]:
        own = [f"-I{folder}" for folder in dict.fromkeys(path.parent for path in where.values())]
        found, objects = [], []
        for unit in self._units:
            made = Path(unit).with_suffix("").name
            for step in self._steps(unit, made):
                step = [each for part in step for each in (own if part == "-I." else [part])]
                step = [str(where[unit]) if part == unit else part.replace("../out/", "") for part in step]
                found.append([f"{made}.o" if part == f"{made}.s" else part for part in step if part != "-S"])
            found[-1].insert(1, "-c")
            objects.append(f"{made}.o")
        link = [str(output) if part == "../out/library" else part for part in self.link(*objects)]
        return [*found, link]

    def ask(self, limits: Limits) -> Reply:
        files = {f"answer/{name}": data for name, data in self._source.files.items()}
        files |= {f"out/{number}.o": kept[1] for number, kept in enumerate(self._kept) if kept}
        units = [
            {"number": number, "steps": self._steps(unit, number)}
            for number, unit in enumerate(self._units) if not self._kept[number]
        ]  # fmt: skip
        objects = [f"../out/{number}.o" for number in range(len(self._units))]
        assemble = [self._gxx, "-c"]
        link = self.link(*objects)
        return ask("library", files, limits, reads=self._reads, units=units, assemble=assemble, link=link)

    def take(self, reply: Reply) -> tuple[str | None, bytes, list[str]]:
        """The whole log, the library, the units that give orders to the assembler; objects go into the cache. The
        log is None where the answer makes no sense."""
        fresh = [number for number, kept in enumerate(self._kept) if not kept]
        told, blob = reply.facts.get("units"), reply.blob
        if not isinstance(told, list) or len(told) != len(fresh) or not all(map(_is_unit, told)):
            return None, b"", []
        logs = {number: kept[0]["log"] for number, kept in enumerate(self._kept) if kept}
        hidden, position = [], 0
        for number, unit in zip(fresh, told, strict=True):
            data = blob[position : position + unit["bytes"]]
            position += unit["bytes"]
            logs[number] = unit["log"]
            if unit["ok"]:
                self._cache.put(self.keys[number], {"log": unit["log"]}, data)
            elif unit["result"] == "assembly":
                hidden.append(self._units[number])
        return "".join(logs[number] for number in sorted(logs)) + reply.log, blob[position:], hidden


def _is_unit(unit) -> bool:
    return (
        isinstance(unit, dict) and isinstance(unit.get("ok"), bool) and isinstance(unit.get("log"), str)
        and isinstance(unit.get("bytes"), int) and unit["bytes"] >= 0
    )  # fmt: skip


def _gencode(arch: str) -> list[str]:
    return ["-gencode", f"arch={arch.replace('sm_', 'compute_')},code={arch}"]


def _screen(source: Source, folders: Sequence[Path]) -> tuple[dict[str, Reading], list[Diagnostic]]:
    if source.main not in source.files:
        return {}, [Diagnostic(message="The file is missing: put it beside the notebook.", file=source.main)]
    readings, problems = read_files(source.files)
    if not problems:
        device = {name for name in readings if PurePosixPath(name).suffix == _KERNEL_SUFFIX}
        for name in list(device):
            device |= _closure(name, readings)
        problems = check_includes(readings, source.files, folders, assembly=device)
        problems = [replace(one, message=lessons.foreign_header(one.message)) for one in problems]
    if not problems and not readings[source.main].tokens and not readings[source.main].directives:
        message = "The file is empty: write your answer in it."
        problems.append(Diagnostic(message=message, file=source.main, line=1))
    return readings, problems


def _missing(readings: Mapping[str, Reading], include: Path | None, cuda: Toolkit | None) -> str:
    """What this machine lacks to compile these files, in a sentence; "" when nothing."""
    if locate.gxx() is None:
        return NO_COMPILER
    targets = {target for reading in readings.values() for target in _targets(reading)}
    if include is None and any(target.startswith("NvInfer") for target in targets):
        return lacking("TensorRT's headers were")
    if any(PurePosixPath(name).suffix == _KERNEL_SUFFIX for name in readings) and not (cuda and cuda.nvcc):
        return lacking("nvcc was")
    return ""


def lacking(what: str) -> str:
    """The sentence about a part of the plugin lane that is not found: "nvcc was"."""
    from grader.toolchain import lane  # late: it looks at this environment's packages

    state = lane.state()
    return f"{what} not found. " + (f"Run `{lane.COMMAND}`." if state.ready else state.sentence)


def _targets(reading: Reading) -> set[str]:
    found = (directive.text.strip('"<>') for directive in reading.directives if directive.name == "include")
    return {target.removeprefix("./") for target in found}


def _closure(name: str, readings: Mapping[str, Reading]) -> set[str]:
    """The exercise's files that compiling ``name`` may read: itself, and all that could be meant by an include."""
    found, open_names = set(), {name}
    while open_names:
        name = open_names.pop()
        found.add(name)
        for target in _targets(readings[name]):
            open_names |= {other for other in readings if other == target or other.endswith(f"/{target}")} - found
    return found


def _read_by(unit: str, readings: Mapping[str, Reading], files: Mapping[str, bytes]) -> dict[str, bytes]:
    closure = _closure(unit, readings)
    asks = any("__has_" in directive.text for name in closure for directive in readings[name].directives)
    return dict(files) if asks else {name: files[name] for name in closure}


def _units(readings: Mapping[str, Reading]) -> list[str]:
    included: set[str] = set()
    for name in readings:
        included |= _closure(name, readings) - {name}
    return [name for name in sorted(readings) if PurePosixPath(name).suffix in _UNIT_SUFFIXES and name not in included]


def _failed(diagnostics: Iterable[Diagnostic]) -> Library:
    diagnostics = bounded(diagnostics)
    return Library(state=State.FAIL, diagnostics=diagnostics, message=summary(diagnostics))


def _judged(log: str, blob: bytes, key: str, cache: Cache, source: Source, strict: bool, *, cached: bool) -> Library:
    state, diagnostics, _ = library_messages.explain(log, source, strict=strict, failed=False)
    if state is not State.PASS:
        message = summary(diagnostics)
        return Library(state=state, diagnostics=diagnostics, log=log, message=message, cached=cached)
    path = kept_at(cache, key, blob)
    return Library(state=State.PASS, path=path, diagnostics=diagnostics, log=log, cached=cached)


def kept_at(cache: Cache, key: str, blob: bytes) -> Path:
    """The library as a file in the cache, or, where no cache can be written, in a folder of its own."""
    try:
        return cache.executable(key, blob, suffix=".so")
    except OSError:
        path = Path(tempfile.mkdtemp(prefix="grader-library-")) / "library.so"
        write_atomically(path, blob, mode=0o755)
        return path
