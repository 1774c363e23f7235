"""Streams as queues: which orders are legal, which one a policy takes, and what wrong streams do to results."""

from __future__ import annotations

import struct

import pytest
from plugin_process import ASYNC, D2D, PINNED, add_args

from grader.simulator.runtime.protocol import Call
from grader.simulator.runtime.streams import ORDERS


class Run:
    """One enqueue, as the grader drives it: x is produced on the parent's stream, y is consumed from it."""

    def __init__(self, device, process, kernels):
        self.device, self.process, self.add = device, process, kernels["add"]
        self.x, self.y, self.t = (device.alloc(4, name=name, fill=0) for name in "xyt")
        self.stream = device.stream()

    def result(self, enqueue) -> float:
        """The y of x = 5; 0: what was there before."""
        for name in (self.x, self.y, self.t):
            self.device.write(name, struct.pack("<f", 0))
        self.device.produce(self.stream, self.x, struct.pack("<f", 5))
        enqueue(self)
        ticket = self.device.consume(self.stream, self.y, 4)
        assert self.device.synchronize(self.stream) == 0
        value = struct.unpack("<f", self.device.collected(ticket))[0]
        assert self.device.synchronize() == 0
        return value

    def launch(self, stream: int, source: int = 0, to: int = 0) -> None:
        args = add_args(source or self.x, to or self.y, 1, 1.0)
        assert self.process.launch(self.add, 1, 32, args, stream) == 0


@pytest.fixture
def run(device, process, kernels):
    return Run(device, process, kernels)


def right(run):
    run.launch(run.stream)


def forked(run):
    """A side stream that waits for the stream, and that the stream waits for."""
    side, there, back = run.process.stream(1), run.process.event(), run.process.event()
    run.process.ok(Call.EVENT_RECORD, there, run.stream, 0)
    run.process.ok(Call.STREAM_WAIT_EVENT, side, there, 0)
    run.launch(side, to=run.t)
    run.process.ok(Call.EVENT_RECORD, back, side, 0)
    run.process.ok(Call.STREAM_WAIT_EVENT, run.stream, back, 0)
    run.launch(run.stream, run.t, run.y)
    for event in (there, back):
        run.process.ok(Call.EVENT_DESTROY, event)
    run.process.ok(Call.STREAM_DESTROY, side)


def waiting(run):
    """Host waits are no good style and right all the same."""
    run.process.synchronize(run.stream)
    side = run.process.stream(1)
    run.launch(side)
    run.process.synchronize(side)


def querying(run):
    event = run.process.event()
    run.launch(run.stream)
    run.process.ok(Call.EVENT_RECORD, event, run.stream, 0)
    while run.process.call(Call.EVENT_QUERY, event).status == 600:
        pass
    assert struct.unpack("<f", run.device.read(run.y, 4))[0] == 6


def legacy(run):
    run.launch(0)


def own_stream(run):
    run.launch(run.process.stream(1))


def not_joined(run):
    """The side stream waits, and nobody waits for it."""
    side, there = run.process.stream(1), run.process.event()
    run.process.ok(Call.EVENT_RECORD, there, run.stream, 0)
    run.process.ok(Call.STREAM_WAIT_EVENT, side, there, 0)
    run.launch(side)


def not_forked(run):
    """The stream waits for the side stream, which does not wait for the stream."""
    side, back = run.process.stream(1), run.process.event()
    run.launch(side)
    run.process.ok(Call.EVENT_RECORD, back, side, 0)
    run.process.ok(Call.STREAM_WAIT_EVENT, run.stream, back, 0)


def event_before_the_work(run):
    side, back = run.process.stream(1), run.process.event()
    run.process.synchronize(run.stream)
    run.process.ok(Call.EVENT_RECORD, back, side, 0)
    run.launch(side)
    run.process.ok(Call.STREAM_WAIT_EVENT, run.stream, back, 0)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("enqueue", [right, forked, waiting, querying])
def test_right_work_gives_the_same_in_every_order(device, run, enqueue, order):
    device.order(order)
    assert run.result(enqueue) == (7 if enqueue is forked else 6)
    assert run.result(enqueue) == (7 if enqueue is forked else 6)


