"""From what the engine records to a ``Fault`` with one plain sentence."""

from __future__ import annotations

from pathlib import PurePath

from grader.simulator.decode.program import Program
from grader.simulator.memory import Memory
from grader.simulator.native import FaultRecord
from grader.simulator.records import Fault

# types.h, enum FaultKind -> the kind that a Fault carries
KINDS = {
    1: "out_of_bounds", 2: "misaligned", 3: "null_pointer", 4: "freed_pointer", 5: "read_only",
    6: "shared_out_of_bounds", 7: "out_of_bounds", 8: "uninitialised_shared", 9: "barrier", 10: "shuffle",
    11: "budget", 12: "trap", 13: "trap", 14: "stack", 15: "unsupported",
}  # fmt: skip
_SPACES = {0: None, 1: "global", 2: "shared", 3: "local", 4: "param", 5: "const"}


def launch_fault(kernel: str, sentence: str) -> Fault:
    """A launch that was refused before it began."""
    return Fault(kind="launch", sentence=sentence, kernel=kernel)


def fault_of(record: FaultRecord, program: Program, memory: Memory, block: tuple[int, int, int]) -> Fault:
    """``block`` is the launch's block size, to tell a thread's three coordinates."""
    kind = KINDS[record.kind]
    location = program.locations[record.pc]
    category = program.categories[record.pc]
    space = _SPACES[record.space]
    thread = (record.thread % block[0], record.thread // block[0] % block[1], record.thread // (block[0] * block[1]))
    has_address = record.kind in range(1, 9)
    buffer = memory.nearest(record.address) if has_address and space in ("global", "const") and kind != "null_pointer" else None
    writes = category in ("store", "atomic", "reduction")
    return Fault(
        kind=kind,
        sentence=_sentence(record, kind, program, memory, buffer, writes),
        kernel=program.kernel,
        block=tuple(record.block),
        thread=thread,
        file=PurePath(location.file).name if location else None,
        line=location.line if location else None,
        address=record.address if has_address else None,
        size=record.bytes if has_address else None,
        space=space if has_address else None,
        buffer=(buffer.name or None) if buffer else None,
        offset=record.address - buffer.base if buffer else None,
        buffer_bytes=buffer.bytes if buffer else None,
    )


def _bytes(count: int) -> str:
    return "1 byte" if count == 1 else f"{count} bytes"


def _sentence(record: FaultRecord, kind: str, program: Program, memory: Memory, buffer, writes: bool) -> str:
    verb = "writes" if writes else "reads"
    name = f"buffer {buffer.name}" if buffer and buffer.name else "the nearest buffer"
    if record.kind == 1:
        if record.space == 4:
            return f"The kernel reads {_bytes(record.bytes)} outside of its parameters."
        if buffer is None:
            return f"The kernel {verb} {_bytes(record.bytes)} at an address where no buffer is."
        offset = record.address - buffer.base
        if offset < 0:
            return f"The kernel {verb} {_bytes(record.bytes)} that start {_bytes(-offset)} in front of {name}."
        return (
            f"The kernel {verb} {_bytes(record.bytes)} at byte {offset} of {name}, "
            f"which has {_bytes(buffer.bytes)}."
        )
    if record.kind == 2:
        return (
            f"The kernel {verb} {_bytes(record.bytes)} at once at an address that is not a multiple of "
            f"{record.bytes}."
        )
    if record.kind == 3:
        return f"The kernel {verb} {_bytes(record.bytes)} through a null pointer (address {record.address:#x})."
    if record.kind == 4:
        return f"The kernel {verb} {name.replace('the nearest buffer', 'a buffer')}, which was freed before."
    if record.kind == 5:
        return f"The kernel writes to {name.replace('the nearest buffer', 'a buffer')}, which is an input and may only be read."
    if record.kind == 6:
        return (
            f"The kernel {verb} {_bytes(record.bytes)} at byte {record.address} of the block's shared memory, "
            f"which has {_bytes(_shared(record, program))}."
        )
    if record.kind == 7:
        return f"The kernel {verb} {_bytes(record.bytes)} outside of a thread's local memory: an index into a local array is too large."
    if record.kind == 8:
        return f"The kernel reads byte {record.address} of shared memory, which no thread of the block has written yet."
    if kind == "barrier":
        if record.detail == 1:
            return "Threads of one block wait at different barriers: all of them must reach the same __syncthreads()."
        return (
            "__syncthreads() is reached by some threads of a warp and not by others: every thread of the block must reach it."
        )
    if kind == "shuffle":
        mask = f"0x{record.address & 0xFFFFFFFF:08x}"
        if record.detail == 1:
            return f"A thread calls a warp function whose mask {mask} does not name its own lane."
        return f"The mask {mask} of a warp function names lane {record.thread % 32}, which does not take part in the call."
    if kind == "budget":
        return "The kernel ran for very long without an end: look for a loop that never stops."
    if record.kind == 13:
        message = memory.text(record.address)
        return f"The assertion `{message}` failed." if message else "An assertion failed."
    if kind == "trap":
        return "The kernel stopped itself with a trap."
    if kind == "stack":
        return "The kernel's functions call each other too deeply: the stack is full."
    opcode = program.opcodes[record.pc]
    return f"The simulated GPU does not model `{opcode}` reached by only some of a warp's threads."


def _shared(record: FaultRecord, program: Program) -> int:
    return record.detail if record.detail else program.shared_bytes
