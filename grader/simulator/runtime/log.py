"""What the plugin processes asked of the device, call by call: the evidence of a run."""

from __future__ import annotations

import bisect
import heapq
import itertools
from dataclasses import dataclass, field
from typing import Any

from grader.simulator.records import Fault

MOST_RECORDS = 50_000
MOST_OF_A_CALL = 1_000  # records of one function under one label


@dataclass(slots=True)
class Record:
    """One call. ``arguments`` names addresses by buffer ("y + 64"); a launch has its kernel, grid and block."""

    seq: int  # from 1; gaps where records were cut
    label: str  # the phase, by ``mark``
    thread: int
    call: str  # CUDA's function, or the name of a call of the protocol that has none
    stream: int | None
    arguments: dict[str, Any] = field(default_factory=dict)
    status: int = 0
    fault: Fault | None = None  # what the work did when it ran
    process: int = 0  # number of the connection; 0: the parent


@dataclass(slots=True)
class _Phase:
    """What has one label."""

    records: list[Record] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)  # by function


class Log:
    """Bounded: of a function that is called too often only the number is kept, and the oldest phases go when there are
    too many records. A phase goes as a whole, so that what is there is complete."""

    def __init__(self):
        self.label = ""
        self._phases: dict[str, _Phase] = {}  # by label, the oldest first
        self._kept = 0
        self._seq = 0

    def add(self, process: int, thread: int, call: str, stream: int | None, arguments: dict[str, Any]) -> Record:
        """A fresh record, whose status and fault the caller fills in; it may not be among those that are kept."""
        self._seq += 1
        record = Record(self._seq, self.label, thread, call, stream, arguments, process=process)
        phase = self._phases.get(self.label) or self._phases.setdefault(self.label, _Phase())
        count = phase.counts[call] = phase.counts.get(call, 0) + 1
        if count <= MOST_OF_A_CALL:
            phase.records.append(record)
            self._kept += 1
            if self._kept > MOST_RECORDS:
                self._drop_oldest()
        return record

    def _drop_oldest(self) -> None:
        oldest = next((label for label in self._phases if label != self.label), None)
        if oldest is not None:
            self._kept -= len(self._phases.pop(oldest).records)

    def unkept(self, process: int, thread: int, call: str, stream: int | None, arguments: dict[str, Any]) -> Record:
        """A record of what is nobody's call."""
        return Record(0, self.label, thread, call, stream, arguments, process=process)

    def page(self, label: str | None, after: int, most: int = 1000) -> list[Record]:
        """The next records behind the one with the seq ``after``."""
        phases = self._phases.values() if label is None else [self._phases.get(label, _Phase())]
        rests = (p.records[bisect.bisect_right(p.records, after, key=_seq) :] for p in phases)
        return list(itertools.islice(heapq.merge(*rests, key=_seq), most))

    def counts(self, label: str | None = None) -> dict[str, int]:
        """How often each function was called, those that were cut included."""
        total: dict[str, int] = {}
        for phase in self._phases.values() if label is None else [self._phases.get(label, _Phase())]:
            for call, count in phase.counts.items():
                total[call] = total.get(call, 0) + count
        return total

    def clear(self) -> None:
        self._phases.clear()
        self._kept = 0


def _seq(record: Record) -> int:
    return record.seq
