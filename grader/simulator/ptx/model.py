"""What the parser makes of PTX text: a module, its functions, their instructions."""

from __future__ import annotations

from dataclasses import dataclass, field

# Bytes of each fundamental type. A predicate has no size in memory.
SIZES = {
    "pred": 0, "b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "bf16": 2,
    "b32": 4, "u32": 4, "s32": 4, "f32": 4, "f16x2": 4, "bf16x2": 4,
    "b64": 8, "u64": 8, "s64": 8, "f64": 8, "b128": 16,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Location:
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Name:
    """A register, a variable, a label or a function; ``negated`` for ``!p``, ``minus`` for ``-%r``."""

    name: str
    negated: bool = False
    minus: bool = False


@dataclass(frozen=True, slots=True)
class Immediate:
    """A constant. ``kind`` is "int" (``value`` is the number), "f32" or "f64" (``value`` is its bits)."""

    kind: str
    value: int


@dataclass(frozen=True, slots=True)
class Address:
    """``[base + offset]``; ``base`` is None for an absolute address."""

    base: str | None
    offset: int


@dataclass(frozen=True, slots=True)
class Sum:
    """``variable + offset`` as a value."""

    name: str
    offset: int


@dataclass(frozen=True, slots=True)
class Group:
    """``{a, b}`` or ``(a, b)``."""

    items: tuple


@dataclass(frozen=True, slots=True)
class Pair:
    """``p|q``; either may be None for ``_``."""

    first: str
    second: str


Operand = Name | Immediate | Address | Sum | Group | Pair


@dataclass(slots=True)
class Instruction:
    opcode: str  # with its modifiers: "ld.global.nc.v4.f32"
    operands: list[Operand]
    guard: str | None
    guard_negated: bool
    location: Location | None
    ptx_line: int
    scope: tuple[int, ...] = ()
    part: int = 0  # 1, 2, ... of an instruction on several elements that was taken apart


@dataclass(slots=True)
class Variable:
    name: str
    space: str  # "global", "const", "shared", "local", "param"
    type: str
    bytes: int  # 0: an array without extent, whose size the launch gives
    align: int
    initial: bytes = b""
    references: list[tuple[int, str, int]] = field(
        default_factory=list
    )  # (offset, symbol, addend) in ``initial``


@dataclass(slots=True)
class Function:
    name: str
    kernel: bool
    parameters: list[Variable] = field(default_factory=list)
    results: list[Variable] = field(default_factory=list)
    registers: dict[str, str] = field(default_factory=dict)  # name -> type
    variables: dict[str, Variable] = field(default_factory=dict)
    body: list[Instruction] = field(default_factory=list)
    labels: dict[tuple[tuple[int, ...], str], int] = field(
        default_factory=dict
    )  # (scope, label) -> index in body
    branch_targets: dict[str, tuple[str, ...]] = field(default_factory=dict)  # .branchtargets lists
    prototypes: dict[str, tuple[list[Variable], list[Variable]]] = field(
        default_factory=dict
    )  # .callprototype: (results, parameters)
    call_targets: dict[str, tuple[str, ...]] = field(default_factory=dict)  # .calltargets lists
    max_threads: int | None = None

    def target(self, scope: tuple[int, ...], label: str) -> int | None:
        """The index that a label names, seen from ``scope``; ``len(body)`` at the function's end."""
        while True:
            if (found := self.labels.get((scope, label))) is not None:
                return found
            if not scope:
                return None
            scope = scope[:-1]


@dataclass(slots=True)
class Module:
    target: str = ""
    functions: dict[str, Function] = field(default_factory=dict)
    declared: set[str] = field(default_factory=set)  # functions without a body, such as vprintf
    variables: dict[str, Variable] = field(default_factory=dict)
    external: set[str] = field(default_factory=set)  # variables that another module would define
    addresses: dict[str, int] = field(default_factory=dict)  # of functions
