"""Graphs: replayed with the arguments of the capture and the memory of the launch."""

from __future__ import annotations

import struct

import pytest
from plugin_process import ASYNC, D2D, PINNED, add_args

from grader.simulator.runtime.protocol import Call
from grader.simulator.runtime.streams import ORDERS


def value(device, address: int) -> float:
    return struct.unpack("<f", device.read(address, 4))[0]


@pytest.mark.parametrize("order", ORDERS)
def test_the_parent_captures_an_enqueue_and_replays_it(device, process, kernels, order):
    device.order(order)
    x, y = device.alloc(4, name="x", fill=0), device.alloc(4, name="y", fill=0)
    stream = device.stream()
    assert device.begin_capture(stream) == 0
    side, there, back = process.stream(1), process.event(), process.event()
    process.ok(Call.EVENT_RECORD, there, stream, 0)
    process.ok(Call.STREAM_WAIT_EVENT, side, there, 0)
    process.launch(kernels["add"], 1, 1, add_args(x, y, 1, 1.0), side)
    process.ok(Call.EVENT_RECORD, back, side, 0)
    process.ok(Call.STREAM_WAIT_EVENT, stream, back, 0)
    process.launch(kernels["add"], 1, 1, add_args(y, y, 1, 10.0), stream)
    status, graph = device.end_capture(stream)
    assert status == 0 and device.synchronize() == 0 and value(device, y) == 0
    for start in (5, 7):
        device.produce(stream, x, struct.pack("<f", start))
        assert device.launch_graph(graph, stream) == 0
        ticket = device.consume(stream, y, 4)
        assert device.synchronize(stream) == 0
        assert struct.unpack("<f", device.collected(ticket))[0] == start + 11
    assert sum(r.arguments.get("replayed", False) for r in device.log()) == 4


@pytest.mark.parametrize(
    ("call", "status"),
    [
        ((Call.MALLOC, 64), 900),
        ((Call.STREAM_SYNCHRONIZE, "stream"), 900),
        ((Call.DEVICE_SYNCHRONIZE,), 900),
        ((Call.MALLOC_ASYNC, 64, "stream"), 0),
        ((Call.STREAM_CREATE, 0, 0), 0),
        ((Call.SET, "y", 0, 4, 0, 0), 0),  # the legacy stream: not in a capture of a non-blocking one, and not captured
    ],
)
def test_what_an_enqueue_may_not_do_while_the_parent_captures(device, process, call, status):
    names = {"stream": device.stream(), "y": device.alloc(4, name="y", fill=0)}
    assert device.begin_capture(names["stream"]) == 0
    got = process.call(call[0], *(names.get(a, a) for a in call[1:]), thread=5)
    assert got.status == status
    assert device.end_capture(names["stream"])[0] == (901 if status else 0)
    assert device.synchronize() == 0


@pytest.mark.parametrize("mode", [0, 1, 2])
def test_the_parents_capture_stands_for_the_enqueuing_thread(device, process, mode):
    stream = device.stream()
    device.begin_capture(stream, mode)
    assert process.call(Call.MALLOC, 64, thread=9).status == (0 if mode == 2 else 900)
    assert device.end_capture(stream)[0] == (0 if mode == 2 else 901)


def test_a_blocking_stream_of_the_parent_keeps_the_legacy_stream_out(device, process):
    stream, y = device.stream(flags=0), device.alloc(4, name="y", fill=0)
    device.begin_capture(stream)
    assert process.call(Call.SET, y, 0, 4, 0, 0).status == 906
    assert process.call(Call.SET, y, 0, 4, stream, ASYNC).status == 901
    assert device.end_capture(stream) == (901, 0)
    assert process.call(Call.SET, y, 0, 4, stream, ASYNC).status == 0


def test_work_that_is_not_joined(device, process):
    stream, y = device.stream(), device.alloc(4, name="y", fill=0)
    device.begin_capture(stream)
    side, there = process.stream(1), process.event()
    process.ok(Call.EVENT_RECORD, there, stream, 0)
    process.ok(Call.STREAM_WAIT_EVENT, side, there, 0)
    process.ok(Call.SET, y, 1, 4, side, ASYNC)
    assert device.end_capture(stream) == (904, 0)
    process.ok(Call.SET, y, 1, 4, side, ASYNC)  # which runs again what it is given
    assert device.synchronize() == 0 and device.read(y, 4) == b"\1\1\1\1"


