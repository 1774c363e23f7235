"""The device that plugin processes share with the parent: memory, queues, captures, and the log of all of it."""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Iterable
from typing import Any

from grader.simulator.backend import DEFAULT_BUDGET, SimulatedBackend
from grader.simulator.records import DeviceError, Fault
from grader.simulator.records import Launch as LaunchResult
from grader.simulator.runtime.capture import Captures
from grader.simulator.runtime.context import Context, CudaError
from grader.simulator.runtime.graphs import Executable, Graph
from grader.simulator.runtime.log import Log, Record
from grader.simulator.runtime.statuses import Status
from grader.simulator.runtime.streams import Event, Operation, Queues, Stream
from grader.simulator.runtime.work import Nothing, Work, described, failed

CAPACITY = 1 << 30  # bytes that plugin processes can have together
MOST_FREED = 1000  # freed buffers that are remembered: each costs time at every launch
MOST_COUNTED = 10_000  # launches whose counters are kept
MOST_KEPT_TEXTS = 16  # PTX of fat binaries


class Machine:
    def __init__(self, backend: SimulatedBackend):
        self.backend, self.memory = backend, backend.memory
        self._texts: dict[bytes, str] = {}
        self.restart()

    def restart(self) -> None:
        """Forget everything; who was connected is not any more."""
        self.queues, self.captures, self.log = Queues(), Captures(), Log()
        self.contexts: dict[int, Context] = {}
        self.streams: dict[int, Stream] = {}  # the parent's
        self.graphs: dict[int, Graph] = {}  # the parent's
        self.executables: dict[int, Executable] = {}  # of those, by graph
        self.collected: dict[int, bytes] = {}  # what consume brought, by ticket
        self.promised: set[int] = set()  # buffers of cudaMallocAsync calls whose turn has not come
        self.first_fault: Fault | None = None
        self.defects: list[str] = []  # of ours, with their tracebacks: each has ended a connection or an operation
        self.injected: dict[str, int] = {}  # statuses that the next such call gets, by the call's name
        self.races, self.counting, self.budget = True, False, DEFAULT_BUDGET
        self.counted: list[dict[str, Any]] = []
        self._numbers = 2
        self._processes = 0
        self._loaded: dict[str, str] = {}  # PTX of the modules that were loaded
        self._spare: dict[str, str] = {}  # of those, whom nobody has now
        self._freed = 0

    def number(self) -> int:
        """A fresh number for a stream, an event, a kernel, ..., never given twice."""
        self._numbers += 1
        return self._numbers

    # ---- queues ----

    def waits_of(self, context: Context | None, stream: Stream) -> Iterable[Operation | None]:
        """What new work in a stream has to wait for."""
        yield stream.last
        if stream.legacy:
            for other in context.blocking():
                yield other.last
        elif stream.blocking:
            for one in [context] if context else self.contexts.values():
                yield one.legacy.last

    def submit(
        self, work: Work, waits: Iterable[Operation | None], *, owner: Context | None, others: bool,
        record: Record | None,
    ) -> Operation:  # fmt: skip
        operation: Operation | None = None

        def run() -> bool:
            if owner is not None and owner.sticky:
                return True  # nothing runs after a fault
            try:
                done = work.perform(self, owner, record)
            except DeviceError as error:  # the parent's copy, of memory that the parent has freed
                failed(self, owner, record, Fault("freed_pointer", error.sentence, record.call))
                done = True
            except Exception:  # a defect of ours must not stop the queue
                self.defects.append(traceback.format_exc(limit=8))
                done = True
            if done:
                return True
            owner.host_functions.append((work.token, operation))
            return False

        operation = self.queues.submit(run, waits, others=others, owner=owner, staged=work.staged)
        return operation

    def enqueue(
        self, stream: Stream, work: Work, context: Context | None, record: Record, *,
        also: Iterable[Operation | None] = (), event: Event | None = None,
    ) -> Operation | None:  # fmt: skip
        """Work for a stream: queued, or captured (then None). ``also``: what it waits for besides; ``event``: an
        external one of a capture."""
        record.arguments.update(described(work, self))
        capture = self.captures.use(stream, context)
        if capture is not None:
            record.arguments["captured"] = True
            if context is not None:
                context.keep_for_graph(work)
            self.captures.add(capture, stream, work, context, record.thread, record.call, record.arguments, event)
            return None
        waits = [*self.waits_of(context, stream), *also]
        owner = None if work.of_parent else context
        operation = self.submit(work, waits, owner=owner, others=stream.owner is not None, record=record)
        stream.last = operation
        self.queues.advance()
        return operation

    def record_event(
        self, event: Event, stream: Stream, context: Context | None, record: Record, external: bool
    ) -> None:
        capture = self.captures.use(stream, context)
        if external:
            if capture is None:
                raise CudaError(Status.ILLEGAL_STATE)
            self.enqueue(stream, Nothing(), context, record, event=event)
        elif capture is not None:
            event.recorded, event.captured = None, (capture, list(capture.ends[stream]))
            record.arguments["captured"] = True
        else:
            event.recorded, event.captured = self.enqueue(stream, Nothing(), context, record), None

    def everything(self, context: Context | None) -> list[Operation]:
        """What has not run, of a process and of the parent; for the parent (None) of all."""
        return [o for o in self.queues.pending() if context is None or o.owner in (None, context)]

    # ---- memory ----

    def where(self, address: int) -> str:
        """An address by buffer: "y + 64"; a number where no buffer is."""
        buffer = self.memory.buffer_at(address)
        if buffer is None:
            return hex(address)
        name = buffer.name or hex(buffer.base)
        return name if address == buffer.base else f"{name} + {address - buffer.base}"

    def inside(self, address: int, nbytes: int) -> bool:
        """Whether bytes lie in one live buffer."""
        buffer = self.memory.buffer_at(address)
        if buffer is None or (buffer.freed and buffer.base not in self.promised):
            return False
        return address + nbytes <= buffer.base + buffer.bytes

    def used(self) -> int:
        """Bytes that plugin processes have, in graphs too."""
        return sum(sum(c.buffers.values()) + sum(c.graph_memory.values()) for c in self.contexts.values())

    def allocate(self, context: Context, nbytes: int, call: str) -> int:
        context.room()
        if nbytes > CAPACITY - self.used():
            raise CudaError(Status.MEMORY_ALLOCATION)
        context.allocations += 1
        name = f"{context.allocations} of {call}"
        try:
            address = self.memory.alloc(nbytes, name=name, read_only=False, fill=None, sparse=False)
        except DeviceError:
            raise CudaError(Status.MEMORY_ALLOCATION) from None
        context.buffers[address] = nbytes
        return address

    def free(self, address: int) -> None:
        if address in self.promised:
            self.promised.discard(address)
            self.memory.set_live(address, True)
        self.memory.free(address)
        self.count_freed()

    def count_freed(self) -> None:
        """After every free, the parent's too."""
        self._freed += 1
        if self._freed > MOST_FREED:
            self._freed = MOST_FREED // 2
            self.memory.forget_freed(MOST_FREED // 2)

    # ---- modules ----

    def text_of(self, image: bytes) -> str:
        """The PTX of a fat binary, kept: a second process brings the same one. ``FatbinError`` where there is none."""
        from grader.toolchain.fatbin import ptx_of

        key = hashlib.sha256(image).digest()
        if key not in self._texts:
            self._texts[key] = ptx_of(image)
            while len(self._texts) > MOST_KEPT_TEXTS:
                del self._texts[next(iter(self._texts))]
        return self._texts[key]

    def load(self, image: bytes) -> str:
        """A module of a fat binary: the backend's handle. One that another process left serves again, as new: it need
        not be decoded. ``FatbinError``, ``DeviceError``."""
        text = self.text_of(image)
        for handle, of in self._spare.items():
            if of == text:
                del self._spare[handle]
                return handle
        handle = self.backend.load(text)
        self._loaded[handle] = text
        return handle

    def unload(self, handle: str) -> None:
        self.backend.renew(handle)
        self._spare[handle] = self._loaded[handle]
        while len(self._spare) > MOST_KEPT_TEXTS:
            oldest = next(iter(self._spare))
            del self._spare[oldest], self._loaded[oldest]
            self.backend.unload(oldest)

    def count(self, record: Record, kernel: str, launch: LaunchResult) -> None:
        if len(self.counted) < MOST_COUNTED:
            self.counted.append({
                "seq": record.seq, "label": record.label, "kernel": kernel, "counters": launch.counters,
                "estimates": launch.estimates, "lines": list(launch.lines),
            })  # fmt: skip

    # ---- processes ----

    def connect(self) -> Context:
        self._processes += 1
        context = Context(self._processes, self)
        self.contexts[context.number] = context
        return context

    def disconnect(self, context: Context) -> None:
        """A process is gone. What it left queued runs all the same, and what it held is free again."""
        for capture in [c for c in self.captures.active if c.context is context]:
            self.captures.drop(capture)
        for capture in self.captures.active:
            capture.invalid |= any(stream.owner is context for stream in capture.ends)
        while left := self.queues.pending(context):
            self.queues.wait_for(left)
            for _, operation in [*context.host_functions, *context.running.items()]:
                self.queues.finished(operation)  # nobody is there to run them
            context.host_functions.clear()
            context.running.clear()
        for address in [*context.buffers, *context.graph_memory]:
            self.free(address)
        for module in context.modules.values():
            self.unload(module)
        del self.contexts[context.number]

    def synchronize(self, stream: Stream | None) -> int:
        """The parent waits. ``NOT_READY`` where a host function has to run first, in the plugin process."""
        if stream is None:
            self.captures.waiting_for_device(None)
            targets = self.everything(None)
        else:
            self.captures.waiting(stream, None, None)
            targets = [stream.last]
        if not self.queues.wait_for(targets):
            return Status.NOT_READY
        return next((c.sticky for c in self.contexts.values() if c.sticky), 0)

