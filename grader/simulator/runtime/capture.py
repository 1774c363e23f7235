"""Stream capture: what is recorded instead of run, and what is refused meanwhile.

A capture begins on one stream, its *origin*; other streams join it by waiting for an event that was recorded in it, and
must be joined back the same way. The rules, and which status tells which of them is broken: CUDA C++ Programming Guide
13.0, "CUDA Graphs", "Creating a Graph Using Stream Capture"; ``cuda_runtime_api.h`` 13.0 at cudaStreamBeginCapture,
cudaThreadExchangeStreamCaptureMode, cudaStreamIsCapturing; ``driver_types.h`` 13.0 at cudaErrorStreamCaptureUnsupported
and below. Where these leave it open, it is as an H200 did with CUDA 13.0 (``h200_statuses.csv`` beside the tests).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from grader.simulator.runtime.context import Context, CudaError
from grader.simulator.runtime.graphs import Graph, Node
from grader.simulator.runtime.statuses import Status
from grader.simulator.runtime.streams import Event, Stream
from grader.simulator.runtime.work import Work

GLOBAL, THREAD_LOCAL, RELAXED = 0, 1, 2  # cudaStreamCaptureMode
NONE, ACTIVE, INVALIDATED = 0, 1, 2  # cudaStreamCaptureStatus
MOST_NODES = 20_000  # of one graph


@dataclass(eq=False)
class Capture:
    number: int
    origin: Stream
    mode: int
    context: Context | None  # None: the parent began it, for whichever process works on its stream
    thread: int | None  # None: the parent's; it stands for the thread that the parent has work for it
    graph: Graph = field(default_factory=Graph)
    ends: dict[Stream, list[Node]] = field(default_factory=dict)  # of every stream in it: what new nodes follow
    invalid: bool = False

    def __post_init__(self):
        self.ends[self.origin] = []

    def concerns(self, context: Context | None) -> bool:
        return self.context is None or context is None or self.context is context

    def of_thread(self, context: Context | None, thread: int | None) -> bool:
        return self.thread is None or (self.context is context and self.thread == thread)


class Captures:
    """The captures under way. ``CudaError`` carries what a call is refused with."""

    def __init__(self):
        self.active: list[Capture] = []
        self._begun = 0

    def begin(self, stream: Stream, mode: int, context: Context | None, thread: int | None) -> None:
        if stream.legacy:
            self.legacy(context)
            raise CudaError(Status.CAPTURE_UNSUPPORTED)
        if not 0 <= mode <= RELAXED:
            raise CudaError(Status.INVALID_VALUE)
        if stream.capture is not None:
            raise CudaError(Status.ILLEGAL_STATE)
        self._begun += 1
        stream.capture = Capture(self._begun, stream, mode, context, thread)
        self.active.append(stream.capture)

    def end(self, stream: Stream, context: Context | None, thread: int | None) -> Graph:
        capture = stream.capture
        if capture is None:
            raise CudaError(Status.ILLEGAL_STATE)
        if capture.origin is not stream:
            self.refuse(Status.CAPTURE_UNMATCHED, capture)
        self.drop(capture)
        if capture.mode != RELAXED and not capture.of_thread(context, thread):
            raise CudaError(Status.CAPTURE_WRONG_THREAD)
        if capture.invalid:
            raise CudaError(Status.CAPTURE_INVALIDATED)
        if not _joined(capture):
            raise CudaError(Status.CAPTURE_UNJOINED)
        return capture.graph

    def drop(self, capture: Capture) -> None:
        """Its streams run what comes from now on."""
        self.active.remove(capture)
        for stream in capture.ends:
            stream.capture = None

    def refuse(self, status: Status, *captures: Capture) -> None:
        """A rule is broken: the captures that it concerns are invalid from now on."""
        for capture in captures:
            capture.invalid = True
        raise CudaError(status)

    # ---- what calls ask before they do anything ----

    def unsafe(self, context: Context | None, thread: int | None) -> None:
        """Before a call that no capture can see, such as cudaMalloc."""
        mode = context.modes.get(thread, GLOBAL) if context is not None else GLOBAL
        if mode == RELAXED or not self.active:
            return
        broken = []
        for capture in self.active:
            if not capture.concerns(context) or capture.mode == RELAXED:
                continue
            if capture.of_thread(context, thread) or (mode == GLOBAL and capture.mode == GLOBAL):
                broken.append(capture)
        if broken:
            self.refuse(Status.CAPTURE_UNSUPPORTED, *broken)

    def legacy(self, context: Context | None) -> None:
        """Before a use of the legacy stream: it would wait for blocking streams, which are being captured."""
        if broken := self.of_blocking_streams(context):
            self.refuse(Status.CAPTURE_IMPLICIT, *broken)

    def of_blocking_streams(self, context: Context | None) -> list[Capture]:
        return [c for c in self.active if c.concerns(context) and any(s.blocking for s in c.ends)]

    def destroyed(self, stream: Stream) -> None:
        """Before a stream goes: its capture goes too. What a stream did that joined one must be joined all the same."""
        if stream.capture is not None and stream.capture.origin is stream:
            self.drop(stream.capture)

    def waiting(self, stream: Stream, context: Context | None, thread: int | None) -> None:
        """Before a call that asks or waits for a stream: what is captured does not run."""
        self.not_for_captured(stream)
        if stream.legacy:
            self.legacy(context)
        self.unsafe(context, thread)

    def not_for_captured(self, stream: Stream) -> None:
        """Before a call that no stream in a capture takes."""
        if stream.capture is not None:
            self.refuse(Status.CAPTURE_UNSUPPORTED, stream.capture)

    def waiting_for_device(self, context: Context | None) -> None:
        if broken := [c for c in self.active if c.concerns(context)]:
            self.refuse(Status.CAPTURE_UNSUPPORTED, *broken)

    def event(self, event: Event, context: Context | None, thread: int | None) -> None:
        """Before a call that asks or waits for an event."""
        self.not_over(event)
        if event.captured is not None:
            self.refuse(Status.CAPTURED_EVENT, event.captured[0])
        self.unsafe(context, thread)

    def not_over(self, event: Event) -> None:
        """An event of a capture that has ended, or is invalid, stands for nothing."""
        if event.captured is not None and (event.captured[0].invalid or event.captured[0] not in self.active):
            raise CudaError(Status.INVALID_VALUE)

    def use(self, stream: Stream, context: Context | None) -> Capture | None:
        """Before work goes into a stream: the capture that takes it, None where it is to run."""
        if stream.legacy:
            self.legacy(context)
        if stream.capture is not None and stream.capture.invalid:
            raise CudaError(Status.CAPTURE_INVALIDATED)
        return stream.capture

    # ---- what is captured ----

    def add(
        self, capture: Capture, stream: Stream, work: Work, context: Context | None, thread: int, call: str,
        arguments: dict[str, Any], event: Event | None = None,
    ) -> None:  # fmt: skip
        """``event``: an external one, which the node records or waits for at every launch."""
        if len(capture.graph.nodes) >= MOST_NODES:
            self.refuse(Status.MEMORY_ALLOCATION, capture)
        node = Node(work, list(capture.ends[stream]), stream.owner is not None, context, thread, call, arguments, event)
        capture.graph.nodes.append(node)
        capture.ends[stream] = [node]

    def wait(self, stream: Stream, event: Event, context: Context | None) -> bool:
        """cudaStreamWaitEvent where a capture has a part in it: True where that is all that is to be done."""
        of_event = event.captured[0] if event.captured else None
        if stream.legacy and of_event in self.active and not of_event.invalid:
            self.refuse(Status.CAPTURE_IMPLICIT, of_event)
        own = self.use(stream, context)
        self.not_over(event)
        if of_event is None:
            if own is not None and event.recorded is not None:
                self.refuse(Status.CAPTURE_ISOLATION, own)
            return own is not None
        if own is not None and own is not of_event:
            self.refuse(Status.CAPTURE_MERGE, own, of_event)
        if own is None:
            stream.capture = of_event
            of_event.ends[stream] = []
        ends = of_event.ends[stream]
        of_event.ends[stream] = ends + [n for n in event.captured[1] if n not in ends]
        return True


def _joined(capture: Capture) -> bool:
    """Whether the origin has waited for all that other streams did."""
    seen: set[int] = set()
    left = list(capture.ends[capture.origin])
    while left:
        node = left.pop()
        if id(node) not in seen:
            seen.add(id(node))
            left.extend(node.after)
    return all(id(node) in seen for ends in capture.ends.values() for node in ends)
