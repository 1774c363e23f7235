"""One kernel for one form of an instruction."""

from __future__ import annotations

from dataclasses import dataclass

# Bytes of one element in memory; a predicate is stored as a word.
BYTES = {
    "b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "bf16": 2, "b32": 4, "u32": 4, "s32": 4,
    "f32": 4, "f16x2": 4, "bf16x2": 4, "b64": 8, "u64": 8, "s64": 8, "f64": 8, "pred": 4,
}  # fmt: skip
HEADER = ".version 9.0\n.target sm_90\n.address_size 64\n\n"


@dataclass(frozen=True)
class Case:
    """``code`` uses %d, %a, %b, %c; ``types`` are those of d, a, b, c. Inexact cases may differ a little; ``ties``
    takes operands of which many lie halfway between two results."""

    name: str
    code: str
    types: tuple[str, ...]
    exact: bool = True
    ties: bool = False

    def ptx(self, entry: str = "run") -> str:
        registers = {8: "b64", 4: "b32", 2: "b16", 1: "b16"}
        sizes = [BYTES[t] for t in self.types]
        names = ["%d", "%a", "%b", "%c"][: len(sizes)]
        lines = [f".reg .{registers[size]} {name};" for name, size in zip(names, sizes, strict=True)]
        lines += [
            ".reg .pred %p<4>;",
            ".reg .b32 %i<4>;",
            ".reg .b64 %q<8>;",
            ".reg .b32 %t<8>;",
            ".reg .b16 %h<4>;",
            "mov.u32 %i0, %ctaid.x;",
            "mov.u32 %i1, %ntid.x;",
            "mov.u32 %i2, %tid.x;",
            "mad.lo.s32 %i3, %i0, %i1, %i2;",
        ]
        for k, (name, size) in enumerate(zip(names[1:], sizes[1:], strict=True), 1):
            lines += [
                f"ld.param.u64 %q{k}, [p{k}];",
                f"mul.wide.u32 %q0, %i3, {size};",
                f"add.s64 %q{k}, %q{k}, %q0;",
                f"ld.global.{'u8' if size == 1 else f'b{8 * size}'} {name}, [%q{k}];",
            ]
        lines += [
            self.code,
            "ld.param.u64 %q4, [p0];",
            f"mul.wide.u32 %q0, %i3, {sizes[0]};",
            "add.s64 %q4, %q4, %q0;",
            f"st.global.{'u8' if sizes[0] == 1 else f'b{8 * sizes[0]}'} [%q4], %d;",
            "ret;",
        ]
        parameters = ", ".join(f".param .u64 p{k}" for k in range(4))
        body = "\n\t".join(lines)
        return f".visible .entry {entry}({parameters})\n{{\n\t{body}\n}}\n"


def plain(opcode: str, *types: str, **options: bool) -> Case:
    """An instruction with one result and operands of the given types."""
    operands = ", ".join(["%d", "%a", "%b", "%c"][: len(types)])
    return Case(opcode, f"{opcode} {operands};", types, **options)


def selected(setp: str) -> str:
    """The code of a comparison into %p1, and of its result as a word."""
    return f"{setp} selp.b32 %d, 1, 0, %p1;"
