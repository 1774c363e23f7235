"""Streams as queues: what must wait for what, and which of the legal orders the work runs in.

An *operation* is a copy, a launch, a recorded event, ... It waits for the one before it in its stream, for events that
its stream waits for, and, by the rules of the legacy default stream, for other streams. When all that has run it is
*ready*, and may run now or later; which, is the order's choice:

- ``eager``: at once, as when nothing else keeps the GPU busy;
- ``late``: only when somebody waits for it;
- ``others-first``: on the streams that the parent did not make at once, on the parent's only when somebody waits;
- ``others-last``: the other way round;
- ``interleaved``: when somebody waits, all streams take turns, an operation each: what two contexts share shows.

Whatever the order, work that nothing waits for runs at last when the device is synchronized, or its process ends.
Rules: CUDA C++ Programming Guide 13.0, "Streams", "Default Stream", "Events".
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.simulator.runtime.capture import Capture
    from grader.simulator.runtime.context import Context

ORDERS = ("eager", "late", "others-first", "others-last", "interleaved")
MOST_QUEUED = 4096  # operations; the oldest run when there are more, as a full queue of a GPU makes a launch wait
MOST_STAGED = 64 << 20  # bytes that they hold

NON_BLOCKING = 1  # cudaStreamNonBlocking


@dataclass(slots=True, eq=False)
class Stream:
    number: int
    owner: Context | None  # None: the parent made it
    flags: int = 0
    priority: int = 0
    legacy: bool = False
    thread: int | None = None  # of a per-thread default stream
    last: Operation | None = None  # the newest operation; None: nothing is left to run
    capture: Capture | None = None

    @property
    def blocking(self) -> bool:
        """Whether it and its process's legacy stream wait for each other."""
        return not self.legacy and not self.flags & NON_BLOCKING


@dataclass(slots=True, eq=False)
class Operation:
    number: int  # rising: the order of the calls
    run: Callable[[], bool]  # does it; False: it has begun, and ``Queues.finished`` will be called
    others: bool  # on a stream that the parent did not make
    owner: Context | None
    staged: int = 0  # bytes that it holds
    waits: set[Operation] = field(default_factory=set)  # what has yet to run before
    next: list[Operation] = field(default_factory=list)  # what waits for it
    begun: bool = False
    asked: bool = False  # a query found that it had not run
    done: bool = False
    at: int = 0  # on the device's clock, when it was done


@dataclass(slots=True, eq=False)
class Event:
    number: int
    owner: Context | None
    flags: int = 0
    recorded: Operation | None = None  # None: never, or in a capture
    captured: Any = None  # (capture, the nodes that it stands for) where it was last recorded in a capture


class Queues:
    def __init__(self):
        self.order = "eager"
        self.clock = 0  # one for each operation that ran: the same in every run
        self._numbers = 0
        self._pending: dict[int, Operation] = {}  # not done, by number
        self._ready: list[tuple[int, Operation]] = []
        self._staged = 0

    def submit(
        self, run: Callable[[], bool], waits: Iterable[Operation | None], *, others: bool, owner: Context | None,
        staged: int = 0,
    ) -> Operation:  # fmt: skip
        """Queue an operation. It does not run yet: see ``advance``."""
        self._numbers += 1
        operation = Operation(self._numbers, run, others, owner, staged)
        operation.waits = {w for w in waits if w is not None and not w.done}
        for earlier in operation.waits:
            earlier.next.append(operation)
        self._pending[operation.number] = operation
        self._staged += staged
        if not operation.waits:
            self._ready.append((operation.number, operation))
        return operation

    def advance(self) -> None:
        """Run what the order runs without anybody waiting for it."""
        self._run_ready(self._at_once)
        while len(self._pending) > MOST_QUEUED or self._staged > MOST_STAGED:
            before = len(self._pending)
            self.wait_for([self._pending[next(iter(self._pending))]])
            if len(self._pending) == before:  # it waits for a host function
                return

    def _at_once(self, operation: Operation) -> bool:
        return self.order == "eager" or self.order == ("others-first" if operation.others else "others-last")

    def _run_ready(self, chosen: Callable[[Operation], bool]) -> None:
        """Run the chosen among the ready ones, and who becomes ready by that, the oldest first."""
        while self._ready:
            ready, self._ready = self._ready, []
            heapq.heapify(ready)
            kept = []
            while ready:
                number, operation = heapq.heappop(ready)
                if operation.begun:
                    continue
                if not chosen(operation):
                    kept.append((number, operation))
                    continue
                self._start(operation)
                while self._ready:
                    heapq.heappush(ready, self._ready.pop())
            self._ready = kept
            if not any(chosen(operation) for _, operation in kept):
                return

    def wait_for(self, targets: Iterable[Operation | None]) -> bool:
        """Run what must have run before somebody who waits for ``targets`` goes on, and nothing else but what the
        order runs at once. False: a host function must return first."""
        self._run_ready(self._at_once)
        targets = [t for t in targets if t is not None and not t.done]
        if self.order == "interleaved":
            return self._take_turns(targets)
        wanted: set[Operation] = set()
        left = list(targets)
        while left:
            operation = left.pop()
            if operation not in wanted:
                wanted.add(operation)
                left.extend(operation.waits)
        self._run_ready(wanted.__contains__)
        self._run_ready(self._at_once)
        return all(t.done for t in targets)

    def _take_turns(self, targets: list[Operation]) -> bool:
        while self._ready and not all(t.done for t in targets):
            turn, self._ready = sorted(self._ready), []
            for _, operation in turn:
                if not operation.begun:
                    self._start(operation)
        return all(t.done for t in targets)

    def pending(self, owner: Context | None = None) -> list[Operation]:
        """What has not run yet, of one process or of all."""
        return [o for o in self._pending.values() if owner is None or o.owner is owner]

    def _start(self, operation: Operation) -> None:
        operation.begun = True
        if operation.run():
            self.finished(operation)

    def finished(self, operation: Operation) -> None:
        self.clock += 1
        operation.done, operation.at = True, self.clock
        del self._pending[operation.number]
        self._staged -= operation.staged
        operation.run = _nothing  # its bytes go
        for later in operation.next:
            later.waits.discard(operation)
            if not later.waits:
                self._ready.append((later.number, later))
        operation.next = []


def _nothing() -> bool:
    return True