@pytest.mark.parametrize("order", ORDERS)
def test_every_kind_of_node(device, process, order):
    device.order(order)
    s, event, other = process.stream(1), process.event(), process.stream(1)
    a, b = process.malloc(64), process.malloc(64)
    process.ok(Call.SET, b, 0, 64, s, ASYNC)
    process.ok(Call.DEVICE_SYNCHRONIZE)
    process.ok(Call.CAPTURE_BEGIN, s, 0)
    assert process.ok(Call.CAPTURE_INFO, s)[0] == 1
    pool = process.ok(Call.MALLOC_ASYNC, 64, s)[0]
    process.ok(Call.SET, pool, 7, 64, s, ASYNC)
    assert process.to_device(a, b"abcd", s, ASYNC | PINNED) == 0
    process.ok(Call.COPY, D2D, b, pool, 8, s, ASYNC)
    process.ok(Call.COPY, D2D, b + 8, a, 4, s, ASYNC)
    process.ok(Call.HOST_FUNCTION, s, 77, 0)
    process.ok(Call.EVENT_RECORD, event, s, 1)
    assert process.to_host(5, b, 12, s, ASYNC | PINNED) == 0
    process.ok(Call.FREE_ASYNC, pool, s)
    graph = process.ok(Call.CAPTURE_END, s)[0]
    assert process.ok(Call.GRAPH_NODES, graph)[0] == 9
    executable = process.ok(Call.GRAPH_INSTANTIATE, graph)[0]
    process.ok(Call.GRAPH_DESTROY, graph)
    for count in (1, 2):
        process.host.clear()
        process.ok(Call.SET, b, 0, 64, s, ASYNC)
        process.ok(Call.GRAPH_LAUNCH, executable, s)
        process.ok(Call.STREAM_WAIT_EVENT, other, event, 0)
        assert process.synchronize(other) == 0
        assert device.read(b, 12) == b"\7" * 8 + b"abcd"
        assert process.ran == [77] * count
        assert process.synchronize(s) == 0 and process.host == {5: b"\7" * 8 + b"abcd"}
    process.ok(Call.GRAPH_EXEC_DESTROY, executable)
    assert process.call(Call.GRAPH_LAUNCH, executable, s).status == 1
    assert device.live()["graphs"] == 0


def test_a_node_of_a_faulty_kernel(device, process, kernels):
    stream, y = device.stream(), device.alloc(4, name="y", fill=0)
    device.begin_capture(stream)
    assert process.launch(kernels["wild"], 1, 1, y.to_bytes(8, "little"), stream) == 0
    graph = device.end_capture(stream)[1]
    assert device.synchronize() == 0 and device.fault() is None
    assert device.launch_graph(graph, stream) == 0 and device.synchronize(stream) == 700
    assert device.fault().buffer == "y"


def test_a_process_that_goes_in_the_middle_of_a_capture(device, join):
    stream, y = device.stream(), device.alloc(4, name="y", fill=0)
    device.begin_capture(stream)
    one = join()
    side, there = one.stream(1), one.event()
    one.ok(Call.EVENT_RECORD, there, stream, 0)
    one.ok(Call.STREAM_WAIT_EVENT, side, there, 0)
    one.ok(Call.CAPTURE_BEGIN, one.stream(1), 0)
    one.close()
    while device.processes():
        pass
    assert device.end_capture(stream)[0] == 901
    two = join()
    two.ok(Call.SET, y, 1, 4, stream, ASYNC)
    two.ok(Call.MALLOC, 4)
    assert device.synchronize() == 0 and device.read(y, 1) == b"\1"


def test_the_parent_cannot_run_a_host_function_of_a_graph(device, process):
    stream, y = device.stream(), device.alloc(4, name="y", fill=0)
    device.begin_capture(stream)
    process.ok(Call.HOST_FUNCTION, stream, 3, 0)
    process.ok(Call.SET, y, 1, 4, stream, ASYNC)
    graph = device.end_capture(stream)[1]
    assert device.launch_graph(graph, stream) == 0
    assert device.synchronize(stream) == 600 and device.read(y, 1) == b"\0"
    assert process.synchronize(stream) == 0 and process.ran == [3]  # the process has to wait for something
    assert device.synchronize(stream) == 0 and device.read(y, 1) == b"\1"
