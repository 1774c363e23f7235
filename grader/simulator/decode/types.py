"""Numbers shared with the engine. The C++ names stand beside; tests/simulator/test_abi.py compares."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

# convert.h, enum Type
TYPES = {
    "u8": 0, "s8": 1, "u16": 2, "s16": 3, "u32": 4, "s32": 5, "u64": 6, "s64": 7, "f16": 8,
    "bf16": 9, "f32": 10, "f64": 11,
}  # fmt: skip
# convert.h, enum FloatFlag
FTZ, SAT, NAN_WINS, BF16, INTEGER, SIGNED, RELU, SAT_FINITE, XOR_SIGN = 4, 8, 16, 32, 64, 128, 256, 512, 1024
ROUNDINGS = {"rn": 0, "rz": 1, "rm": 2, "rp": 3}  # floats.h, enum Rounding
ADD, SUB, MUL, FMA, DIV, SQRT, RECIPROCAL = range(7)  # floats.h, enum Arithmetic
SPACES = {"": 0, "global": 1, "shared": 2, "local": 3, "param": 4, "const": 5}  # abi.h, enum Space
SIGN_EXTEND, WIDE_REGISTER = 1, 2  # abi.h, enum MemoryFlag
COUNTS_ONES = 1 << 11  # atomics.cpp, enum AtomicFlag
STRONG, BLOCK_SCOPE, ACQUIRE, RELEASE, PAST_CACHE = (1 << bit for bit in range(12, 17))  # abi.h, enum OrderFlag
# compare.h, enum Comparison
COMPARISONS = {
    "eq": 0, "ne": 1, "lt": 2, "le": 3, "gt": 4, "ge": 5, "equ": 6, "neu": 7, "ltu": 8, "leu": 9,
    "gtu": 10, "geu": 11, "num": 12, "nan": 13, "lo": 2, "ls": 3, "hi": 4, "hs": 5,
}  # fmt: skip
BOOLEANS = {"and": 1, "or": 2, "xor": 3}  # compare.h, enum Boolean
# atomics.cpp, enum AtomicOperation
ATOMICS = {
    "add": 0, "min": 1, "max": 2, "and": 3, "or": 4, "xor": 5, "exch": 6, "cas": 7, "inc": 8,
    "dec": 9,
}  # fmt: skip
# frames.cpp, enum SpecialKind
SPECIALS = {
    name: k
    for k, name in enumerate(
        "%tid.x %tid.y %tid.z %ntid.x %ntid.y %ntid.z %ctaid.x %ctaid.y %ctaid.z "
        "%nctaid.x %nctaid.y %nctaid.z "
        "%laneid %warpid %nwarpid %lanemask_eq %lanemask_lt %lanemask_le %lanemask_gt %lanemask_ge "
        "%dynamic_smem_size %total_smem_size %smid %nsmid".split()
    )
}
# A launch without clusters has one for each block (PTX ISA 9.0, "%cluster_ctaid" and its neighbours).
CLUSTER_PLACE = {f"%{prefix}clusterid.{axis}": f"%{prefix}ctaid.{axis}" for prefix in ("", "n") for axis in "xyz"}
CLUSTER_OF_ONE = {
    "%is_explicit_cluster": 0, "%cluster_ctarank": 0, "%cluster_nctarank": 1,
    **{f"%cluster_ctaid.{axis}": 0 for axis in "xyz"}, **{f"%cluster_nctaid.{axis}": 1 for axis in "xyz"},
}  # fmt: skip
# Registers that change while a thread runs: mode (special_ops.h, read_clock), bytes.
CLOCKS = {
    "%clock": (0, 4), "%clock64": (1, 8), "%clock_hi": (2, 4), "%globaltimer": (3, 8), "%globaltimer_lo": (4, 4),
    "%globaltimer_hi": (5, 4),
}  # fmt: skip
SHARED_WINDOW, LOCAL_WINDOW = 0x6F0000000000, 0x6E0000000000  # abi.h
PARAMETERS = 0x700000000000 - (1 << 20)  # abi.h, kParameters


@dataclass(slots=True)
class Record:
    """One ``Instruction`` of abi.h. Registers are byte offsets into the frame; -1 means none."""

    op: int = 0
    guard: int = -1
    guard_negated: int = 0
    d: int = -1
    a: int = -1
    b: int = -1
    c: int = -1
    e: int = -1
    target: int = 0
    reconverge: int = 0
    mode: int = 0
    flags: int = 0
    space: int = 0
    bytes: int = 0
    vector: int = 0
    address_bytes: int = 0
    type: int = 0
    source_type: int = 0
    values: list[int] = field(default_factory=lambda: [-1, -1, -1, -1])
    immediate: int = 0

    def pack(self) -> bytes:
        return RECORD.pack(
            self.op, self.guard, self.guard_negated, self.d, self.a, self.b, self.c, self.e, self.target,
            self.reconverge, self.mode, self.flags, self.space, self.bytes, self.vector, self.address_bytes,
            self.type, self.source_type, *self.values, self.immediate,
        )  # fmt: skip


RECORD = struct.Struct("<22iq")
