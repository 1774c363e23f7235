"""Mistakes on TensorRT's headers, and what g++ says of each: asked with the compiler and headers of the machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from grader.exercises.ch03_interface_families.browser import LACKING
from grader.exercises.ch03_interface_families.tables import Table
from grader.toolchain import Source, compile_host
from grader.toolchain.diagnostics import parse_gxx
from grader.toolchain.tensorrt import tensorrt_include
from grader.verdict import State

MAIN = {"main.cpp": b'#include "answer.h"\nint main() { return 0; }\n'}
QUIETER = ("-Wno-deprecated-declarations", "-Wno-unused-parameter")  # else -I fills the page with the headers' own


class Said:
    """What g++ said of a text: ``refused``, and (line, "error" or "warning", message) for each message about it."""

    def __init__(self, command: str, refused: bool, messages: list[tuple[int, str, str]], problem: str = ""):
        self.command, self.refused, self.messages, self.problem = command, refused, messages, problem

    def about(self, lines: range) -> str:
        """ "refused", "warned of" or "silent", for a part of the text."""
        said = {severity for line, severity, _ in self.messages if line in lines}
        return "refused" if "error" in said else "warned of" if said else "silent"

    def __repr__(self) -> str:
        if self.problem:
            return f"{self.command}\n  {self.problem}"
        told = [f"  line {line}: {severity}: {message}" for line, severity, message in self.messages]
        return "\n".join([self.command, *(told or ["  (nothing)"])])


def gxx(code: str, *flags: str, headers: str = "-isystem", folder: str | Path | None = None) -> Said:
    """Compile ``code``, a header that includes TensorRT's, with ``-std=c++17 -Wall -Wextra`` and ``flags``.

    ``headers``: how the compiler is told of TensorRT's folder, ``-isystem`` or ``-I``. ``folder``: another one than the
    course's, with headers of 8.6 or 11 say.
    """
    quieter = () if headers == "-isystem" else QUIETER
    shown = " ".join(["g++ -std=c++17 -Wall -Wextra", *flags, headers, "TensorRT"])
    shown += f" \\\n    {' '.join(quieter)}" if quieter else ""
    folder = folder or tensorrt_include()
    if folder is None:
        return Said(shown, False, [], LACKING)
    told = (headers, str(folder)) if headers == "-isystem" else (f"{headers}{folder}", *quieter)
    program = compile_host(Source({"answer.h": code.encode()}, "answer.h"), harness=MAIN, flags=(*flags, *told))
    if program.state not in (State.PASS, State.FAIL):
        return Said(shown, False, [], program.message)
    problem = "" if program.log or program.state is State.PASS else program.message
    return Said(shown, program.state is State.FAIL, _about_the_text(program.log), problem)


def _about_the_text(log: str) -> list[tuple[int, str, str]]:
    """The messages at the text's lines. A warning in a header whose note points at the text is one of them, and says
    where g++ put it."""
    found, warning = [], ""
    for one in parse_gxx(log):
        own = (one.file or "").startswith("answer/")
        if own and one.severity in ("error", "warning"):
            found.append((one.line or 0, one.severity, one.message))
        elif own and warning and one.message.strip().startswith("by "):
            found.append((one.line or 0, "warning", warning))
        if one.severity != "note":
            place = f"{PurePosixPath(one.file or '').name}:{one.line}"
            warning = "" if own else f"{one.message}\n    (g++ puts it at {place}, with a note about this line)"
    return found


@dataclass(frozen=True)
class Trap:
    name: str
    code: str  # the body of a class or function, one line
    base: str = "nvinfer1::IPluginV3OneBuild"  # "": a function


TRAPS = (
    Trap("the parameters of V2", "size_t getWorkspaceSize(nvinfer1::PluginTensorDesc const*, int32_t, "
         "nvinfer1::PluginTensorDesc const*, int32_t) const noexcept OVERRIDE { return 64; }"),
    Trap("a const too many", "int32_t getNbTactics() const noexcept OVERRIDE { return 2; }"),
    Trap("a letter in another case", "char const* getMetaDataString() noexcept OVERRIDE { return \"\"; }"),
    Trap("no noexcept", "int32_t getFormatCombinationLimit() OVERRIDE { return 8; }"),
    Trap("a pure method, misspelt", "int32_t getNbOutput() const noexcept OVERRIDE { return 1; }",
         "nvinfer1::IPluginV3OneBuild"),
    Trap("int const* from Dims::d", "int const* d = dims.d;", ""),
    Trap("the same with a cast", "int const* d = (int const*) dims.d;", ""),
    Trap("an extent kept in an int", "int d = dims.d[0];", ""),
)  # fmt: skip
COLUMNS = (  # what the table shows above the column, flags, how the headers are told of, whether override is written
    ("nothing more\n-isystem", (), "-isystem", False),
    ("-Woverloaded-virtual\n-isystem", ("-Woverloaded-virtual",), "-isystem", False),
    ("-Woverloaded-virtual\n-I", ("-Woverloaded-virtual",), "-I", False),
    ("-Wold-style-cast\n-Wconversion\n-isystem", ("-Wold-style-cast", "-Wconversion"), "-isystem", False),
    ("override\n-isystem", (), "-isystem", True),
)


def trap_table() -> Table:
    """Each trap under each set of flags: refused, warned of, or silent. One compilation for each column."""
    rows = [[f"{trap.name}\n{trap.code.replace(' OVERRIDE', '').replace('nvinfer1::', '')}"] for trap in TRAPS]
    problem = ""
    for _, flags, headers, override in COLUMNS:
        said = gxx(_all(override), *flags, headers=headers)
        problem = problem or said.problem
        for number, (trap, row) in enumerate(zip(TRAPS, rows, strict=True)):
            asked = trap.base or not override
            row.append(said.about(_lines(number)) if asked and not said.problem else "" if asked else "no method")
    return Table(("trap", *(name for name, *_ in COLUMNS)), rows, note=problem)


def _all(override: bool) -> str:
    """All traps in one text, each in five lines of its own: g++ goes on after an error."""
    parts = ["#pragma once", "#include <NvInferRuntime.h>"]
    for number, trap in enumerate(TRAPS):
        body = trap.code.replace("OVERRIDE", "override" if override else "")
        if trap.base:
            made = f"inline bool make{number}(nvinfer1::{trap.base.rpartition('::')[2]}* p) {{ return p; }}"
            if "pure" in trap.name:
                made = f"inline auto make{number}() {{ return new Trap{number}; }}"
            parts += [f"struct Trap{number} : {trap.base}", "{", body, "};", made]
        else:
            head = f"inline int64_t trap{number}(nvinfer1::Dims const& dims)"
            parts += [head, "{", body, "return int64_t(d != 0);", "}"]
    return "\n".join(parts) + "\n"


def _lines(number: int) -> range:
    return range(3 + 5 * number, 8 + 5 * number)