@pytest.mark.parametrize(
    ("enqueue", "wrong_in"),
    [
        (legacy, {"late", "others-first", "others-last"}),
        (own_stream, {"late", "others-first", "others-last"}),
        (not_joined, {"late", "others-first", "others-last", "interleaved"}),
        (not_forked, {"others-first"}),
        (event_before_the_work, {"late", "others-last"}),
    ],
)
def test_work_on_a_wrong_stream_gives_a_wrong_result_in_some_order(device, run, enqueue, wrong_in):
    wrong = set()
    for order in ORDERS:
        device.order(order)
        if run.result(enqueue) != 6:
            wrong.add(order)
    assert wrong == wrong_in
    streams = {r.stream for r in device.log() if r.call == "launch"}
    assert run.stream not in streams  # the log names them


@pytest.mark.parametrize("order", ORDERS)
def test_the_legacy_stream_and_blocking_streams_wait_for_each_other(device, process, kernels, order):
    device.order(order)
    a, b = process.malloc(4), process.malloc(4)
    stream = device.stream(flags=0)
    device.produce(stream, a, struct.pack("<f", 1))
    process.launch(kernels["add"], 1, 1, add_args(a, b, 1, 1.0))  # legacy, behind the parent's blocking stream
    process.launch(kernels["add"], 1, 1, add_args(b, a, 1, 1.0), process.stream())
    process.launch(kernels["add"], 1, 1, add_args(a, b, 1, 1.0), 2)  # per thread: blocking too, but behind nobody's
    ticket = device.consume(stream, a, 4)
    process.ok(Call.STREAM_SYNCHRONIZE, 0)
    assert device.synchronize(stream) == 0
    device.collected(ticket)
    assert struct.unpack("<f", device.read(a, 4))[0] == 3


def test_what_nobody_waits_for_runs_at_last(device, join, image):
    device.order("late")
    one = join()
    y = device.alloc(8, name="y", fill=0)
    one.ok(Call.SET, y, 1, 1, one.stream(1), ASYNC)
    one.ok(Call.SET, y + 4, 2, 1, one.stream(1), ASYNC)
    assert device.read(y, 8) == bytes(8)
    assert device.synchronize() == 0 and device.read(y, 8) == b"\1\0\0\0\2\0\0\0"
    one.ok(Call.SET, y + 1, 3, 1, one.stream(1), ASYNC)
    one.close()
    while device.processes():
        pass
    assert device.read(y, 2) == b"\1\3"


@pytest.mark.parametrize("order", ORDERS)
def test_memory_freed_in_stream_order(device, process, kernels, order):
    """A kernel on another stream, which does not wait for the allocation, comes too late or not, but never unseen."""
    device.order(order)
    s, other = process.stream(1), process.stream(1)
    a = process.ok(Call.MALLOC_ASYNC, 4, s)[0]
    process.ok(Call.SET, a, 0, 4, s, ASYNC)
    process.ok(Call.FREE_ASYNC, a, s)
    assert process.call(Call.FREE_ASYNC, a, s).status == 1
    assert process.synchronize(s) == 0
    assert process.launch(kernels["add"], 1, 1, add_args(a, a, 1, 1.0), other) == 0
    assert process.synchronize(other) == 700
    assert device.fault().kind == "freed_pointer" and device.fault().buffer == "1 of cudaMallocAsync"
    assert device.live()["allocations"] == 0


def test_a_free_in_use_shows(device, process, kernels):
    device.order("others-last")
    s, other = process.stream(1), process.stream(1)
    a = process.ok(Call.MALLOC_ASYNC, 4, s)[0]
    process.ok(Call.SET, a, 0, 4, s, ASYNC)
    process.synchronize(s)
    process.launch(kernels["add"], 1, 1, add_args(a, a, 1, 1.0), s)
    process.ok(Call.FREE_ASYNC, a, other)  # which does not wait for the kernel
    process.synchronize(other)
    assert process.synchronize(s) == 700 and device.fault().kind == "freed_pointer"


