"""What the plugin processes asked of the device, call by call: the evidence of a run."""

from __future__ import annotations

import bisect
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


class Log:
    """Bounded: of what comes too often only the number is kept."""

    def __init__(self):
        self.label = ""
        self._records: list[Record] = []
        self._seq = 0
        self._counts: dict[tuple[str, str], int] = {}

    def add(self, process: int, thread: int, call: str, stream: int | None, arguments: dict[str, Any]) -> Record:
        """A fresh record, whose status and fault the caller fills in; it may not be among those that are kept."""
        self._seq += 1
        record = Record(self._seq, self.label, thread, call, stream, arguments, process=process)
        key = self.label, call
        if key not in self._counts and len(self._counts) >= MOST_RECORDS:
            return record
        count = self._counts[key] = self._counts.get(key, 0) + 1
        if count <= MOST_OF_A_CALL and len(self._records) < MOST_RECORDS:
            self._records.append(record)
        return record

    def unkept(self, process: int, thread: int, call: str, stream: int | None, arguments: dict[str, Any]) -> Record:
        """A record of what is nobody's call."""
        return Record(0, self.label, thread, call, stream, arguments, process=process)

    def page(self, label: str | None, after: int, most: int = 1000) -> list[Record]:
        """The next records behind the one with the seq ``after``."""
        begin = bisect.bisect_right(self._records, after, key=lambda r: r.seq)
        wanted = (r for r in itertools.islice(self._records, begin, None) if label is None or r.label == label)
        return list(itertools.islice(wanted, most))

    def counts(self, label: str | None = None) -> dict[str, int]:
        """How often each function was called, those that were cut included."""
        total: dict[str, int] = {}
        for (of, call), count in self._counts.items():
            if label is None or of == label:
                total[call] = total.get(call, 0) + count
        return total

    def clear(self) -> None:
        self._records.clear()
        self._counts.clear()
