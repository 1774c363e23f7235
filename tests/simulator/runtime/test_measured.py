"""The same statuses as an H200 with CUDA 13.0: ``h200_statuses.csv``, by ``measure_h200.cu``."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from plugin_process import ASYNC, D2D, D2H, H2D, PINNED, PluginProcess

from grader.simulator.runtime.protocol import Call, Note

ROWS = [row for row in csv.reader((Path(__file__).parent / "h200_statuses.csv").open()) if not row[0].startswith("#")]
MODES = ("global", "thread-local", "relaxed")


class World:
    """What the program of the measurement has: a stream ``s`` that is captured, ``side`` and ``blocking`` that are not;
    events that were recorded ``outside`` before, never (``fresh``), and ``inside`` the capture."""

    def __init__(self, process: PluginProcess, kernel: int, blocking: bool):
        self.process, self.kernel, self.thread = process, kernel, 1
        self.s, self.side, self.blocking = (process.stream(flags) for flags in (0 if blocking else 1, 1, 0))
        self.outside, self.fresh, self.inside = (process.event() for _ in range(3))
        self.memory, self.more = process.malloc(4096), process.malloc(4096)
        self.pool = process.ok(Call.MALLOC_ASYNC, 4096, self.side)[0]
        process.ok(Call.CAPTURE_BEGIN, self.side, 2)
        self.launch(self.side)
        self.graph = process.ok(Call.CAPTURE_END, self.side)[0]
        self.executable = process.ok(Call.GRAPH_INSTANTIATE, self.graph)[0]
        process.ok(Call.EVENT_RECORD, self.outside, self.side, 0)
        process.ok(Call.DEVICE_SYNCHRONIZE)

    def __call__(self, call: Call, *arguments: int, payload: bytes = b"") -> int:
        return self.process.call(call, *arguments, payload=payload, thread=self.thread).status

    def launch(self, stream: int, grid: int = 1) -> int:
        args = self.process.memory.to_bytes(8, "little")
        return self.process.launch(self.kernel, grid, 32, args, stream, thread=self.thread)

    def first_error(self, *statuses: int) -> int:
        return next((status for status in statuses if status), 0)


def merge(w: World) -> int:
    w(Call.CAPTURE_BEGIN, w.side, 2)
    status = w(Call.STREAM_WAIT_EVENT, w.side, w.inside, 0)
    assert w(Call.CAPTURE_END, w.side) == 901
    return status


def joined(w: World) -> int:
    return w.first_error(
        w(Call.STREAM_WAIT_EVENT, w.side, w.inside, 0), w.launch(w.side), w(Call.EVENT_RECORD, w.fresh, w.side, 0),
        w(Call.STREAM_WAIT_EVENT, w.s, w.fresh, 0),
    )  # fmt: skip


def forked(w: World, call: Call, *arguments: int) -> int:
    return w.first_error(w(Call.STREAM_WAIT_EVENT, w.side, w.inside, 0), w(call, *(arguments or (w.side,))))


def destroyed(w: World) -> int:
    w(Call.STREAM_WAIT_EVENT, w.side, w.inside, 0)
    w.launch(w.side)
    return w(Call.STREAM_DESTROY, w.side)


def event_of_side(w: World) -> int:
    w(Call.STREAM_WAIT_EVENT, w.side, w.inside, 0)
    w(Call.EVENT_RECORD, w.fresh, w.side, 0)
    return w(Call.EVENT_QUERY, w.fresh)


def allocated(w: World, call: Call) -> int:
    got = w.process.call(Call.MALLOC_ASYNC, 256, w.s, thread=w.thread)
    return got.status or w(call, got.values[0], w.s)


def invalidated(then):
    """A call that invalidates the capture, then another."""
    return lambda w: (w(Call.STREAM_QUERY, w.s), then(w))[1]


def after(call: Call, *arguments: int | str):
    return invalidated(lambda w: w(call, *(getattr(w, a) if isinstance(a, str) else a for a in arguments)))


def in_mode(w: World, mode: int, call: Call, argument: int) -> int:
    old = w.process.ok(Call.CAPTURE_MODE, mode, thread=w.thread)[0]
    status = w(call, argument)
    assert w.process.ok(Call.CAPTURE_MODE, old, thread=w.thread)[0] == mode
    return status


UNSAFE = lambda w: w(Call.NOTE, Note.MAY_BE_CALLED, 0)  # noqa: E731
DATA = bytes(64)
# What the runtime answers without asking the device is not here.
CALLS = {
    "cudaMalloc": lambda w: w(Call.MALLOC, 256),
    "cudaFree": lambda w: w(Call.FREE, w.more),
    "cudaFree(null)": lambda w: w(Call.FREE, 0),
    "cudaMallocHost": UNSAFE,
    "cudaHostRegister": UNSAFE,
    "cudaMallocAsync(s)": lambda w: w(Call.MALLOC_ASYNC, 256, w.s),
    "cudaMallocAsync(side)": lambda w: w(Call.MALLOC_ASYNC, 256, w.side),
    "cudaFreeAsync(outside's, s)": lambda w: w(Call.FREE_ASYNC, w.pool, w.s),
    "cudaFreeAsync(outside's, side)": lambda w: w(Call.FREE_ASYNC, w.pool, w.side),
    "cudaMemGetInfo": lambda w: w(Call.MEMORY_INFO),
    "cudaPointerGetAttributes": lambda w: w(Call.POINTER, w.memory),
    "cudaMemcpy(to device)": lambda w: w(Call.COPY, H2D, w.memory, 1, 64, 0, 0, payload=DATA),
    "cudaMemcpy(to host)": lambda w: w(Call.COPY, D2H, 1, w.memory, 64, 0, 0),
    "cudaMemcpy(on device)": lambda w: w(Call.COPY, D2D, w.memory + 256, w.memory, 64, 0, 0),
    "cudaMemset": lambda w: w(Call.SET, w.memory, 0, 64, 0, 0),
    "cudaMemcpyAsync(to device, legacy)": lambda w: w(Call.COPY, H2D, w.memory, 1, 64, 0, ASYNC | PINNED, payload=DATA),
    "cudaMemcpyAsync(to device, pageable, s)": lambda w: w(Call.COPY, H2D, w.memory, 1, 64, w.s, ASYNC, payload=DATA),
    "cudaMemcpyAsync(to host, pageable, s)": lambda w: w(Call.COPY, D2H, 1, w.memory, 64, w.s, ASYNC),
    "cudaMemcpyAsync(to device, pinned, s)": lambda w: w(Call.COPY, H2D, w.memory, 1, 64, w.s, 3, payload=DATA),
    "cudaMemcpyAsync(to device, pageable, side)": lambda w: w(Call.COPY, H2D, w.memory, 1, 64, w.side, 1, payload=DATA),
    "cudaMemcpyAsync(to host, pageable, side)": lambda w: w(Call.COPY, D2H, 1, w.memory, 64, w.side, ASYNC),
    "cudaMemsetAsync(s)": lambda w: w(Call.SET, w.memory, 0, 64, w.s, ASYNC),
    "launch(s)": lambda w: w.launch(w.s),
    "launch(side)": lambda w: w.launch(w.side),
    "launch(blocking)": lambda w: w.launch(w.blocking),
    "launch(legacy)": lambda w: w.launch(0),
    "launch(per thread)": lambda w: w.launch(2),
    "launch(s, 0 blocks)": lambda w: w.launch(w.s, 0),
    "cudaLaunchHostFunc(s)": lambda w: w(Call.HOST_FUNCTION, w.s, 1, 0),
    "cudaStreamAddCallback(s)": lambda w: w(Call.HOST_FUNCTION, w.s, 1, 1),
    "cudaStreamAddCallback(side)": lambda w: w(Call.HOST_FUNCTION, w.side, 1, 1),
    "cudaStreamCreate": lambda w: w(Call.STREAM_CREATE, 0, 0),
    "cudaStreamDestroy(side)": lambda w: w(Call.STREAM_DESTROY, w.side),
    "cudaStreamSynchronize(s)": lambda w: w(Call.STREAM_SYNCHRONIZE, w.s),
    "cudaStreamSynchronize(side)": lambda w: w(Call.STREAM_SYNCHRONIZE, w.side),
    "cudaStreamSynchronize(blocking)": lambda w: w(Call.STREAM_SYNCHRONIZE, w.blocking),
    "cudaStreamSynchronize(legacy)": lambda w: w(Call.STREAM_SYNCHRONIZE, 0),
    "cudaStreamQuery(s)": lambda w: w(Call.STREAM_QUERY, w.s),
    "cudaStreamQuery(side)": lambda w: w(Call.STREAM_QUERY, w.side),
    "cudaStreamQuery(legacy)": lambda w: w(Call.STREAM_QUERY, 0),
    "cudaDeviceSynchronize": lambda w: w(Call.DEVICE_SYNCHRONIZE),
    "cudaStreamGetFlags(s)": lambda w: w(Call.STREAM_FLAGS, w.s),
    "cudaStreamIsCapturing(legacy)": lambda w: w(Call.CAPTURE_INFO, 0),
    "cudaStreamIsCapturing(side)": lambda w: w(Call.CAPTURE_INFO, w.side),
    "cudaEventCreate": lambda w: w(Call.EVENT_CREATE, 0),
    "cudaEventRecord(side)": lambda w: w(Call.EVENT_RECORD, w.fresh, w.side, 0),
    "cudaEventRecord(s)": lambda w: w(Call.EVENT_RECORD, w.fresh, w.s, 0),
    "cudaEventRecord(s, external)": lambda w: w(Call.EVENT_RECORD, w.fresh, w.s, 1),
    "cudaEventRecord(legacy)": lambda w: w(Call.EVENT_RECORD, w.fresh, 0, 0),
    "cudaEventQuery(outside)": lambda w: w(Call.EVENT_QUERY, w.outside),
    "cudaEventQuery(fresh)": lambda w: w(Call.EVENT_QUERY, w.fresh),
    "cudaEventQuery(inside)": lambda w: w(Call.EVENT_QUERY, w.inside),
    "cudaEventSynchronize(outside)": lambda w: w(Call.EVENT_SYNCHRONIZE, w.outside),
    "cudaEventSynchronize(inside)": lambda w: w(Call.EVENT_SYNCHRONIZE, w.inside),
    "cudaEventElapsedTime(outside)": lambda w: w(Call.EVENT_ELAPSED, w.outside, w.outside),
    "cudaEventElapsedTime(inside)": lambda w: w(Call.EVENT_ELAPSED, w.outside, w.inside),
    "cudaEventDestroy(outside)": lambda w: w(Call.EVENT_DESTROY, w.outside),
    "cudaStreamWaitEvent(s, outside)": lambda w: w(Call.STREAM_WAIT_EVENT, w.s, w.outside, 0),
    "cudaStreamWaitEvent(s, outside, external)": lambda w: w(Call.STREAM_WAIT_EVENT, w.s, w.outside, 1),
    "cudaStreamWaitEvent(s, fresh)": lambda w: w(Call.STREAM_WAIT_EVENT, w.s, w.fresh, 0),
    "cudaStreamWaitEvent(s, inside)": lambda w: w(Call.STREAM_WAIT_EVENT, w.s, w.inside, 0),
    "cudaStreamWaitEvent(side, inside)": lambda w: w(Call.STREAM_WAIT_EVENT, w.side, w.inside, 0),
    "cudaStreamWaitEvent(side, inside), launch": lambda w: w.first_error(
        w(Call.STREAM_WAIT_EVENT, w.side, w.inside, 0), w.launch(w.side)
    ),
    "cudaStreamWaitEvent(legacy, inside)": lambda w: w(Call.STREAM_WAIT_EVENT, 0, w.inside, 0),
    "cudaStreamWaitEvent(legacy, outside)": lambda w: w(Call.STREAM_WAIT_EVENT, 0, w.outside, 0),
    "fork and join": joined,
    "fork, cudaStreamEndCapture(side)": lambda w: forked(w, Call.CAPTURE_END),
    "fork, cudaStreamSynchronize(side)": lambda w: forked(w, Call.STREAM_SYNCHRONIZE),
    "merge": merge,
    "cudaStreamBeginCapture(s)": lambda w: w(Call.CAPTURE_BEGIN, w.s, 0),
    "cudaStreamBeginCapture(legacy)": lambda w: w(Call.CAPTURE_BEGIN, 0, 0),
    "cudaStreamEndCapture(side)": lambda w: w(Call.CAPTURE_END, w.side),
    "cudaStreamEndCapture(s)": lambda w: w(Call.CAPTURE_END, w.s),
    "cudaGraphLaunch(s)": lambda w: w(Call.GRAPH_LAUNCH, w.executable, w.s),
    "cudaGraphLaunch(side)": lambda w: w(Call.GRAPH_LAUNCH, w.executable, w.side),
    "cudaGraphInstantiate": lambda w: w(Call.GRAPH_INSTANTIATE, w.graph),
    "cudaMemcpyAsync(beyond the buffer, s)": lambda w: w(Call.COPY, H2D, 1 << 46, 1, 64, w.s, 3, payload=DATA),
    "cudaMemsetAsync(beyond the buffer, s)": lambda w: w(Call.SET, 1 << 46, 0, 64, w.s, ASYNC),
    "cudaMallocAsync(s), cudaFreeAsync": lambda w: allocated(w, Call.FREE_ASYNC),
    "cudaMallocAsync(s), cudaFree": lambda w: allocated(w, Call.FREE),
    "fork, cudaStreamDestroy(side)": lambda w: forked(w, Call.STREAM_DESTROY),
    "fork, launch, cudaStreamDestroy(side)": destroyed,
    "fork, cudaStreamBeginCapture(side)": lambda w: forked(w, Call.CAPTURE_BEGIN, w.side, 2),
    "fork, cudaEventQuery(in side)": event_of_side,
    "invalidate, launch(s)": invalidated(lambda w: w.launch(w.s)),
    "invalidate, cudaEventQuery(inside)": after(Call.EVENT_QUERY, "inside"),
    "invalidate, cudaStreamWaitEvent(side, inside)": after(Call.STREAM_WAIT_EVENT, "side", "inside", 0),
    "invalidate, cudaStreamWaitEvent(s, inside)": after(Call.STREAM_WAIT_EVENT, "s", "inside", 0),
    "invalidate, cudaStreamWaitEvent(s, outside)": after(Call.STREAM_WAIT_EVENT, "s", "outside", 0),
    "invalidate, cudaEventRecord(s)": after(Call.EVENT_RECORD, "fresh", "s", 0),
    "invalidate, cudaStreamSynchronize(s)": after(Call.STREAM_SYNCHRONIZE, "s"),
    "invalidate, cudaMalloc": after(Call.MALLOC, 16),
    "invalidate, cudaDeviceSynchronize": after(Call.DEVICE_SYNCHRONIZE),
    "invalidate, cudaStreamBeginCapture(s)": after(Call.CAPTURE_BEGIN, "s", 2),
    "invalidate, cudaStreamGetFlags(s)": after(Call.STREAM_FLAGS, "s"),
    "invalidate, launch(s, 0 blocks)": invalidated(lambda w: w.launch(w.s, 0)),
    "cudaThreadExchangeStreamCaptureMode(thread-local), cudaMalloc": lambda w: in_mode(w, 1, Call.MALLOC, 16),
    "cudaThreadExchangeStreamCaptureMode(relaxed), cudaMalloc": lambda w: in_mode(w, 2, Call.MALLOC, 16),
    "cudaThreadExchangeStreamCaptureMode(relaxed), cudaStreamSynchronize(s)": lambda w: in_mode(
        w, 2, Call.STREAM_SYNCHRONIZE, w.s
    ),
    "cudaGraphExecDestroy": lambda w: w(Call.GRAPH_EXEC_DESTROY, w.executable),
}
CAPTURES = [tuple(row[1:]) for row in ROWS if row[0] == "capture" and row[1] in CALLS]


@pytest.fixture
def busy(process, kernels):
    process.memory = process.malloc(4096)
    return process, kernels["bounded"]


@pytest.mark.parametrize("name", CALLS)
def test_during_a_capture(busy, name):
    rows = [row for row in CAPTURES if row[0] == name]
    assert len(rows) == 12
    for _, kind, mode, thread, *expected in rows:
        w = World(*busy, kind == "blocking")
        w(Call.CAPTURE_BEGIN, w.s, MODES.index(mode))
        w.launch(w.s)
        w(Call.EVENT_RECORD, w.inside, w.s, 0)
        w.thread = 2 if thread == "other" else 1
        status = CALLS[name](w)
        w.thread = 1
        active = w.process.call(Call.CAPTURE_INFO, w.s).values[0]
        again = w.launch(w.s)
        end = w.process.call(Call.CAPTURE_END, w.s)
        nodes = w.process.call(Call.GRAPH_NODES, end.values[0]).values[0] if end.status == 0 else 0
        assert [status, active, again, end.status, nodes] == [int(x) for x in expected], (kind, mode, thread)
        w.process.ok(Call.DEVICE_SYNCHRONIZE)


@pytest.mark.parametrize(("kernel", "kind"), [("wild", "out_of_bounds"), ("trap", "trap")])
def test_after_a_fault(process, kernels, kernel, kind):
    expected = {row[2]: int(row[3]) for row in ROWS if row[:2] == ["fault", kind]}
    y, s, e = process.malloc(64), process.stream(), process.event()
    calls = {
        "the launch": lambda: process.launch(kernels[kernel], 1, 1, y.to_bytes(8, "little"), s),
        "cudaStreamSynchronize": lambda: process.synchronize(s),
        "cudaMalloc": lambda: process.call(Call.MALLOC, 16).status,
        "a launch": lambda: process.launch(kernels["bounded"], 1, 1, y.to_bytes(8, "little"), s),
        "cudaFree": lambda: process.call(Call.FREE, y).status,
        "cudaEventQuery": lambda: process.call(Call.EVENT_QUERY, e).status,
        "cudaEventDestroy": lambda: process.call(Call.EVENT_DESTROY, e).status,
        "cudaStreamDestroy": lambda: process.call(Call.STREAM_DESTROY, s).status,
        "cudaStreamCreate": lambda: process.call(Call.STREAM_CREATE, 0, 0).status,
        "cudaPointerGetAttributes": lambda: process.call(Call.POINTER, y).status,
        "cudaMemGetInfo": lambda: process.call(Call.MEMORY_INFO).status,
        "cudaStreamIsCapturing": lambda: process.call(Call.CAPTURE_INFO, 0).status,
        "cudaDeviceSynchronize": lambda: process.call(Call.DEVICE_SYNCHRONIZE).status,
        "cudaDeviceReset": lambda: process.call(Call.DEVICE_RESET).status,
        "cudaMalloc after the reset": lambda: process.call(Call.MALLOC, 16).status,
    }
    assert {name: call() for name, call in calls.items()} == {name: expected[name] for name in calls}


def test_which_calls_wait_for_work(device, process):
    """A copy on a busy stream has run by the time that a call returns, or has not."""
    expected = {row[1]: row[3] == "waits" for row in ROWS if row[0] == "wait"}
    device.order("late")
    busy, idle, y = process.stream(1), process.stream(1), process.malloc(256)
    pool = [process.ok(Call.MALLOC_ASYNC, 64, idle)[0] for _ in range(2)]
    process.synchronize(idle)
    more = process.malloc(64)
    calls = {
        "cudaMalloc": (Call.MALLOC, 64),
        "cudaFree": (Call.FREE, more),
        "cudaFree(null)": (Call.FREE, 0),
        "cudaMallocAsync(idle)": (Call.MALLOC_ASYNC, 64, idle),
        "cudaFreeAsync(idle)": (Call.FREE_ASYNC, pool[0], idle),
        "cudaFree of cudaMallocAsync's": (Call.FREE, pool[1]),
        "cudaMemset": (Call.SET, y, 0, 64, 0, 0),
        "cudaMemcpy(to host, pageable)": (Call.COPY, D2H, 1, y, 64, 0, 0),
        "cudaMemcpyAsync(to host, pageable 64 B, busy)": (Call.COPY, D2H, 1, y, 64, busy, ASYNC),
        "cudaMemcpyAsync(to host, pinned, busy)": (Call.COPY, D2H, 1, y, 64, busy, ASYNC | PINNED),
        "cudaMemcpyAsync(on device, busy)": (Call.COPY, D2D, y + 128, y, 64, busy, ASYNC),
        "cudaStreamCreate": (Call.STREAM_CREATE, 0, 0),
        "cudaStreamSynchronize(legacy)": (Call.STREAM_SYNCHRONIZE, 0),
    }
    for name, call in calls.items():
        process.ok(Call.SET, y, 1, 1, busy, ASYNC)
        process.ok(*call)
        assert (device.read(y, 1) == b"\1") == expected[name], name
        process.synchronize(busy)
        process.ok(Call.SET, y, 0, 64, busy, ASYNC)
        process.synchronize(busy)


def test_the_default_stream_of_a_thread_is_captured(process):
    """Of code with per-thread default streams: cudaMemcpy_ptds, cudaMemset_ptds."""
    expected = {row[1]: int(row[2]) for row in ROWS if row[0] == "call"}
    y = process.malloc(64)
    for name, call in {
        "cudaMemcpy_ptds: the thread's stream is captured": (Call.COPY, H2D, y, 1, 64, 2, 0),
        "cudaMemset_ptds: the thread's stream is captured": (Call.SET, y, 0, 64, 2, 0),
    }.items():
        process.ok(Call.CAPTURE_BEGIN, 2, 2)
        assert process.call(*call, payload=DATA if call[0] is Call.COPY else b"").status == expected[name]
        assert process.call(Call.CAPTURE_END, 2).status == expected["cudaStreamEndCapture: then"]


def test_a_graph_that_keeps_its_memory(process):
    expected = {row[1]: int(row[2]) for row in ROWS if row[0] == "call"}
    t = process.stream(1)
    process.ok(Call.CAPTURE_BEGIN, t, 2)
    p = process.ok(Call.MALLOC_ASYNC, 64, t)[0]
    x = process.ok(Call.GRAPH_INSTANTIATE, process.ok(Call.CAPTURE_END, t)[0])[0]
    calls = {
        "cudaGraphLaunch: the first time": (Call.GRAPH_LAUNCH, x, t),
        "cudaGraphLaunch: the second time": (Call.GRAPH_LAUNCH, x, t),
        "cudaFreeAsync: of the graph's memory": (Call.FREE_ASYNC, p, t),
        "cudaGraphLaunch: the third time": (Call.GRAPH_LAUNCH, x, t),
        "cudaFree: of the graph's memory": (Call.FREE, p),
    }
    got = {name: process.call(*call).status for name, call in calls.items()}
    assert got == {name: expected[name] for name in calls}


def test_bad_arguments(process, kernels):
    expected = {row[1]: int(row[2]) for row in ROWS if row[0] == "call"}
    a, b, s, e, f = process.malloc(64), process.malloc(64), process.stream(), process.event(), process.event(2)
    c = process.ok(Call.MALLOC_ASYNC, 64, s)[0]
    d = process.malloc(64)
    process.ok(Call.EVENT_RECORD, f, s, 0)
    process.ok(Call.CAPTURE_BEGIN, s, 2)
    over = process.event()
    process.ok(Call.EVENT_RECORD, over, s, 0)
    process.ok(Call.CAPTURE_END, s)
    calls = {
        "cudaMalloc(0)": (Call.MALLOC, 0),
        "cudaMallocAsync(0)": (Call.MALLOC_ASYNC, 0, s),
        "cudaMalloc(1 << 60)": (Call.MALLOC, 1 << 60),
        "cudaFree: in the middle": (Call.FREE, a + 16),
        "cudaFree": (Call.FREE, b),
        "cudaFree: twice": (Call.FREE, b),
        "cudaFree: of the host": (Call.FREE, 0x5555_0000_0000),
        "cudaFreeAsync: of cudaMalloc": (Call.FREE_ASYNC, d, s),
        "cudaFreeAsync: twice": (Call.FREE_ASYNC, d, s),
        "cudaFree: of cudaMallocAsync": (Call.FREE, c),
        "cudaFreeAsync(null)": (Call.FREE_ASYNC, 0, s),
        "cudaMemset: beyond the buffer": (Call.SET, a + (1 << 34), 0, 64, 0, 0),
        "cudaMemset2D: pitch below width": (Call.SET_2D, a, 8, 0, 16, 2, 0, 0),
        "cudaEventQuery: never recorded": (Call.EVENT_QUERY, e),
        "cudaEventElapsedTime: never recorded": (Call.EVENT_ELAPSED, e, e),
        "cudaEventElapsedTime: without timing": (Call.EVENT_ELAPSED, f, f),
        "cudaStreamCreateWithFlags(2)": (Call.STREAM_CREATE, 2, 0),
        "cudaEventCreateWithFlags(16)": (Call.EVENT_CREATE, 16),
        "cudaStreamDestroy(null)": (Call.STREAM_DESTROY, 0),
        "cudaStreamDestroy(per thread)": (Call.STREAM_DESTROY, 2),
        "cudaEventDestroy(null)": (Call.EVENT_DESTROY, 0),
        "cudaEventRecord(null)": (Call.EVENT_RECORD, 0, s, 0),
        "cudaStreamEndCapture: none begun": (Call.CAPTURE_END, s),
        "cudaStreamBeginCapture: mode 3": (Call.CAPTURE_BEGIN, s, 3),
        "cudaStreamWaitEvent: flags 2": (Call.STREAM_WAIT_EVENT, s, f, 2),
        "cudaEventRecordWithFlags: flags 2": (Call.EVENT_RECORD, f, s, 2),
        "cudaEventRecordWithFlags: external, no capture": (Call.EVENT_RECORD, f, s, 1),
        "cudaEventQuery: of a capture that is over": (Call.EVENT_QUERY, over),
        "cudaEventSynchronize: of a capture that is over": (Call.EVENT_SYNCHRONIZE, over),
        "cudaStreamWaitEvent: of a capture that is over": (Call.STREAM_WAIT_EVENT, s, over, 0),
        "cudaEventElapsedTime: of a capture that is over": (Call.EVENT_ELAPSED, over, over),
    }
    got = {name: process.call(*call).status for name, call in calls.items()}
    assert got == {name: expected[name] for name in calls}
    assert process.call(Call.COPY_2D, 1, a, 8, 0, 16, 16, 2, 0, payload=bytes(32)).status == expected[
        "cudaMemcpy2D: pitch below width"
    ]  # fmt: skip
