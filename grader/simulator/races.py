"""The words of a race: who did what, and what is missing."""

from __future__ import annotations

from grader.simulator.decode.program import Program
from grader.simulator.decode.types import RECORD
from grader.simulator.kinds import RaceDetail, Space
from grader.simulator.native import FaultRecord
from grader.simulator.records import Other

_SOON = 24  # instructions
_LOOKS = ({"load", "atomic"}, {"load", "reduction"})


def race_words(
    record: FaultRecord, program: Program, other: Other, thread: tuple[int, int, int], buffer: str, offset: int,
    line: int | None, blocks: int, threads: int,
) -> dict[str, str]:  # fmt: skip
    """What ``SENTENCES`` needs: the earlier access (``first``), the later one (``second``) and the ``remedy``.

    ``buffer`` names the buffer where the bytes are not in shared memory, ``offset`` counts from its start,
    ``line`` is the later access's, ``blocks`` the grid's number of blocks, ``threads`` a block's of threads.
    """
    writes, other_writes = bool(record.detail & RaceDetail.WRITES), bool(record.detail & RaceDetail.OTHER_WRITES)
    where = f"byte {record.address} of shared memory" if record.space == Space.SHARED else f"byte {offset} of {buffer}"
    same_block = tuple(record.block) == other.block
    one, two = _name(other.thread, other.block, same_block), _name(thread, tuple(record.block), same_block)
    first = f"Thread {one} {_does(other_writes)} {where}{_on(other.line)}"
    if other.line == line and writes == other_writes:
        second = f"thread {two} does so too" + (", on the same line" if line else "")
    elif other.line == line and line:
        second = f"thread {two} {_does(writes)} it on the same line"
    else:
        second = f"thread {two} {_does(writes)} it{_on(line)}"
    return {"first": first, "second": second, "remedy": _remedy(record, program, same_block, blocks, threads)}


def _remedy(record: FaultRecord, program: Program, same_block: bool, blocks: int, threads: int) -> str:
    if record.detail & RaceDetail.LOCKSTEP:
        return "lanes need not run in lockstep since Volta, and volatile does not make them; a __syncwarp() is missing"
    if record.detail == RaceDetail.WRITES | RaceDetail.OTHER_WRITES:
        if record.pc == record.other_pc:
            return "let one of them write, or use an atomic function"
    elif _line(program, record.pc) == _line(program, record.other_pc) and _changes(
        program, record.other_pc if record.detail & RaceDetail.WRITES else record.pc
    ):
        return "threads that change the same element need an atomic function, such as atomicAdd"
    if not same_block:
        return "blocks run in any order; use atomic functions and fences, or a second kernel"
    # What a plain read beside an atomic function may be instead: a look that may see any of the values.
    kinds = {program.categories[record.pc], program.categories[record.other_pc]}
    look = ", or an atomic or volatile read where any value will do" if kinds in _LOOKS else ""
    # An update in place, which threads of other blocks may make, too: of a neighbour's element, or of the same one.
    if kinds == {"load", "store"} and blocks > 1 and record.space == Space.GLOBAL:
        same = _address(program, record.pc) == _address(program, record.other_pc)
        look += f"; between blocks no barrier helps: {'use an atomic function' if same else 'write to another buffer'}"
    if "store" in kinds and kinds & {"atomic", "reduction"} and blocks > 1 and record.space == Space.GLOBAL:
        look += "; between blocks no barrier helps: store before the launch, or let all use atomic functions"
    if record.thread // 32 != record.other_thread // 32:
        return "a __syncthreads() is missing between them" + look
    if threads <= 32:
        return "a __syncwarp() is missing between them" + look
    return "a __syncthreads() is missing between them (a __syncwarp() is enough where no other warp takes part)" + look


def _changes(program: Program, load: int) -> bool:
    """Whether a line stores at the same address what it loads, as `x[i] += 1` does."""
    if program.categories[load] != "load":
        return False
    where = _address(program, load)
    return any(
        program.categories[k] == "store" and _address(program, k) == where and _line(program, k) == _line(program, load)
        for k in range(load + 1, min(load + _SOON, program.count))
    )


def _line(program: Program, pc: int) -> int | None:
    location = program.locations[pc]
    return location.line if location else None


def _address(program: Program, pc: int) -> tuple[int, ...]:
    fields = RECORD.unpack_from(program.code, pc * RECORD.size)
    return fields[4], fields[12], fields[-1]  # types.py, Record: a, space, immediate


def _does(writes: bool) -> str:
    return "writes" if writes else "reads"


def _on(line: int | None) -> str:
    return f" on line {line}" if line else ""


def _name(thread: tuple[int, int, int], block: tuple[int, int, int], same_block: bool) -> str:
    return f"{thread}" if same_block else f"{thread} of block {block}"
