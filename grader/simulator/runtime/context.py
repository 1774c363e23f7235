"""What one plugin process has on the device: what CUDA calls its context."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from grader.simulator.runtime.protocol import DELIVERY, LEGACY_STREAMS, PER_THREAD_STREAM
from grader.simulator.runtime.statuses import Status
from grader.simulator.runtime.streams import Event, Operation, Stream

if TYPE_CHECKING:
    from grader.simulator.runtime.machine import Machine
    from grader.simulator.runtime.work import Work

MOST_OBJECTS = 100_000  # streams, events, graphs, modules and kernels of one process together
MOST_NODES = 300_000  # that one process captures
MOST_DELIVERED = 512 << 20  # bytes for the host in one answer


class Refused(Exception):
    """A request that no honest runtime sends: its connection ends."""


class CudaError(Exception):
    """The call's answer is this status alone."""

    def __init__(self, status: int):
        super().__init__(int(status))
        self.status = Status(status)


@dataclass(slots=True)
class Answer:
    status: int = 0
    values: tuple[int, ...] = ()
    payload: bytes = b""


@dataclass(slots=True)
class Wait:
    """The answer is ``then()``, once ``targets`` have run."""

    targets: list[Operation | None]
    then: Callable[[], Answer]


@dataclass(eq=False)
class Context:
    number: int
    machine: Machine
    streams: dict[int, Stream] = field(default_factory=dict)
    events: dict[int, Event] = field(default_factory=dict)
    modules: dict[int, str] = field(default_factory=dict)  # the backend's handles
    kernels: dict[int, Any] = field(default_factory=dict)
    kernel_numbers: dict[tuple[int, str], int] = field(default_factory=dict)
    buffers: dict[int, int] = field(default_factory=dict)  # of cudaMalloc and cudaMallocAsync: address to bytes
    pooled: set[int] = field(default_factory=set)  # of cudaMallocAsync
    freeing: set[int] = field(default_factory=set)  # of those, given to cudaFreeAsync
    graph_memory: dict[int, int] = field(default_factory=dict)  # what captured cudaMallocAsync calls got: bytes
    graph_live: set[int] = field(default_factory=set)  # of those: allocated by a launch, not freed yet
    graph_nodes: int = 0  # captured so far
    graph_bytes: int = 0  # of the host, in them
    retired: list[Stream] = field(default_factory=list)  # destroyed, with work left
    graphs: dict[int, Any] = field(default_factory=dict)
    executables: dict[int, Any] = field(default_factory=dict)
    modes: dict[int, int] = field(default_factory=dict)  # cudaStreamCaptureMode of threads
    sticky: int = 0  # what every call answers after a kernel's fault
    deliveries: list[tuple[int, bytes]] = field(default_factory=list)
    delivered: int = 0  # bytes of them
    host_functions: deque[tuple[int, Operation]] = field(default_factory=deque)  # begun: token, operation
    running: dict[int, Operation] = field(default_factory=dict)  # handed out to the process, by token
    broken: str = ""  # why its connection is to end
    allocations: int = 0  # so far, for names

    def __post_init__(self):
        self.legacy = Stream(0, self, legacy=True)
        self.per_thread: dict[int, Stream] = {}

    def stream(self, number: int, thread: int) -> Stream:
        """The stream that a thread means: its own default stream, one of this process, one of the parent's."""
        if number in LEGACY_STREAMS:
            return self.legacy
        if number == PER_THREAD_STREAM:
            if thread not in self.per_thread:
                self.room()
                self.per_thread[thread] = Stream(PER_THREAD_STREAM, self, thread=thread)
            return self.per_thread[thread]
        found = self.streams.get(number) or self.machine.streams.get(number)
        if found is None:
            raise CudaError(Status.INVALID_RESOURCE_HANDLE)
        return found

    def blocking(self) -> Iterable[Stream]:
        """The streams that wait for the legacy stream, and it for them."""
        yield from (s for s in self.streams.values() if s.blocking)
        yield from (s for s in self.retired if s.blocking)
        yield from self.per_thread.values()
        yield from (s for s in self.machine.streams.values() if s.blocking)

    def all_streams(self) -> Iterable[Stream]:
        yield self.legacy
        yield from self.per_thread.values()
        yield from self.streams.values()
        yield from self.machine.streams.values()

    def event(self, number: int) -> Event:
        if number not in self.events:
            raise CudaError(Status.INVALID_RESOURCE_HANDLE)
        return self.events[number]

    def room(self) -> None:
        """Before an object is made: there is a bound, as on a GPU."""
        parts = (self.streams, self.events, self.modules, self.kernels, self.graphs, self.executables, self.buffers,
                 self.graph_memory, self.modes)  # fmt: skip
        if sum(map(len, parts)) + len(self.per_thread) >= MOST_OBJECTS:
            raise CudaError(Status.MEMORY_ALLOCATION)

    def give_back(self, address: int) -> bool:
        """Free what a graph's launch has allocated: whether that is what it is."""
        found = address in self.graph_live
        self.graph_live.discard(address)
        return found

    def keep_for_graph(self, work: Work) -> None:
        """Before a work is captured, which may hold bytes for ever."""
        self.graph_nodes += 1
        self.graph_bytes += work.staged
        if self.graph_nodes > MOST_NODES or self.graph_bytes > MOST_DELIVERED:
            raise CudaError(Status.MEMORY_ALLOCATION)

    def deliver(self, address: int, data: bytes) -> None:
        """A copy to the host is done; the bytes go with the next answer that can carry them."""
        self.delivered += len(data)
        if self.delivered > MOST_DELIVERED:
            self.broken = "copies to the host that nobody fetches"  # its connection ends with its next request
            return
        self.deliveries.append((address, data))

    def take_deliveries(self) -> bytes:
        data = b"".join(part for address, data in self.deliveries for part in (DELIVERY.pack(address, len(data)), data))
        self.deliveries, self.delivered = [], 0
        return data

    def live(self) -> dict[str, int]:
        return {
            "allocations": len(self.buffers), "bytes": sum(self.buffers.values()), "streams": len(self.streams),
            "events": len(self.events), "graphs": len(self.graphs) + len(self.executables),
            "modules": len(self.modules),
        }  # fmt: skip


def float_bits(value: float) -> int:
    return struct.unpack("<I", struct.pack("<f", value))[0]
