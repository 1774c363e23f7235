"""The log is bounded, and what is in it is complete."""

from __future__ import annotations

import pytest

from grader.simulator.records import DeviceError
from grader.simulator.runtime import log
from grader.simulator.runtime.log import Log
from grader.simulator.runtime.protocol import Call


def test_of_a_function_that_is_called_too_often_the_number_is_kept():
    one = Log()
    for _ in range(log.MOST_OF_A_CALL + 5):
        one.add(1, 1, "cudaMalloc", None, {})
    one.add(1, 1, "cudaFree", None, {})
    assert one.counts() == {"cudaMalloc": log.MOST_OF_A_CALL + 5, "cudaFree": 1}
    assert len(one.page(None, 0, 10_000)) == log.MOST_OF_A_CALL + 1


def test_the_oldest_phases_go(monkeypatch):
    monkeypatch.setattr(log, "MOST_RECORDS", 25)
    one = Log()
    for phase in range(6):
        one.label = f"enqueue {phase}"
        for _ in range(10):
            one.add(1, 1, "cudaMalloc", None, {})
    assert {r.label for r in one.page(None, 0)} == {"enqueue 4", "enqueue 5"}
    assert one.counts("enqueue 0") == {} and one.counts("enqueue 5") == {"cudaMalloc": 10}


def test_pages_follow_each_other_in_the_order_of_the_calls(device, process):
    for number in range(2500):
        if number % 100 == 0:
            device.mark(("a", "b")[number // 100 % 2])
        process.call(Call.MEMORY_INFO, function="cudaMemGetInfo")
    records = device.log()
    assert [r.seq for r in records] == sorted(r.seq for r in records) and len(records) == 2000
    assert len(device.log("a")) == 1000 and device.counts("a") == {"cudaMemGetInfo": 1300}


def test_a_stream_of_the_parents_goes_when_it_is_idle(device, process):
    device.order("late")
    stream, y = device.stream(), device.alloc(4, name="y", fill=0)
    device.produce(stream, y, b"abcd")
    with pytest.raises(DeviceError, match="600"):
        device.drop_stream(stream)
    assert device.synchronize(stream) == 0
    device.drop_stream(stream)
    assert process.synchronize(stream) == 400
