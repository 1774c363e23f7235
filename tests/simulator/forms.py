"""Opcodes with modifiers in every combination, right and wrong, each with operands that would fit.

``python tests/simulator/forms.py`` says which of them the simulated GPU takes and ``ptxas`` refuses, or the
other way round (for sm_90, and for sm_100a what is newer), and writes ``accepted_opcodes.txt``. It needs ptxas.
"""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from grader.simulator.build import build
from grader.simulator.decode.context import Context
from grader.simulator.decode.program import FunctionDecoder, Linker
from grader.simulator.native import Engine
from grader.simulator.ptx.errors import PtxError, Unsupported
from grader.simulator.ptx.parse import parse

HERE = Path(__file__).parent
INTEGERS = ("u16", "s16", "u32", "s32", "u64", "s64")
BITS = ("b16", "b32", "b64")
FLOATS = ("f32", "f64", "f16", "f16x2", "bf16", "bf16x2")
PACKED = ("u16x2", "s16x2", "f32x2")
TYPES = (*INTEGERS, *BITS, *FLOATS, *PACKED, "pred", "u8", "s8", "b8", "b128", "tf32", "e4m3x2", "e5m2x2")
PLAIN = (*INTEGERS, *BITS, *FLOATS, "pred")
CONVERTED = (*INTEGERS, *FLOATS, "u8", "s8", "b32", "tf32", "e4m3x2", "e5m2x2")
ROUNDINGS = ("", "rn", "rz", "rm", "rp")
TESTS = ("eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num",
         "nan")


def flag(*words: str) -> tuple[str, ...]:
    return ("", *words)


