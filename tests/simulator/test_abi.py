"""The engine and the Python side agree on every number that both write down."""

import inspect
import re
import struct
from enum import Enum

import pytest

from grader.simulator import kinds, memory, native, trace
from grader.simulator.build import SOURCES
from grader.simulator.decode import async_copy, control, describe, matrix, program, types, video, warp

SOURCE = {path.name: path.read_text() for path in sorted(SOURCES.iterdir())}
SHAPE = struct.Struct(f"<{len(describe.Shape((), (), False).numbers())}i")


def enumerators(name: str) -> dict[str, int]:
    """The names and values of one of the engine's enums."""
    found = [m for text in SOURCE.values() for m in re.findall(rf"enum {name} : \w+ \{{(.*?)\}};", text, re.S)]
    assert len(found) == 1, f"{len(found)} enums {name}"
    values, last = {}, -1
    for entry in re.sub(r"//.*", "", found[0]).split(","):
        if entry := entry.strip():
            constant, _, value = map(str.strip, entry.partition("="))
            last = eval(value, {}, values) if value else last + 1
            values[constant] = last
    return values


def constant(name: str) -> str:
    """kReadOnly as Python writes it: READ_ONLY."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.removeprefix("k")).upper()


def fields(name: str) -> list[tuple[str, str, int]]:
    """(type, name, how many) of each field of one of the structures of abi.h; pointers have the type ``*``."""
    body = re.search(rf"struct {name} \{{(.*?)\n\}};", SOURCE["abi.h"], re.S)[1]
    result = []
    for line in re.sub(r"//.*", "", body).split(";"):
        kind, _, names = re.sub(r"^const\s+", "", line.strip()).partition(" ")
        for one in filter(None, map(str.strip, names.split(","))):
            is_pointer = "*" in kind or "*" in one
            size = re.search(r"\[(\w+)\]", one)
            count = 1 if is_pointer or not size else int(size[1]) if size[1].isdigit() else native.CALLERS
            result.append(("*" if is_pointer else kind, re.match(r"\(?\*?(\w+)", one)[1], count))
    return result


@pytest.mark.parametrize(
    "name", ["FaultKind", "Space", "BarrierDetail", "BudgetDetail", "ShuffleDetail", "CopyDetail", "RaceDetail"]
)
def test_enums_of_faults(name):
    theirs = {constant(c): value for c, value in enumerators(name).items() if c != "kNoFault"}
    ours: type[Enum] = getattr(kinds, name)
    assert {member.name: member.value for member in ours} == theirs


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("Type", list(types.TYPES.values())),
        ("FloatFlag", [types.FTZ, types.SAT, types.NAN_WINS, types.BF16, types.INTEGER, types.SIGNED, types.RELU,
                       types.SAT_FINITE, types.XOR_SIGN]),
        ("Rounding", list(types.ROUNDINGS.values())),
        ("Arithmetic", [types.ADD, types.SUB, types.MUL, types.FMA, types.DIV, types.SQRT, types.RECIPROCAL]),
        ("Space", list(types.SPACES.values())),
        ("MemoryFlag", [types.SIGN_EXTEND, types.WIDE_REGISTER]),
        ("AtomicFlag", [types.COUNTS_ONES]),
        ("OrderFlag", [types.STRONG, types.BLOCK_SCOPE, types.ACQUIRE, types.RELEASE, types.PAST_CACHE]),
        ("Comparison", list(dict.fromkeys(types.COMPARISONS.values()))),
        ("Boolean", [0, *types.BOOLEANS.values()]),
        ("AtomicOperation", list(types.ATOMICS.values())),
        ("SpecialKind", list(types.SPECIALS.values())),
        ("CheckFlag", [native.CHECK_RACES]),
        ("MatrixFlag", [matrix.SIGNED_A, matrix.SIGNED_B, matrix.SATURATE, matrix.CROSSED]),
        ("Role", [matrix._A, matrix._B, matrix._SUM]),
        ("BarrierMode", list(control.BARRIERS.values())),
        ("CopyMode", [async_copy._ALL, async_copy._GROUPS]),
        ("VideoOperation", list(video._OPERATIONS.values())),
        ("VideoSecond", [video._NOTHING, video._MERGE, video._ACCUMULATE, video._SECOND["min"], video._SECOND["max"]]),
        ("VideoFlag", [video._SIGNED_A, video._SIGNED_B, video._SIGNED_D, video._CLAMP, video._WRAP, video._PLUS_ONE,
                       video._NEGATE_PRODUCT, video._NEGATE_C]),
    ],
)  # fmt: skip
def test_enums_of_instructions(name, ours):
    assert list(enumerators(name).values()) == ours


@pytest.mark.parametrize(
    ("name", "prefix", "ours"),
    [
        ("ShuffleMode", "kShuffle", warp.SHUFFLES),
        ("VoteMode", "kVote", warp.VOTES),
        ("MatchMode", "kMatch", warp.MATCHES),
        ("ReduceMode", "kReduce", warp.REDUCTIONS),
    ],
)
def test_modes_of_warp_operations_stand_in_the_engines_order(name, prefix, ours):
    longer = {"idx": "index", "bfly": "butterfly", "uni": "uniform"}
    assert [prefix.lower() + longer.get(one, one) for one in ours] == [one.lower() for one in enumerators(name)]


def test_special_registers_stand_in_the_engines_order():
    names = [re.sub(r"[%._]", "", name) for name in types.SPECIALS]
    names = [re.sub(r"smemsize$", "shared", name) for name in names]
    assert names == [name.removeprefix("k").lower() for name in enumerators("SpecialKind")]


@pytest.mark.parametrize(
    ("name", "value"),
    [("kSharedWindow", types.SHARED_WINDOW), ("kLocalWindow", types.LOCAL_WINDOW), ("kWindowBytes", trace._WINDOW),
     ("kParameters", types.PARAMETERS)],
)  # fmt: skip
def test_windows(name, value):
    text = re.search(rf"constexpr u64 {name} = (.*?);", SOURCE["abi.h"])[1].replace("ull", "")
    assert eval(text) == value


@pytest.mark.parametrize(
    ("name", "record"),
    [("FaultRecord", native.FaultRecord), ("LaunchRequest", native.LaunchRequest), ("Trace", trace.TraceRecord)],
)
def test_structures(name, record):
    sizes = {"*": 8, "s64": 8, "u64": 8, "s32": 4, "u32": 4}
    ours = [(field, getattr(record, field).size) for field, *_ in record._fields_]
    assert ours == [(field, sizes[kind] * count) for kind, field, count in fields(name)]


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        ("Allocation", memory._ROW),
        ("Instruction", types.RECORD),
        ("TraceStep", trace._STEP),
        ("TraceShape", SHAPE),
    ],
)
def test_layouts(name, layout: struct.Struct):
    letters = "".join({"s32": "i", "u32": "I", "s64": "q", "u64": "Q"}[kind] * count for kind, _, count in fields(name))
    expanded = re.sub(r"(\d+)(\w)", lambda m: m[2] * int(m[1]), layout.format.removeprefix("<"))
    assert expanded == letters


@pytest.mark.parametrize("name", ["Function", "Special", "Copy"])
def test_rows_of_a_program(name):
    """They are packed where they are made."""
    written = re.findall(r'struct\.pack\(\s*"<(\d)i"', inspect.getsource(program.Linker))
    numbers = {"Function": 0, "Special": 1, "Copy": 2}
    assert [(kind, count) for kind, _, count in fields(name)] == [("s32", 1)] * int(written[numbers[name]])


def test_what_a_launch_gives_without_memory():
    assert f"constexpr int kOutOfMemory = {native._OUT_OF_MEMORY};" in SOURCE["abi.h"]


def test_counters():
    assert list(native.COUNTER_FIELDS) == [field for _, field, _ in fields("Counter")]
