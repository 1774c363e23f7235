"""From what the engine records to a ``Fault`` with one plain sentence."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import PurePath

from grader.simulator.decode.program import Program
from grader.simulator.decode.types import PARAMETERS
from grader.simulator.kinds import CopyDetail, FaultKind, ShuffleDetail, Space
from grader.simulator.memory import BASE, Buffer, Memory
from grader.simulator.native import FaultRecord
from grader.simulator.ptx.locations import is_learners
from grader.simulator.ptx.model import Location
from grader.simulator.races import race_words
from grader.simulator.records import Fault, Other
from grader.simulator.waits import KINDS as WAITS
from grader.simulator.waits import wait_sentence, wait_words

# What the engine found -> (the kind that a Fault carries, the sentence).
SENTENCES = {
    FaultKind.OUT_OF_BOUNDS: (
        "out_of_bounds",
        "The kernel {does} {bytes} at byte {offset} of {buffer}, which has {size}.",
    ),
    FaultKind.MISALIGNED: (
        "misaligned",
        "The kernel {does} {bytes} at once at byte {offset} of {buffer}, which is not a multiple of {width}.",
    ),
    FaultKind.NULL_POINTER: (
        "null_pointer",
        "The kernel {does} {bytes} through a null pointer (address {address:#x}).",
    ),
    FaultKind.FREED_POINTER: ("freed_pointer", "The kernel {does} {buffer}, which was freed before."),
    FaultKind.READ_ONLY: (
        "read_only",
        "The kernel writes to {buffer}, which may only be read: it is an input or a __constant__ variable.",
    ),
    FaultKind.SHARED_OUT_OF_BOUNDS: (
        "shared_out_of_bounds",
        "The kernel {does} {bytes} at byte {address} of the block's shared memory, which has {shared}.",
    ),
    FaultKind.LOCAL_OUT_OF_BOUNDS: (
        "out_of_bounds",
        "The kernel {does} {bytes} outside of a thread's local memory: an index into a local array is "
        "too large or negative.",
    ),
    FaultKind.UNINITIALISED_SHARED: (
        "uninitialised_shared",
        "The kernel reads byte {address} of shared memory, which no thread of the block has written yet: nothing "
        "writes it, or a __syncthreads() is missing before the read.",
    ),
    FaultKind.BARRIER: (
        "barrier",
        "__syncthreads() is reached by some threads of a warp and not by others{elsewhere}: every thread of the block "
        "must reach it.",
    ),
    FaultKind.SHUFFLE: (
        "shuffle",
        "The mask {mask} of a warp function names lane {lane}, which does not take part in the call{elsewhere}.",
    ),
    FaultKind.BUDGET: (
        "budget",
        "The kernel still ran after {address:,} instructions: it never ends, or waits for something that never comes.",
    ),
    FaultKind.TRAP: ("trap", "The kernel stopped itself with a trap."),
    FaultKind.ASSERT: ("assert", "The assertion `{message}` failed."),
    FaultKind.STACK: ("stack", "The kernel's functions call each other too deeply: the stack is full."),
    FaultKind.UNSUPPORTED: (
        "unsupported",
        "The simulated GPU does not model `{opcode}` where only some of a warp's threads reach it.",
    ),
    FaultKind.RACE: (
        "race",
        "{first} and {second}, and nothing orders the two: {remedy}.",
    ),
    FaultKind.UNINITIALISED_GLOBAL: (
        "uninitialised_global",
        "The kernel reads byte {offset} of {buffer}, a byte that neither the host nor a kernel has written yet.",
    ),
    FaultKind.DEADLOCK: (
        "deadlock",
        "The block waits for ever: threads wait at {barrier}, which takes {expected}{elsewhere}.",
    ),
    FaultKind.BAD_CALL: (
        "bad_call",
        "The kernel calls a function through a pointer ({address:#x}) that is the address of no function with these "
        "parameters.",
    ),
    FaultKind.ASYNC_COPY: (
        "async_copy",
        "The kernel {does} byte {address} of shared memory, which cp.async from line {other.line} is still filling: "
        "wait for it with __pipeline_wait_prior (cp.async.wait_group) and then a barrier.",
    ),
}
# Where the same fault has another sentence.
IN_FRONT = "The kernel {does} {bytes} starting {before} in front of {buffer}."
BEFORE_SHARED = (
    "The kernel {does} {bytes} starting {before} in front of the block's shared memory: an index is negative."
)
NO_BUFFER = "The kernel {does} {bytes} at {address:#x}, an address where no buffer is."
MISALIGNED = "The kernel {does} {bytes} at once at an address that is not a multiple of {width}."
MISALIGNED_SHARED = (
    "The kernel {does} {bytes} at once at byte {address} of the block's shared memory, which is not a multiple of "
    "{width}."
)
OF_THE_COMPILER = (
    "The kernel stopped itself with a trap, and no line is known for it: the compiler puts a trap where code does what "
    "is undefined, such as a write to __constant__ memory."
)
WRITES_PARAMETERS = "The kernel writes to its parameters, which may only be read."
OVERFLOWED = "{said}: an int index may have overflowed."
OUTSIDE_PARAMETERS = "The kernel {does} {bytes} outside of its parameters."
NOT_COMMITTED = (
    "The kernel {does} byte {address} of shared memory, which cp.async from line {other.line} is still filling: no "
    "wait covers the copy, as it was never committed to a group; call __pipeline_commit (cp.async.commit_group) before "
    "you wait."
)
READS_TOO_MUCH = "cp.async copies {bytes} at once and is told to read {address} bytes of its source."
SOME_LANES = "`{opcode}` is for all 32 threads of a warp together, and lane {lane} does not take part."
SHORT_WARP = "`{opcode}` is for all 32 threads of a warp together, and some of this warp do not exist or have ended."
OTHER_OPERANDS = "The threads of a warp give `{opcode}` different addresses or strides."
NO_MESSAGE = "An assertion failed."
HOST_POINTER = (
    "host_pointer",
    "The kernel {does} {bytes} at {address:#x}, an address of the host's memory, which a GPU cannot use: pass the "
    "device buffer.",
)
_MANY = 1 << 30  # elements: an int index that overflowed is mostly at least as far off, and at most four times as far
_FARTHEST = 1 << 57  # what lies beyond is no address of a GPU, and no buffer's index led there
_REACH = 1 << 42  # bytes: no index of 32 bits leads so far; a wild pointer has no buffer that it missed
# Where Linux places programs' heaps, and their libraries, large arrays and stacks: x86-64, then aarch64.
_HOST = (
    (0x5500_0000_0000, 0x5700_0000_0000), (0x7E00_0000_0000, 0x8000_0000_0000),
    (0xAAAA_0000_0000, 0xAB00_0000_0000), (0xFFFF_0000_0000, 1 << 48),
)  # fmt: skip


# The faults that an access to memory makes; those that always tell of two threads.
_OF_MEMORY = {kind for kind in FaultKind if kind <= FaultKind.UNINITIALISED_SHARED} | {
    FaultKind.RACE, FaultKind.UNINITIALISED_GLOBAL, FaultKind.ASYNC_COPY,
}  # fmt: skip
_OF_TWO = {FaultKind.RACE, FaultKind.ASYNC_COPY}
_OF_WHOLE_WARP = {
    ShuffleDetail.NOT_ALL: SOME_LANES,
    ShuffleDetail.SHORT_WARP: SHORT_WARP,
    ShuffleDetail.OTHER_OPERANDS: OTHER_OPERANDS,
}


def launch_fault(kernel: str, sentence: str) -> Fault:
    """A launch that was refused before it began."""
    return Fault(kind="launch", sentence=sentence, kernel=kernel)


def fault_of(
    record: FaultRecord, program: Program, memory: Memory, grid: tuple[int, int, int], block: tuple[int, int, int]
) -> Fault:
    """``grid`` and ``block`` are the launch's sizes, to tell a block's number and a thread's coordinates."""
    kind, sentence = SENTENCES[record.kind]
    location = _location(record, program)
    touches = record.kind in _OF_MEMORY
    space = Space(record.space).name.lower() if touches and record.space else None
    in_buffers = space in ("global", "const") and kind != "null_pointer"
    buffer = memory.nearest(record.address) if in_buffers and record.address < _FARTHEST else None
    if buffer and not -_REACH < record.address - buffer.base < buffer.bytes + _REACH:
        buffer = None
    offset = record.address - buffer.base if buffer else None
    if kind == "out_of_bounds" and in_buffers and _on_the_host(record.address, memory):
        kind, sentence = HOST_POINTER
        buffer = offset = None
    else:
        sentence = _variant(record, sentence, buffer, program, memory)
    if kind == "out_of_bounds" and buffer and _MANY <= abs(offset) // max(record.bytes, 1) <= 4 * _MANY:
        sentence = OVERFLOWED.format(said=sentence.rstrip("."))
    two = record.kind in _OF_TWO or (record.kind in WAITS and record.other_pc >= 0)
    other = _other(record, program, block) if two else None
    return Fault(
        kind=kind,
        sentence=_fill(sentence, record, program, memory, buffer, other, grid, block),
        kernel=program.kernel,
        block=tuple(record.block),
        thread=_thread(record.thread, block),
        file=PurePath(location.file).name if location else None,
        line=location.line if location else None,
        address=record.address if touches else None,
        size=record.bytes if touches else None,
        space=space,
        buffer=(buffer.name or None) if buffer else None,
        offset=offset,
        buffer_bytes=buffer.bytes if buffer else None,
        other=other,
    )


