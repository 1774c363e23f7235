"""Small damage to PTX text, and the modules that it is done to. Everything follows from the ``Random`` given."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

from opcode_cases import HEADER, cases

from grader.simulator.ptx.model import SIZES
from grader.toolchain.kernel import compile_kernel
from grader.toolchain.records import Source

ROOT = Path(__file__).resolve().parent.parent.parent
KERNELS = ("tests/simulator/kernels/*.cu", "solutions/**/*.cu")
ARCHITECTURES = ("compute_75", "compute_80", "compute_90")
NUMBERS = (
    0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 64, 255, 1000, 4096, 65535, 65536, 2**20, 2**31 - 1, 2**31, 2**32 - 1, 2**32,
    2**40, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**200, -1, -2, -4, -(2**31), -(2**63), -(2**64),
)  # fmt: skip
MODIFIERS = [f".{kind}" for kind in SIZES] + (
    ".sync .aligned .cta .gpu .sys .global .shared .local .param .const .rn .rz .rm .rp .rni .rzi .ftz .sat .approx"
    " .full .lo .hi .wide .cc .eq .ne .lt .ltu .nan .num .and .or .xor .v2 .v4 .volatile .relaxed .acquire .release .add"
    " .min .max .exch .cas .inc .popc .idx .up .down .bfly .ballot .any .all .uni .ca .cg .cs .nc .to .align .reg"
    " .maxntid .trans .x4 .row .col .m16n8k16 .m8n8 .commit_group .wait_group .l .r .wrap .clamp .red .arrive .warp .x .y .pred"
).split()

_TOKEN = re.compile(r'%?[\w$]+|\.\w+|"[^"\n]*"|[^\s\w]')
_NUMBER = re.compile(r"(?<![\w%$.])\d\w*")
_MODIFIER = re.compile(r"\.[A-Za-z]\w*")
_REGISTER = re.compile(r"%[a-z]+\d*(?:\.[xyz])?")
_LABEL = re.compile(r"\$\w+")
_LABEL_LINE = re.compile(r"^\s*\$\w+:")
_INSTRUCTION = re.compile(r"^\s*(?:@!?%\w+\s+)?[a-z]\w*[.\s;].*;\s*$")
_ADDRESS = re.compile(r"\[[^\]\n]*\]")
_ENTRY = re.compile(r"^(?:\.visible |\.weak )*\.entry .*?^\}\s*?$", re.M | re.S)


# ---- what is changed ----


@functools.cache
def modules(architectures: tuple[str, ...] = ARCHITECTURES) -> tuple[list[str], list[str]]:
    """(the opcode cases, modules of one kernel each from the repository's CUDA files)."""
    compiled = []
    for file in sorted(path for pattern in KERNELS for path in ROOT.glob(pattern)):
        for architecture in architectures:
            result = compile_kernel(Source(files={file.name: file.read_bytes()}, main=file.name), arch=architecture)
            if result.ptx is not None:
                compiled += one_kernel_each(result.ptx)
    return [HEADER + case.ptx() for case in cases()], compiled


def one_kernel_each(ptx: str) -> list[str]:
    """The module without all its kernels but one, for each of them."""
    entries = [found.span() for found in _ENTRY.finditer(ptx)]
    found = []
    for kept in entries:
        text = ptx
        for first, last in reversed(entries):
            if (first, last) != kept:
                text = text[:first] + text[last:]
        found.append(text)
    return found


def mutated(chance: Random, architectures: tuple[str, ...] = ARCHITECTURES) -> str:
    """A module with one to four changes; two of three are small ones."""
    small, large = modules(architectures)
    text = chance.choice(small if chance.random() < 0.67 else large)
    for _ in range(chance.choice((1, 1, 1, 1, 2, 2, 4))):
        if chance.random() < 0.1:
            text = chance.choice((a_token_of, lines_of))(text, chance.choice(chance.choice((small, large))), chance)
        else:
            text = chance.choice(CHANGES)(text, chance)
    return text


# ---- the changes ----

Change = Callable[[str, Random], str]
CHANGES: list[Change] = []


def change(function: Change) -> Change:
    CHANGES.append(function)
    return function


def often(function: Change) -> Change:
    """For changes that leave most modules readable: they reach the engine."""
    CHANGES.extend([function] * 3)
    return function


def _replaced(text: str, found: re.Match, by: str) -> str:
    return text[: found.start()] + by + text[found.end() :]


def _some(pattern: re.Pattern, text: str, chance: Random) -> re.Match | None:
    matches = list(pattern.finditer(text))
    return chance.choice(matches) if matches else None


def _one_by_another(pattern: re.Pattern, text: str, chance: Random) -> str:
    where, what = _some(pattern, text, chance), _some(pattern, text, chance)
    return _replaced(text, where, what.group()) if where and what else text


@change
def a_byte(text: str, chance: Random) -> str:
    at = chance.randrange(len(text) + 1)
    new = chance.choice(("", chr(chance.randrange(32, 127)), chr(chance.randrange(0x800)), "\n", "{", "}", '"', "/*"))
    return text[:at] + new + text[at + chance.randrange(2) :]


@change
def a_token_by_another(text: str, chance: Random) -> str:
    return _one_by_another(_TOKEN, text, chance)


@change
def two_tokens_swapped(text: str, chance: Random) -> str:
    one, other = _some(_TOKEN, text, chance), _some(_TOKEN, text, chance)
    if one is None or other is None or one.span() == other.span():
        return text
    first, last = sorted((one, other), key=lambda found: found.start())
    return _replaced(_replaced(text, last, first.group()), first, last.group())


@often
def a_register(text: str, chance: Random) -> str:
    return _one_by_another(_REGISTER, text, chance)


@often
def a_number(text: str, chance: Random) -> str:
    where = _some(_NUMBER, text, chance)
    return _replaced(text, where, str(chance.choice(NUMBERS))) if where else text


@often
def a_register_by_a_number(text: str, chance: Random) -> str:
    where = _some(_REGISTER, text, chance)
    whole = str(chance.choice(NUMBERS))
    floats = f"0f{chance.getrandbits(32):08X}", f"0d{chance.getrandbits(64):016X}"
    new = chance.choice((whole, *floats))
    return _replaced(text, where, new) if where else text


@often
def a_modifier(text: str, chance: Random) -> str:
    where = _some(_MODIFIER, text, chance)
    old = where.group() if where else ""
    new = chance.choice(("", old + old, old + chance.choice(MODIFIERS), *[chance.choice(MODIFIERS)] * 5))
    return _replaced(text, where, new) if where else text


@often
def an_offset(text: str, chance: Random) -> str:
    where = _some(_ADDRESS, text, chance)
    offset = chance.choice((chance.choice(NUMBERS), chance.getrandbits(chance.choice((4, 13, 32, 64)))))
    return text[: where.end() - 1] + f"+{offset}" + text[where.end() - 1 :] if where else text


@often
def a_guard(text: str, chance: Random) -> str:
    lines = text.split("\n")
    places = [k for k, line in enumerate(lines) if _INSTRUCTION.match(line)]
    if not places:
        return text
    at = chance.choice(places)
    register = _some(re.compile(r"%p\d+"), text, chance)
    guard = chance.choice(("", f"@{register.group() if register else '%p1'} ", "@!%p1 "))
    lines[at] = guard + re.sub(r"@!?%\w+\s+", "", lines[at])
    return "\n".join(lines)


@often
def a_branch_target(text: str, chance: Random) -> str:
    return _one_by_another(_LABEL, text, chance)


@often
def a_label_moved(text: str, chance: Random) -> str:
    lines = text.split("\n")
    labels = [k for k, line in enumerate(lines) if _LABEL_LINE.match(line)]
    if labels:
        label = lines.pop(chance.choice(labels))
        lines.insert(chance.randrange(len(lines) + 1), label)
    return "\n".join(lines)


@often
def a_branch_somewhere(text: str, chance: Random) -> str:
    """A label and a branch to it, backwards or forwards, under a predicate or none."""
    lines = text.split("\n")
    places = [k for k, line in enumerate(lines) if _INSTRUCTION.match(line)]
    if places:
        lines.insert(chance.choice(places), f"{chance.choice(('', '@%p1 ', '@!%p2 '))}bra $FUZZ;")
        lines.insert(chance.choice(places), "$FUZZ:")
    return "\n".join(lines)


@often
def a_line_deleted(text: str, chance: Random) -> str:
    lines = text.split("\n")
    del lines[chance.randrange(len(lines))]
    return "\n".join(lines)


@change
def a_line_repeated(text: str, chance: Random) -> str:
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    lines[at:at] = [lines[at]] * chance.choice((1, 1, 2, 10, 300))
    return "\n".join(lines)


@often
def two_lines_swapped(text: str, chance: Random) -> str:
    lines = text.split("\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return "\n".join(lines)


@change
def an_extent(text: str, chance: Random) -> str:
    """Of an array, a list of registers, or an alignment."""
    where = _some(re.compile(r"(?<=\[)\d+(?=\])|(?<=<)\d+(?=>)|(?<=\.align )\d+"), text, chance)
    return _replaced(text, where, str(chance.choice(NUMBERS))) if where else text


@often
def a_variable(text: str, chance: Random) -> str:
    """A declaration, and an instruction that takes its address or goes to its memory."""
    space = chance.choice((".global", ".const", ".shared", ".local", ".param"))
    lines = text.split("\n")
    inside = [k for k, line in enumerate(lines) if _INSTRUCTION.match(line)]
    if inside:
        at = chance.choice(inside)
        use = chance.choice(("ld", "st", "atom.add", "red.add", "mov"))
        what = {"ld": "%t1, [fuzzed]", "st": "[fuzzed], %t1", "red.add": "[fuzzed], %t1", "mov": "%q1, fuzzed"}
        operands = what.get(use, "%t1, [fuzzed], %t2")
        kind = ".u64" if use == "mov" else chance.choice((".u32", ".b32", ".v2.b32", ".f32"))
        lines.insert(at, f"{use}{'' if use == 'mov' else chance.choice(('', space))}{kind} {operands};")
        at = chance.choice((0, at, 5))
        lines.insert(at, f"{space} .align {chance.choice((1, 4, 16))} .b8 fuzzed[{chance.choice((4, 8, 64, 49152))}];")
    return "\n".join(lines)


@change
def nested(text: str, chance: Random) -> str:
    """Many braces around a statement, or an operand inside many brackets."""
    depth = chance.choice((1, 3, 50, 2000))
    if chance.random() < 0.5:
        lines = text.split("\n")
        at = chance.randrange(len(lines))
        lines[at] = "{" * depth + lines[at] + "}" * depth
        return "\n".join(lines)
    where = _some(_REGISTER, text, chance)
    one, other = chance.choice(("{}", "()", "[]"))
    return _replaced(text, where, one * depth + where.group() + other * depth) if where else text


@change
def the_end_cut_off(text: str, chance: Random) -> str:
    return text[: chance.randrange(len(text) + 1)] if chance.random() < 0.2 else a_line_deleted(text, chance)


# ---- pieces of another module ----


def a_token_of(text: str, other: str, chance: Random) -> str:
    where, what = _some(_TOKEN, text, chance), _some(_TOKEN, other, chance)
    return _replaced(text, where, what.group()) if where and what else text


def lines_of(text: str, other: str, chance: Random) -> str:
    lines, others = text.split("\n"), other.split("\n")
    at, start = chance.randrange(len(lines) + 1), chance.randrange(len(others))
    lines[at:at] = others[start : start + chance.choice((1, 1, 3, 10))]
    return "\n".join(lines)