def test_a_free_of_cudamalloc_waits_for_the_kernel(device, process, kernels):
    device.order("late")
    a, s = process.malloc(4), process.stream(1)
    process.ok(Call.SET, a, 0, 4, s, ASYNC)
    process.launch(kernels["add"], 1, 1, add_args(a, a, 1, 1.0), s)
    assert process.call(Call.FREE, a).status == 0 and process.synchronize(s) == 0


def test_a_copy_of_memory_that_is_gone(device, process):
    device.order("late")
    s, other = process.stream(1), process.stream(1)
    a, b = process.ok(Call.MALLOC_ASYNC, 64, s)[0], process.malloc(64)
    process.ok(Call.COPY, D2D, b, a, 64, s, ASYNC)
    process.ok(Call.FREE_ASYNC, a, other)
    process.synchronize(other)
    assert process.synchronize(s) == 700
    assert "cudaMallocAsync" in device.fault().sentence


@pytest.mark.parametrize("order", ORDERS)
def test_host_functions_run_in_their_place(device, process, order):
    device.order(order)
    y, s = device.alloc(4, name="y", fill=0), process.stream(1)
    seen = []
    process.runs = lambda token: seen.append((token, device.read(y, 1)))
    process.ok(Call.SET, y, 1, 1, s, ASYNC)
    process.ok(Call.HOST_FUNCTION, s, 11, 0)
    process.ok(Call.SET, y, 2, 1, s, ASYNC)
    process.ok(Call.HOST_FUNCTION, s, 12, 0)
    assert process.synchronize(s) == 0
    assert seen == [(11, b"\1"), (12, b"\2")]
    assert device.synchronize() == 0


@pytest.mark.parametrize("order", ORDERS)
def test_events(device, process, order):
    device.order(order)
    s, e, f = process.stream(1), process.event(), process.event()
    y = process.malloc(4)
    assert process.call(Call.EVENT_QUERY, e).status == 0
    assert process.call(Call.EVENT_ELAPSED, e, e).status == 400
    process.ok(Call.EVENT_RECORD, e, s, 0)
    process.ok(Call.SET, y, 0, 4, s, ASYNC)
    process.ok(Call.EVENT_RECORD, f, s, 0)
    assert process.call(Call.EVENT_QUERY, f).status == (0 if order in ("eager", "others-first") else 600)
    assert process.call(Call.EVENT_SYNCHRONIZE, f).status == 0
    assert struct.unpack("<f", struct.pack("<I", process.ok(Call.EVENT_ELAPSED, e, f)[0]))[0] == pytest.approx(0.002)
    assert process.call(Call.EVENT_DESTROY, e).status == 0 and process.call(Call.EVENT_QUERY, e).status == 400


def test_streams_of_others_are_nobodys_handles(device, join):
    one, two = join(), join()
    s = one.stream()
    assert two.synchronize(s) == 400
    assert two.call(Call.STREAM_DESTROY, device.stream()).status == 400
    assert one.call(Call.STREAM_DESTROY, s).status == 0 and one.synchronize(s) == 400


def test_a_long_queue_is_bounded(device, process):
    """As a GPU's: the call that finds it full waits."""
    device.order("late")
    y, s = process.malloc(4), process.stream(1)
    for _ in range(5000):
        process.ok(Call.SET, y, 1, 1, s, ASYNC)
    assert device.read(y, 1) == b"\1"
    assert device.counts()["set"] == 5000
    assert [r.seq for r in device.log() if r.call == "set"] == list(range(3, 1003))


def test_injected_failures(device, process, kernels):
    y = process.malloc(256).to_bytes(8, "little")
    device.fail_next_launch(1)
    assert process.launch(kernels["bounded"], 1, 32, y) == 1
    assert process.launch(kernels["bounded"], 1, 32, y) == 0
    device.fail_next("MALLOC", 2)
    assert process.call(Call.MALLOC, 16).status == 2
    assert [r.status for r in device.log() if r.arguments.get("injected")] == [1, 2]


