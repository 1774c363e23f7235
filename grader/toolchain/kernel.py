"""Compiles a kernel file to PTX."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence

from grader.sandbox import Limits
from grader.toolchain import contract, locate
from grader.toolchain.cache import Cache, key_of
from grader.toolchain.compile import COMPILE_LIMITS, ask_nvrtc
from grader.toolchain.diagnostics import bounded, first_error, parse_nvrtc
from grader.toolchain.lexer import Reading
from grader.toolchain.records import Compilation, Source
from grader.toolchain.screen import check_includes, read_files
from grader.toolchain.summary import summary
from grader.verdict import Diagnostic, State

_SCHEMA = 3  # raise it when the same input is compiled differently
_ENTRY = re.compile(r"^[ \t]*(?:\.visible\s+|\.weak\s+)*\.entry\s+([\w$]+)", re.M)
_NO_NVRTC = "No CUDA compiler was found: run `make course`, which installs one (no GPU is needed)."


def compile_kernel(
    source: Source, *, arch: str = "compute_80", options: Sequence[str] = (), limits: Limits = COMPILE_LIMITS
) -> Compilation:
    """Compile with NVRTC, ``-std=c++17 -lineinfo``, as ``cupy.RawModule`` would. Never raises for what is in
    the files.

    ``options`` are the exercise's, such as ``-DBLOCK=256``. A warning is given for each kernel that is not
    ``extern "C"``, since it has another name in the module.
    """
    readings, problems = _screen(source)
    if problems:
        return _failed(problems)
    if (nvrtc := locate.nvrtc()) is None:
        return Compilation(state=State.UNSUPPORTED_HERE, message=_NO_NVRTC)
    supplied = locate.supplied_include()
    flags = ["-std=c++17", "-lineinfo", f"-arch={arch}", *options]
    types = (supplied / "kernel_types.cuh").read_bytes()
    key = key_of(_SCHEMA, dict(source.files), source.main, flags, nvrtc.fingerprint(), types)
    cache = Cache("kernels")
    if kept := cache.get(key):
        facts, ptx = kept
        return _passed(facts["log"], ptx.decode(), source.main, readings, cached=True)
    files = {name: data.removeprefix(BOM_UTF8) for name, data in source.files.items()}  # NVRTC knows no mark
    reply = ask_nvrtc(
        "nvrtc", nvrtc, files, limits, main=source.main,
        options=[*flags, f"-I{nvrtc.include}", f"-I{supplied}"],
        hide=[f"{nvrtc.include}/", f"{supplied}/"],
    )  # fmt: skip
    if reply.state is not State.PASS:
        return Compilation(state=reply.state, log=reply.log, message=reply.message)
    if not reply.ok:
        return _refused(reply.result, reply.log, source)
    try:
        ptx = reply.blob.decode()
    except UnicodeDecodeError:
        return Compilation(state=State.GRADER_FAULT, log=reply.log, message="The compiler's PTX is not text.")
    if not _ENTRY.search(ptx):
        return _failed([Diagnostic(message=contract.NO_KERNEL, file=source.main, line=1)])
    cache.put(key, {"log": reply.log}, reply.blob)
    return _passed(reply.log, ptx, source.main, readings, cached=False)


def _screen(source: Source) -> tuple[dict[str, Reading], list[Diagnostic]]:
    """What can be told before the compiler runs."""
    data = source.files.get(source.main)
    if data is None:
        return {}, [Diagnostic(message="The file is missing: put it beside the notebook.", file=source.main)]
    if not data.removeprefix(BOM_UTF8).strip():
        return {}, [Diagnostic(message=contract.EMPTY, file=source.main, line=1)]
    readings, problems = read_files(source.files)
    if not problems:
        known = {*source.files, "kernel_types.cuh"}
        include = locate.cuda_include()
        problems = check_includes(readings, known, [include] if include else [], assembly=True)
    return readings, problems or contract.check_contract(readings, source.main)


def _refused(result: str, log: str, source: Source) -> Compilation:
    if result == "NVRTC_ERROR_OUT_OF_MEMORY":
        message = "The compiler ran out of memory. Look for a template, a macro or an array that grows without end."
        return Compilation(state=State.OUT_OF_MEMORY, log=log, message=message)
    diagnostics = parse_nvrtc(log, source.main, contract.advise_kernel)
    if result != "NVRTC_ERROR_COMPILATION" or first_error(diagnostics) is None:
        message = f"The compiler stopped without a message about the file: {result}."
        return Compilation(state=State.GRADER_FAULT, diagnostics=diagnostics, log=log, message=message)
    return _failed([_at_the_answer(diagnostic, log, source) for diagnostic in diagnostics], log)


def _at_the_answer(diagnostic: Diagnostic, log: str, source: Source) -> Diagnostic:
    """An error inside a header of the toolchain, told where the learner set it off, if the log says so."""
    if diagnostic.file in source.files or diagnostic.severity != "error":
        return diagnostic
    header = diagnostic.file.split("/")[0]
    for name, data in source.files.items():
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            if included := re.match(rf"\s*#\s*include\s*[<\"]({re.escape(header)}(?:\.h)?)[>\"]", line):
                message = f"<{included[1]}> cannot be used like this: in {diagnostic.file}, {diagnostic.message}"
                return Diagnostic(message=message, file=name, line=number)
    found = re.search(rf"at line (\d+)(?: of {re.escape(source.main)})?$", log, re.M)
    message = f"In the compiler's header {diagnostic.file}: {diagnostic.message}"
    return Diagnostic(message=message, file=source.main, line=int(found[1]) if found else None)


def _failed(diagnostics: Sequence[Diagnostic], log: str = "") -> Compilation:
    told = bounded(diagnostics)
    return Compilation(state=State.FAIL, diagnostics=told, log=log, message=summary(told))


def _passed(log: str, ptx: str, main: str, readings: Mapping[str, Reading], *, cached: bool) -> Compilation:
    warnings = parse_nvrtc(log, main, contract.advise_kernel)
    mangled = [name for name in _ENTRY.findall(ptx) if name.startswith("_Z")]
    warnings += tuple(_mangled_warning(name, main, readings) for name in mangled)
    return Compilation(state=State.PASS, ptx=ptx, diagnostics=warnings, log=log, cached=cached)


def _mangled_warning(mangled: str, main: str, readings: Mapping[str, Reading]) -> Diagnostic:
    """Name and line of a kernel whose name the compiler changed, as far as its mangled name tells."""
    name = _plain_name(mangled)
    file, line = main, None
    for file_name, reading in readings.items():
        tokens = reading.tokens
        after_global = False
        for token in tokens:
            after_global = (after_global or token.text == "__global__") and token.text not in ("{", ";")
            if after_global and token.text == name:
                file, line = file_name, token.line
                break
    message = f'The kernel {name} is not extern "C": the module knows it as {mangled} and not as {name}.'
    message += ' Write extern "C" before __global__.'
    return Diagnostic(message=message, severity="warning", file=file, line=line)


def _plain_name(mangled: str) -> str:
    """``gelu`` from ``_ZN2my4geluEPf``: each name has its length before it, outer scopes first."""
    position, name = 3 if mangled.startswith("_ZN") else 2, mangled
    while found := re.compile(r"L?(\d+)").match(mangled, position):
        position = found.end() + int(found[1])
        name = mangled[found.end() : position]
        if not mangled.startswith("_ZN"):
            break
    return name