# For each group of roots: how many operands, and the classes of modifiers in the order of the ISA.
ARITHMETIC = (
    (("add", "sub"), 3, (ROUNDINGS, flag("cc"), flag("ftz"), flag("sat"), flag("relu"), TYPES)),
    (("addc", "subc"), 3, (flag("cc"), flag("sat"), PLAIN)),
    (("mul",), 3, (flag("lo", "hi", "wide"), ROUNDINGS, flag("ftz"), flag("sat"), flag("relu"), TYPES)),
    (("mad", "madc"), 4, (flag("lo", "hi", "wide"), ROUNDINGS, flag("cc"), flag("ftz"), flag("sat"), TYPES)),
    (("fma",), 4, (ROUNDINGS, flag("ftz"), flag("sat"), flag("oob"), flag("relu"), TYPES)),
    (("mul24",), 3, (flag("lo", "hi", "wide"), flag("sat"), PLAIN)),
    (("mad24",), 4, (flag("lo", "hi", "wide"), flag("sat"), PLAIN)),
    (("div", "rem"), 3, (flag("approx", "full", *ROUNDINGS[1:]), flag("ftz"), flag("sat"), PLAIN)),
    (("rcp", "sqrt", "rsqrt"), 2, (flag("approx", *ROUNDINGS[1:]), flag("ftz"), PLAIN)),
    (("sin", "cos", "lg2", "ex2", "tanh"), 2, (flag("approx"), flag("ftz"), PLAIN)),
    (("min", "max"), 3, (flag("ftz"), flag("NaN"), flag("xorsign.abs"), flag("relu"), TYPES)),
    (("abs", "neg"), 2, (flag("ftz"), flag("sat"), TYPES)),
    (("sad",), 4, (PLAIN,)),
    (("and", "or", "xor"), 3, (PLAIN,)),
    (("not", "cnot", "popc", "clz", "brev"), 2, (PLAIN,)),
    (("shl", "shr"), 3, (PLAIN,)),
    (("shf",), 4, (flag("l", "r"), flag("wrap", "clamp"), PLAIN)),
    (("bfind",), 2, (flag("shiftamt"), PLAIN)),
    (("bfe",), 4, (PLAIN,)),
    (("bfi",), 5, (PLAIN,)),
    (("szext", "bmsk"), 3, (flag("wrap", "clamp"), PLAIN)),
    (("fns",), 4, (PLAIN,)),
    (("prmt",), 4, (PLAIN, flag("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"))),
    (("dp4a",), 4, (PLAIN, PLAIN)),
    (("dp2a",), 4, (flag("lo", "hi"), PLAIN, PLAIN)),
    (("copysign",), 3, (PLAIN,)),
    (("testp",), 2, (flag("finite", "infinite", "number", "notanumber", "normal", "subnormal"), flag("ftz"), PLAIN)),
    (("mov",), 2, (TYPES,)),
    (("selp",), 4, (PLAIN,)),
    (("slct",), 4, (flag("ftz"), PLAIN, PLAIN)),
    (("setp",), 3, (TESTS, flag("ftz"), TYPES)),
    (("setp",), 4, (TESTS[:3], flag("and", "or", "xor"), flag("ftz"), TYPES)),
    (("set",), 3, (("lt", "eq", "num"), flag("ftz"), TYPES, TYPES)),
    (("set",), 4, (("lt", "eq", "hi"), ("and", "or", "xor"), flag("ftz"), TYPES, TYPES)),
    (("cvt",), 2, (("", "rn", "rz", "rm", "rp", "rni", "rzi", "rna", "rmi"), flag("relu"), flag("satfinite"),
                   flag("ftz"), flag("sat"), CONVERTED, CONVERTED)),
    (("cvt",), 3, (("", "rn", "rz", "rm", "rna"), flag("satfinite"), flag("relu"), flag("ftz"), flag("sat"),
                   CONVERTED, CONVERTED)),
    (("cvt.pack",), 3, (flag("sat"), ("u16", "s16", "u8", "u32"), PLAIN)),
    (("cvt.pack",), 4, (flag("sat"), ("u2", "s2", "u4", "s4", "u8", "s8", "u16", "u32"), ("s32", "u32"), BITS)),
)  # fmt: skip
MEMORY = (
    (("ld", "st", "ldu"), (flag("weak", "volatile", "relaxed", "acquire", "release"), flag("sys"),
                            flag("global", "shared", "local", "const"), flag("nc"), flag("ca", "wt"),
                            flag("L1::evict_last"), flag("L2::cache_hint"), flag("L2::128B"), ("b32",))),
    (("ld", "st"), (flag("global"), flag("v2", "v4"), TYPES)),
    (("atom", "red"), (flag("relaxed", "acquire", "release", "acq_rel", "volatile"), flag("gpu"),
                       flag("global", "shared", "local"), ("add", "min", "and", "exch", "cas", "inc"), flag("noftz"),
                       flag("v2"), (*PLAIN, "b128"))),
    (("atom", "red"), (("add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"), flag("noftz"),
                       flag("v4"), (*PLAIN, "b128"))),
    (("atom.global", "red.global"), (("add", "max", "or"), flag("noftz"), ("v2", "v4", "v8"), FLOATS)),
)  # fmt: skip
VIDEO = (
    (("vadd", "vsub", "vabsdiff", "vmin", "vmax"), 3, (("u32", "s32"),) * 3 + (flag("sat"),)),
    (("vadd", "vabsdiff"), 4, (("u32", "s32"),) * 3 + (flag("sat"), ("add", "min", "max", "sub"))),
    (("vset",), 3, (("u32", "s32"), ("u32", "s32"), TESTS)),
    (("vshl", "vshr"), 3, (("u32", "s32"),) * 3 + (flag("sat"), flag("clamp", "wrap"))),
    (("vmad",), 4, (("u32", "s32"),) * 3 + (flag("sat"), flag("po"), flag("shr7", "shr15"))),
    (tuple(f"{v}{n}" for v in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax") for n in "24"), 4,
     (("u32", "s32"),) * 3 + (flag("sat"), flag("add"))),
    (("vset2", "vset4"), 4, (("u32", "s32"), ("u32", "s32"), TESTS, flag("add"))),
    (("vote.sync",), 3, (("all", "any", "uni", "ballot"), PLAIN)),
    (("match",), 3, (("any", "all"), flag("sync"), PLAIN)),
    (("redux",), 3, (flag("sync"), ("add", "min", "max", "and", "or", "xor"), PLAIN)),
    (("shfl",), 5, (flag("sync"), ("idx", "up", "down", "bfly"), PLAIN)),
    (("lop3",), 6, (flag("and", "or", "xor"), PLAIN)),
)  # fmt: skip

_WIDTH = {"pred": "p", "b128": "q", "u8": "h", "s8": "h", "b8": "h", "tf32": "r", "e4m3x2": "h", "e5m2x2": "h"}
REGISTERS = (
    ".reg .b16 %h<20>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .pred %p<20>; .reg .b128 %q<20>;"
)


def register(kind: str, number: int) -> str:
    letter = _WIDTH.get(kind) or {"16": "h", "32": "r", "64": "d", "x2": "r"}[kind[-2:]]
    return f"%{'d' if kind == 'f32x2' else letter}{number}"


def forms() -> Iterator[str]:
    """Instructions as text."""
    for roots, count, classes in (*ARITHMETIC, *VIDEO):
        for root in roots:
            for words in itertools.product(*classes):
                if root == "cvt" and sum(map(bool, words[1:-2])) > 2:
                    continue
                opcode = ".".join(filter(None, (root, *words)))
                yield f"{opcode} {', '.join(_operands(root, count, [w for w in words if w in TYPES], words))};"
    for roots, classes in MEMORY:
        for root in roots:
            for words in itertools.product(*classes):
                yield _access(root, words)


def _operands(root: str, count: int, kinds: list[str], words: tuple[str, ...]) -> list[str]:
    kind = kinds[0] if kinds else "b32"
    last = kinds[-1] if kinds else "b32"
    if root in ("set",):
        extra = [register("pred", 1)] if count == 4 else []
        return [register(kind, 0), register(last, 1), register(last, 2), *extra]
    if root == "setp":
        pair = "%p0|%p2" if kind.endswith("x2") else "%p0"
        return [pair, register(kind, 1), register(kind, 2), *(["%p1"] if count == 4 else [])]
    if root == "cvt":
        return [register(kind, 0), *(register(last, k) for k in range(1, count))]
    if root.startswith(("cvt", "v")) and root not in ("vote.sync",):
        return [register("b32", k) for k in range(count)]
    if root == "vote.sync":
        return [register(kind, 0), "%p1", "%r1"]
    if root == "match":
        return ["%r0", register(kind, 1), "%r2"]
    if root in ("redux",):
        return [register(kind, 0), register(kind, 1), "%r2"]
    if root == "shfl":
        return [register(kind, 0), register(kind, 1), "%r1", "%r2", "%r3"]
    if root == "lop3":
        plain = [register(kind, k) for k in (1, 2, 3)]
        return [f"{register(kind, 0)}|%p1", *plain, "0x33", "%p2"] if words[0] else [register(kind, 0), *plain, "0x33"]
    if root == "slct":
        return [register(kind, 0), register(kind, 1), register(kind, 2), register(last, 3)]
    if root == "selp":
        return [register(kind, 0), register(kind, 1), register(kind, 2), "%p1"]
    if root == "testp":
        return ["%p0", register(kind, 1)]
    if root in ("shl", "shr"):
        return [register(kind, 0), register(kind, 1), "%r2"]
    if root in ("popc", "clz", "bfind"):
        return ["%r0", register(kind, 1)]
    if root in ("bfe", "bfi"):
        front = [register(kind, k) for k in range(count - 2)]
        return [*front, "%r1", "%r2"]
    if root in ("dp4a", "dp2a"):
        return [register(kind, 0), register(kind, 1), register(last, 2), register(kind, 3)]
    if "wide" in words and kind[1:] in ("16", "32"):
        wide = {"16": "b32", "32": "b64"}[kind[1:]]
        return [register(wide, 0), *(register(kind, k) for k in (1, 2)), *([register(wide, 3)] if count == 4 else [])]
    return [register(kind, k) for k in range(count)]


def _access(root: str, words: tuple[str, ...]) -> str:
    kind = words[-1]
    vector = next((int(w[1]) for w in words if w in ("v2", "v4", "v8")), 1)
    opcode = ".".join(filter(None, (root, *words)))
    hint = ", %d5" if "L2::cache_hint" in words else ""

    def value(first: int) -> str:
        names = [register(kind, first + k) for k in range(vector)]
        return names[0] if vector == 1 else "{" + ", ".join(names) + "}"

    address = "[%d19]"
    if root[:2] in ("ld", "st"):
        operands = (address, value(0)) if root == "st" else (value(0), address)
    else:
        swap = (value(18),) if "cas" in words else ()
        operands = (address, value(8), *swap) if root.startswith("red") else (value(0), address, value(8), *swap)
    return f"{opcode} {', '.join(operands)}{hint};"


def opcode_of(form: str) -> str:
    return form.split(" ")[0]


class Taker:
    """Whether the decoder takes an instruction."""

    def __init__(self) -> None:
        self.operations = Engine(build()).operations

    def why_not(self, forms: list[str]) -> list[Exception | None]:
        """For each form what speaks against it."""
        head = f".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() {{ {REGISTERS}\n"
        module = parse(head + "\n".join(forms) + "\nret; }")
        function = module.functions["k"]
        linker = Linker(module, "k", {}, self.operations)
        decoder = FunctionDecoder(linker, function, 0)
        found: list[Exception | None] = [None] * len(forms)
        for instruction in function.body[:-1]:
            try:
                Context(decoder, instruction, self.operations).decode()
            except (PtxError, Unsupported) as problem:
                found[instruction.ptx_line - 1 - head.count("\n")] = problem
        return found


def assembled(forms: list[str], arch: str) -> list[str | None]:
    """For each form what ptxas says against it."""
    head = f".version 9.0\n.target {arch}\n.address_size 64\n.visible .entry k() {{ {REGISTERS}\n"
    wrong: dict[int, str] = {}
    live = list(range(len(forms)))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "forms.ptx"
        while live:
            source.write_text(head + "\n".join(forms[k] for k in live) + "\nret; }\n")
            done = subprocess.run(
                ["ptxas", "-arch", arch, "-O0", str(source), "-o", "/dev/null"],
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            if done.returncode == 0:
                break
            found = {}
            for line, message in re.findall(r"line (\d+);\s*(?:error|fatal)\s*:\s*(.*)", done.stderr):
                if 0 <= (k := int(line) - head.count("\n") - 1) < len(live):
                    found.setdefault(k, message)
            if not found:
                raise RuntimeError(done.stderr[:2000])
            wrong |= {live[k]: message for k, message in found.items()}
            live = [number for k, number in enumerate(live) if k not in found]
    return [wrong.get(k) for k in range(len(forms))]


def main() -> None:
    every = list(dict.fromkeys(forms()))
    ours = Taker().why_not(every)
    theirs, newest = assembled(every, "sm_90"), assembled(every, "sm_100a")
    accepted = sorted({opcode_of(form) for form, problem in zip(every, ours, strict=True) if problem is None})
    (HERE / "accepted_opcodes.txt").write_text("\n".join(accepted) + "\n")
    for form, mine, old, new in zip(every, ours, theirs, newest, strict=True):
        if mine is None and old is not None:
            print("ptxas refuses", form, old)
        if mine is not None and old is None:
            print("not taken", form, mine)
        if old is not None and new is None and not isinstance(mine, Unsupported):
            print("newer", form, mine)
    print(len(every), "forms,", len(accepted), "opcodes taken", file=sys.stderr)


if __name__ == "__main__":
    main()
