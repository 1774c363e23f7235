"""Which opcodes CUDA C++ compiles to, and which of them the simulated GPU refuses: ``REFUSED`` and no other.

``python tests/simulator/sweep.py [ARCH ...]`` compiles one kernel for each device function that the toolkit's
headers declare, and the kernels in ``sweep/``, and prints a line for each opcode: how often it stands in
the PTX of each architecture, and why it is refused, if it is.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from grader.simulator.build import build
from grader.simulator.decode.context import Context
from grader.simulator.decode.program import FunctionDecoder, Linker
from grader.simulator.native import Engine
from grader.simulator.ptx.errors import PtxError, Unsupported
from grader.simulator.ptx.model import Module
from grader.simulator.ptx.parse import parse
from grader.toolchain import locate
from grader.toolchain.kernel import compile_kernel
from grader.toolchain.records import Source
from grader.verdict.records import State

HERE = Path(__file__).parent
ARCHITECTURES = ("compute_75", "compute_80", "compute_90")

# Headers of the toolkit, and what a kernel includes to have their functions; NVRTC knows many by itself.
HEADERS = {
    "crt/math_functions.h": "",
    "crt/device_functions.h": "",
    "crt/device_double_functions.h": "",
    "device_atomic_functions.h": "",
    "sm_20_atomic_functions.h": "",
    "sm_20_intrinsics.h": "",
    "sm_30_intrinsics.h": "",
    "sm_32_atomic_functions.h": "",
    "sm_32_intrinsics.h": "",
    "sm_60_atomic_functions.h": "",
    "sm_61_intrinsics.h": "",
    "crt/sm_70_rt.h": "",
    "crt/sm_80_rt.h": "",
    "crt/sm_90_rt.h": "#include <cuda_fp16.h>",
    "cuda_fp16.h": "#include <cuda_fp16.h>",
    "cuda_bf16.h": "#include <cuda_bf16.h>",
    "cuda_fp8.h": "#include <cuda_fp8.h>",
}
# What stays refused, by name; "call" is that of malloc and free, "mov" that of %pm0.
REFUSED = frozenset("atom.b128 barrier.cluster brkpt call fence.cluster getctarank mapa mov".split())
_DECLARATION = re.compile(r"^(?:(?:extern|static) )?[ \t]*(?:__\w+)\s+([^;{}#()]*?)\b(\w+)\s*\(([^(){};]*)\)", re.M)
_MACRO = re.compile(r"\b(extern|static|inline|constexpr|_CRTIMP|__\w*(DECL|CRTIMP)\w*|__\w+__|__cdecl)\b")
_TYPE = re.compile(
    r"(const )?((unsigned |signed )?(void|bool|char|short|int|long long int|long long|long int|long|float|double)\b"
    r"|unsigned\b|u?(char|short|int|long|longlong)[1-4]|float[1-4]|double[1-4]|size_t|half2?\b|__half\w*|nv_bfloat162?|__nv_\w+)"
    r"( ?\* ?(const|__restrict__)*)?"
)


@dataclass(frozen=True)
class Declared:
    """A function of a header."""

    name: str
    result: str
    arguments: tuple[str, ...]

    def kernel(self, number: int) -> str:
        """One line: a kernel that calls the function on values from memory and stores its result."""
        def value(k: int, kind: str) -> str:
            if kind.endswith("*"):
                return f"({kind})(q + {64 * k})"
            return f"*({kind}*)(p + {64 * k})"

        call = f"{self.name}({', '.join(value(k, kind) for k, kind in enumerate(self.arguments))})"
        body = f"{call};" if self.result == "void" else f"*({self.result}*)(q + 1024) = {call};"
        return f'extern "C" __global__ void f{number}(char* p, char* q) {{ {body} }}'


def declared(header: str) -> list[Declared]:
    """The functions that a header of the toolkit declares, each signature once."""
    text = (locate.cuda_include() / header).read_text(errors="replace")
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    found: dict[Declared, None] = {}
    for match in _DECLARATION.finditer(text):
        result, name, arguments = _kind(match[1]), match[2], match[3]
        kinds = [_kind(a.split("=")[0]) for a in arguments.split(",")] if arguments.strip() not in ("", "void") else []
        if result and all(kinds) and "void" not in kinds:
            found[Declared(name, result.removeprefix("const "), tuple(kinds))] = None
    return list(found)


def _kind(text: str) -> str:
    """The type in a declaration of a result or a parameter; "" for one that the sweep has no values of."""
    text = " ".join(_MACRO.sub(" ", text).replace("*", " * ").split())
    found = _TYPE.match(text)
    if not found:
        return ""
    kind = re.sub(r"\* ?(const|__restrict__)", "*", found[0]).strip()
    return kind if "*" in kind or "*" not in text else ""


def family(opcode: str) -> str:
    """Under which name of ``REFUSED`` an opcode falls."""
    root, *words = opcode.split(".")
    special = next((word for word in ("b128", "cluster", "param") if word in words), "")
    return f"{root}.{special}" if special else root


@dataclass
class Sweep:
    """What came out: opcodes with their counts, and refusals with their reasons."""

    opcodes: Counter = field(default_factory=Counter)
    refused: dict[str, str] = field(default_factory=dict)
    functions: int = 0  # that compiled
    missing: list[str] = field(default_factory=list)  # that the compiler does not have for this architecture


def compile_lines(head: str, lines: list[str], arch: str, options: tuple[str, ...] = ()) -> tuple[str, list[str]]:
    """PTX of those lines that compile, and the lines that do not."""
    lost = []
    while True:
        text = head + "\n" + "\n".join(lines) + "\n"
        result = compile_kernel(Source(files={"sweep.cu": text.encode()}, main="sweep.cu"), arch=arch, options=options)
        if result.state is State.PASS:
            return result.ptx, lost
        first = head.count("\n") + 2
        wrong = {d.line - first for d in result.diagnostics if d.severity == "error" and d.line and d.line >= first}
        if not wrong:
            raise RuntimeError(result.message + result.log[:2000])
        lost += [lines[k] for k in wrong if k < len(lines)]
        lines = [line for k, line in enumerate(lines) if k not in wrong]
        if not lines:
            return "", lost


def examine(ptx: str, operations: dict[str, int], into: Sweep) -> None:
    """Decode every instruction on its own, so that one refusal does not hide the next."""
    module = parse(ptx)
    addresses = {v.name: 1 << 20 for v in module.variables.values() if v.space in ("global", "const")}
    for name, function in module.functions.items():
        linker = _linker(module, name, addresses, operations)
        decoder = FunctionDecoder(linker, function, 0)
        for instruction in function.body:
            into.opcodes[instruction.opcode] += 1
            try:
                Context(decoder, instruction, linker.operations).decode()
            except (Unsupported, PtxError) as problem:
                into.refused.setdefault(instruction.opcode, str(problem))


def _linker(module: Module, name: str, addresses: dict[str, int], operations: dict[str, int]) -> Linker:
    linker = Linker(module, name, addresses, operations)
    linker._place_static_shared()
    return linker


def sweep(arch: str, options: tuple[str, ...] = ()) -> Sweep:
    """Everything for one architecture."""
    operations = Engine(build()).operations
    result = Sweep()
    for header, include in HEADERS.items():
        lines = [function.kernel(k) for k, function in enumerate(declared(header))]
        if not lines:
            continue
        ptx, lost = compile_lines(include, lines, arch, options)
        result.functions += len(lines) - len(lost)
        result.missing += lost
        if ptx:
            examine(ptx, operations, result)
    for path in sorted((HERE / "sweep").glob("*.cu")):
        if int(re.search(r"// from compute_(\d+)", path.read_text())[1]) > int(arch[8:]):
            continue
        source = Source(files={path.name: path.read_bytes()}, main=path.name)
        compiled = compile_kernel(source, arch=arch, options=options)
        if compiled.state is not State.PASS:
            raise RuntimeError(f"{path.name} for {arch}: {compiled.message} {compiled.log[:3000]}")
        examine(compiled.ptx, operations, result)
    return result


def main(architectures: list[str]) -> None:
    counts: dict[str, dict[str, int]] = {}
    refused: dict[str, str] = {}
    for arch in architectures or ARCHITECTURES:
        for options in ((), ("--use_fast_math",)):
            found = sweep(arch, options)
            for opcode, count in found.opcodes.items():
                counts.setdefault(opcode, {})[arch] = counts.get(opcode, {}).get(arch, 0) + count
            refused.update(found.refused)
            print(arch, *options, f"{found.functions} functions, {len(found.missing)} not there, "
                  f"{len(found.opcodes)} opcodes, {len(found.refused)} refused", file=sys.stderr)  # fmt: skip
    for opcode in sorted(counts):
        print(opcode, *(f"{arch}:{count}" for arch, count in counts[opcode].items()), refused.get(opcode, ""))


if __name__ == "__main__":
    main(sys.argv[1:])
