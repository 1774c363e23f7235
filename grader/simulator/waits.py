"""The words of a wait in vain: who waits where, and for whom."""

from __future__ import annotations

from grader.simulator.native import FaultRecord
from grader.simulator.records import Other

BARRIER, SHUFFLE, BUDGET, DEADLOCK = 9, 10, 11, 30  # abi.h, enum FaultKind
KINDS = (BARRIER, SHUFFLE, DEADLOCK)  # whose other side may be known

# By ``FaultRecord.detail``: barriers.cpp, enum BarrierDetail; waits.h, enum ShuffleDetail; launch.cpp.
_SENTENCES = {
    (BARRIER, 1): "Threads of one block wait at different barriers{lines}: all of them must reach the same one.",
    (BARRIER, 2): (
        "There is no such barrier: its number must be from 0 to 15 and its count of threads a multiple of 32, at most "
        "1024, the same for the whole warp."
    ),
    (SHUFFLE, 1): "A thread calls a warp function whose mask {mask} does not name its own lane.",
    (SHUFFLE, 5): (
        "Lane {lane} uses a value that a warp function read from lane {address}, which does not take part in the call."
    ),
    (SHUFFLE, 6): "Lanes of a warp wait for each other with different masks{lines}: all must give the same mask.",
    (SHUFFLE, 7): (
        "Lanes of a warp wait for each other in different warp functions{lines}: all lanes that the mask names must "
        "make the same call."
    ),
    (BUDGET, 1): (
        "The kernel still ran after {address:,} instructions: its first blocks do not end, and what they may wait for, "
        "a later block, begins only after one of them."
    ),
}  # fmt: skip


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
    number = record.address if record.kind == DEADLOCK else 0
    barrier = f"barrier {number}" if number or count else "__syncthreads()"
    elsewhere = waits if record.kind == DEADLOCK else gone
    return {"barrier": barrier, "elsewhere": elsewhere, "lines": lines, "expected": expected}
