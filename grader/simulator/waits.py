"""The words of a wait in vain: who waits where, and for whom."""

from __future__ import annotations

from grader.simulator.kinds import BarrierDetail, BudgetDetail, FaultKind, ShuffleDetail
from grader.simulator.native import FaultRecord
from grader.simulator.records import Other

KINDS = (FaultKind.BARRIER, FaultKind.SHUFFLE, FaultKind.DEADLOCK)  # whose other side may be known

# By ``FaultRecord.detail``.
_SENTENCES = {
    (FaultKind.BARRIER, BarrierDetail.TWO_BARRIERS): (
        "Threads of one block wait at different barriers{lines}: all of them must reach the same one."
    ),
    (FaultKind.BARRIER, BarrierDetail.BAD_OPERAND): (
        "There is no such barrier: its number must be from 0 to 15 and its count of threads a multiple of 32, at most "
        "1024, the same for the whole warp."
    ),
    (FaultKind.SHUFFLE, ShuffleDetail.NOT_NAMED): (
        "A thread calls a warp function whose mask {mask} does not name its own lane."
    ),
    (FaultKind.SHUFFLE, ShuffleDetail.NO_PARTNER): (
        "Lane {lane} uses a value that a warp function read from lane {address}, which does not take part in the call: "
        "every lane that is read from must make it, with a neutral value if it has no element."
    ),
    (FaultKind.SHUFFLE, ShuffleDetail.OTHER_MASK): (
        "Lanes of a warp wait for each other with different masks{lines}: all must give the same mask."
    ),
    (FaultKind.SHUFFLE, ShuffleDetail.OTHER_CALL): (
        "Lanes of a warp wait for each other in different warp functions{lines}: all lanes that the mask names must "
        "make the same call."
    ),
    (FaultKind.BUDGET, BudgetDetail.LATER_BLOCKS_MISSING): (
        "The kernel still ran after {address:,} instructions: its first blocks do not end, and what they may wait for, "
        "a later block, begins only after one of them."
    ),
    (FaultKind.BUDGET, BudgetDetail.ONLY_SOME_FIT): (
        "The kernel still ran after {address:,} instructions: its first blocks do not end, and what they may wait for, "
        "a later block, begins only after one of them, as blocks that have begun together get at most 256 MiB of "
        "shared and local memory on the simulated GPU; launch fewer blocks, or let each use less."
    ),
    (FaultKind.BUDGET, BudgetDetail.MANY_BLOCKS): (
        "The launch has so many blocks that it still ran after {address:,} instructions of a warp, the limit, in block "
        "{number:,} of {blocks:,}: the blocks before it have ended; launch fewer blocks."
    ),
}


def wait_sentence(record: FaultRecord) -> str | None:
    """Where a wait has another sentence than its kind."""
    return _SENTENCES.get((record.kind, record.detail))


def wait_words(record: FaultRecord, line: int | None, other: Other | None) -> dict[str, str]:
    """What the sentences need: ``elsewhere``, ``lines``, and of a deadlock ``barrier`` and ``expected``."""
    at = other.line if other is not None else None
    gone = f" (lane {record.other_thread % 32} is at line {at})" if at else ""
    waits = f"; others wait at line {at}" if at else ""
    lines = f" (lines {line} and {at})" if at != line else f" (both at line {at})"
    lines = lines if at and line else ""
    count = record.detail
    expected = f"{count} threads, of which {record.bytes} have come" if count else "all threads of the block"
    number = record.address if record.kind == FaultKind.DEADLOCK else 0
    barrier = f"barrier {number}" if number or count else "__syncthreads()"
    elsewhere = waits if record.kind == FaultKind.DEADLOCK else gone
    return {"barrier": barrier, "elsewhere": elsewhere, "lines": lines, "expected": expected}