def _location(record: FaultRecord, program: Program) -> Location | None:
    """Where the fault is; in a function of the toolkit that is no inlined code (``-G``), where the learner calls it."""
    places = [program.locations[pc] for pc in (record.pc, *record.callers) if pc >= 0]
    return next((place for place in places if place and is_learners(place.file)), places[0])


def _thread(number: int, block: tuple[int, int, int]) -> tuple[int, int, int]:
    x, y, _ = block
    return number % x, number // x % y, number // (x * y)


def _number(place: Sequence[int], extents: tuple[int, int, int]) -> int:
    """Of a block: x runs fastest."""
    return place[0] + extents[0] * (place[1] + extents[1] * place[2])


def _other(record: FaultRecord, program: Program, block: tuple[int, int, int]) -> Other:
    location = program.locations[record.other_pc]
    return Other(
        block=tuple(record.other_block),
        thread=_thread(record.other_thread, block),
        file=PurePath(location.file).name if location else None,
        line=location.line if location else None,
    )


def _on_the_host(address: int, memory: Memory) -> bool:
    """Whether an address where no buffer is lies where Linux puts a process's heap, libraries and stack."""
    return any(low <= address < high for low, high in _HOST) and not BASE <= address < memory.top


def _variant(record: FaultRecord, sentence: str, buffer: Buffer | None, program: Program, memory: Memory) -> str:
    if buffer is not None and buffer.base == PARAMETERS and record.kind == FaultKind.READ_ONLY:
        return WRITES_PARAMETERS
    in_parameters = record.space == Space.PARAM or (buffer and buffer.base == PARAMETERS)
    if record.kind == FaultKind.OUT_OF_BOUNDS and in_parameters:
        return OUTSIDE_PARAMETERS
    if record.kind == FaultKind.MISALIGNED and not (buffer and 0 <= record.address - buffer.base < buffer.bytes):
        in_shared = record.space == Space.SHARED and not _below_zero(record.address)
        return MISALIGNED_SHARED if in_shared else MISALIGNED
    if record.kind == FaultKind.TRAP and program.locations[record.pc] is None:
        return OF_THE_COMPILER
    if record.kind == FaultKind.OUT_OF_BOUNDS and buffer is None:
        return NO_BUFFER
    if record.kind == FaultKind.OUT_OF_BOUNDS and record.address < buffer.base:
        return IN_FRONT
    if record.kind == FaultKind.SHARED_OUT_OF_BOUNDS and _below_zero(record.address):
        return BEFORE_SHARED
    if waited := wait_sentence(record):
        return waited
    if record.kind == FaultKind.SHUFFLE and record.detail:
        return _OF_WHOLE_WARP[record.detail]
    if record.kind == FaultKind.ASYNC_COPY and record.detail:
        return READS_TOO_MUCH if record.detail == CopyDetail.READS_TOO_MUCH else NOT_COMMITTED
    if record.kind == FaultKind.ASSERT and not memory.text(record.address):
        return NO_MESSAGE
    return sentence