def test_the_log_by_phases(device, process, kernels):
    x, y = device.alloc(4, name="x", fill=0), device.alloc(400, name="y", fill=0)
    device.mark("enqueue 1")
    stream = device.stream()
    process.launch(kernels["add"], 2, 64, add_args(x, y + 16, 1, 1.0), stream)
    process.to_device(y, b"abcd", stream, ASYNC | PINNED)
    process.call(Call.NOTE, 0, 801, 5, function="cudaFuncSetAttribute")
    device.mark("")
    process.call(Call.MALLOC, 8, function="cudaMalloc")
    launch, copy, note = device.log("enqueue 1")
    assert (launch.call, launch.stream, launch.process) == ("launch", stream, 1)
    assert launch.arguments == {
        "kernel": "add", "grid": [2, 1, 1], "block": [64, 1, 1], "shared_bytes": 0,
        "pointers": {"0": "x", "1": "y + 16"},
    }  # fmt: skip
    assert copy.arguments["to"] == "y" and copy.arguments["bytes"] == 4 and copy.arguments["pinned"]
    assert (note.call, note.status, note.arguments["facts"][0]) == ("cudaFuncSetAttribute", 801, 5)
    assert device.log()[-1].call == "cudaMalloc" and device.log()[-1].label == ""


def test_counters_of_a_plugins_kernels(device, process, kernels):
    device.counters(True)
    x, y = process.malloc(4096), process.malloc(4096)
    process.ok(Call.SET, x, 0, 4096, 0, 0)
    process.launch(kernels["add"], 4, 256, add_args(x, y, 1024, 1.0))
    assert process.synchronize() == 0
    (launch,) = device.counted()
    assert launch["kernel"] == "add"
    assert launch["counters"]["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] == 128
    assert device.counted() == []


def test_memory_used_before_it_is_allocated(device, process, kernels):
    device.order("late")
    s, other = process.stream(1), process.stream(1)
    a = process.ok(Call.MALLOC_ASYNC, 4, s)[0]
    process.launch(kernels["add"], 1, 1, add_args(a, a, 1, 1.0), other)  # its stream does not wait
    assert process.synchronize(other) == 700
    assert "before it is allocated" in device.fault().sentence


@pytest.mark.parametrize("order", ORDERS)
def test_memory_used_behind_its_allocation(device, process, order):
    device.order(order)
    s = process.stream(1)
    a = process.ok(Call.MALLOC_ASYNC, 64, s)[0]
    assert process.to_device(a, b"abcd", s, ASYNC) == 0
    assert process.to_host(1, a, 4, s, ASYNC) == 0 and process.host[1] == b"abcd"
    b = process.ok(Call.MALLOC_ASYNC, 64, s)[0]
    assert process.call(Call.FREE, b).status == 0  # at once, as its stream has nothing to do with it
    assert device.live()["allocations"] == 1


@pytest.mark.parametrize("order", ORDERS)
def test_memory_that_two_contexts_share(device, process, kernels, order):
    """Each context works on a stream of its own, and both through one scratch buffer."""
    device.order(order)
    scratch = device.alloc(4, name="scratch", fill=0)
    tickets = []
    streams = [device.stream(), device.stream()]
    for start, stream in zip((10, 20), streams, strict=True):
        x, y = device.alloc(4, name="x", fill=0), device.alloc(4, name="y", fill=0)
        device.produce(stream, x, struct.pack("<f", start))
        process.launch(kernels["add"], 1, 1, add_args(x, scratch, 1, 1.0), stream)
        process.launch(kernels["add"], 1, 1, add_args(scratch, y, 1, 1.0), stream)
        tickets.append(device.consume(stream, y, 4))
    assert [device.synchronize(stream) for stream in streams] == [0, 0]
    got = [struct.unpack("<f", device.collected(ticket))[0] for ticket in tickets]
    assert got == ([22, 22] if order == "interleaved" else [12, 22])


def test_the_parents_free_waits_for_work_on_wrong_streams(device, process, kernels):
    device.order("late")
    y = device.alloc(4, name="y", fill=0)
    process.launch(kernels["add"], 1, 1, add_args(y, y, 1, 1.0), process.stream(1))
    assert device.synchronize(device.stream()) == 0
    device.free(y)
    assert device.synchronize() == 0 and device.fault() is None