def _fill(
    sentence: str, record: FaultRecord, program: Program, memory: Memory, buffer: Buffer | None, other: Other | None,
    grid: tuple[int, int, int], block: tuple[int, int, int],
) -> str:  # fmt: skip
    category = program.categories[record.pc]
    writes = category in ("store", "matrix_store", "atomic", "reduction")
    writes |= category == "async_copy" and record.space == Space.SHARED
    offset = record.address - buffer.base if buffer else 0
    if record.kind == FaultKind.SHARED_OUT_OF_BOUNDS:
        offset = -_below_zero(record.address)
    if buffer and buffer.name:
        name = f"buffer {buffer.name}"
    elif buffer and buffer.base == PARAMETERS:
        name = "its parameters"
    else:
        name = "the nearest buffer" if record.kind == FaultKind.OUT_OF_BOUNDS else "a buffer"
    location = _location(record, program)
    line = location.line if location else None
    thread, blocks = _thread(record.thread, block), prod(grid)
    return sentence.format(
        **(
            race_words(record, program, other, thread, name, offset, line, blocks, prod(block))
            if record.kind == FaultKind.RACE else {}
        ),
        **wait_words(record, line, other),
        other=other,
        number=_number(record.block, grid) + 1,
        blocks=blocks,
        does="writes" if writes else "reads",
        bytes=_bytes(record.bytes),
        width=record.bytes,
        address=record.address,
        buffer=name,
        offset=offset,
        before=_bytes(-offset),
        size=_bytes(buffer.bytes if buffer else 0),
        shared=_bytes(record.detail if record.kind == FaultKind.SHARED_OUT_OF_BOUNDS else 0),
        mask=f"0x{record.address & 0xFFFFFFFF:08x}",
        lane=record.thread % 32,
        message=memory.text(record.address) if record.kind == FaultKind.ASSERT else "",
        opcode=program.opcodes[record.pc],
    )


def _below_zero(address: int) -> int:
    """How many bytes a shared address lies below zero, where a negative index wrapped around at 32 or 64 bits."""
    for width in (32, 64):
        if 1 << (width - 1) <= address < 1 << width:
            return (1 << width) - address
    return 0


def _bytes(count: int) -> str:
    return "1 byte" if count == 1 else f"{count} bytes"
