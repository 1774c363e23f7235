"""A trace tells what the counters count and what memory holds."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from grader.simulator import Device, DeviceError, TraceRequest

KERNELS = (Path(__file__).parent / "kernels" / "steps.cu").read_text()
F32 = struct.Struct("<f")


def as_float(bits: int) -> float:
    return F32.unpack(bits.to_bytes(4, "little"))[0]


@pytest.fixture
def module(bench):
    return bench.load(KERNELS, "steps.cu")


def lines(trace) -> dict[int, list]:
    found: dict[int, list] = {}
    for step in trace.steps:
        found.setdefault(step.line, []).append(step)
    return found


def line_of(text: str) -> int:
    (number,) = (n for n, line in enumerate(KERNELS.splitlines(), 1) if text in line)
    return number


def test_a_shuffle_reduction_step_by_step(bench, module):
    x = np.arange(64, dtype=np.float32)
    source, target = bench.array(x, "x"), bench.array(np.zeros(2, np.float32), "sums")
    launch = bench.launch(
        module, "reduce", (1,), (64,), source, target, 64, trace=TraceRequest(warp=1, steps=500)
    )
    trace = launch.trace
    assert (trace.kernel, trace.block, trace.warp, trace.cut) == ("reduce", (0, 0, 0), 1, False)
    shuffles = [s for s in trace.steps if s.opcode.startswith("shfl")]
    sums = x[32:].copy()
    for distance, step in zip((16, 8, 4, 2, 1), shuffles, strict=True):
        moved = np.concatenate([sums[distance:], sums[32 - distance :]])
        assert [as_float(bits) for bits in step.values[0]] == list(moved)
        assert step.active == step.path == 0xFFFFFFFF and step.line == line_of("__shfl_down_sync")
        sums = sums + moved
    (load,) = (s for s in trace.steps if s.space == "global" and s.kind == "load")
    assert load.addresses == tuple(source + 4 * t for t in range(32, 64))
    assert (load.requests, load.sectors, load.width) == (1, 4, 4)
    assert trace.buffer_at(load.addresses[0]) == ("x", 128)
    (store,) = (s for s in trace.steps if s.kind == "store")
    assert store.active == 1 and store.addresses[0] == target + 4 and store.sectors == 1
    assert store.values == store.registers == ()


def test_types_of_registers_follow_their_use(bench, module):
    source, target = bench.array(np.ones(32, np.float32)), bench.array(np.zeros(2, np.float32))
    launch = bench.launch(module, "reduce", (1,), (32,), source, target, 32, trace=TraceRequest())
    by_opcode = {step.opcode.split(".")[0]: step for step in launch.trace.steps if step.registers}
    assert {root: by_opcode[root].registers[0][1] for root in ("shfl", "mad", "setp", "ld")} == {
        "shfl": "f32", "mad": "s32", "setp": "pred", "ld": "f32",
    }  # fmt: skip
    assert set(by_opcode["setp"].values[0]) <= {0, 1}


def test_the_two_sides_of_a_branch(bench, module):
    target = bench.array(np.zeros(32, np.int32), "y")
    trace = bench.launch(module, "odd_even", (1,), (32,), target, trace=TraceRequest()).trace
    odd, even = lines(trace)[line_of("7 * t")], lines(trace)[line_of("t + 100")]
    assert {s.path for s in odd} == {0xAAAAAAAA} and {s.path for s in even} == {0x55555555}
    (branch,) = (s for s in trace.steps if s.opcode == "bra" and s.requests)
    assert branch.path == 0xFFFFFFFF and branch.active in (0xAAAAAAAA, 0x55555555)


def test_shared_memory_and_its_wavefronts(bench, module):
    target = bench.array(np.zeros(32, np.float32), "y")
    trace = bench.launch(module, "columns", (1,), (32,), target, trace=TraceRequest()).trace
    store, load = (s for s in trace.steps if s.space == "shared")
    assert store.addresses == tuple(4 * 32 * t for t in range(32)) and store.wavefronts == 32
    assert load.addresses == tuple(4 * 32 * t for t in range(32)) and load.shared_requests == 1


@pytest.mark.parametrize("kernel, threads", [("odd_even", 32), ("columns", 32), ("calls", 20), ("early", 32)])
def test_steps_add_up_to_the_counters(bench, module, kernel, threads):
    target = bench.array(np.zeros(32, np.float32), "y")
    launch = bench.launch(module, kernel, (1,), (threads,), target, trace=TraceRequest())
    assert launch.fault is None
    steps = launch.trace.steps
    assert len(steps) == launch.estimates["ptx_warp_instructions"]
    assert sum(s.sectors for s in steps) == sum(v for k, v in launch.counters.items() if "t_sectors" in k)
    assert sum(s.wavefronts for s in steps) == sum(v for k, v in launch.counters.items() if "wavefronts" in k)


def test_a_trace_changes_nothing(bench, module):
    plain, traced = (
        bench.launch(module, "reduce", (2,), (96,), x, y, 64, trace=trace)
        for trace in (None, TraceRequest((1, 0, 0), 2))
        for x, y in [(bench.array(np.arange(64, dtype=np.float32)), bench.array(np.zeros(8, np.float32)))]
    )
    assert (plain.counters, plain.estimates, plain.lines) == (traced.counters, traced.estimates, traced.lines)
    assert plain.trace is None and traced.trace.block == (1, 0, 0)


def test_a_fault_is_the_last_step(bench, module):
    source, target = bench.array(np.ones(40, np.float32), "x"), bench.array(np.zeros(2, np.float32))
    launch = bench.launch(module, "reduce", (1,), (64,), source, target, 64, trace=TraceRequest(warp=1))
    last = launch.trace.steps[-1]
    assert launch.fault.kind == "out_of_bounds" and last.fault and last.line == launch.fault.line
    assert last.values == () and last.addresses[8] == source + 160
    other = bench.launch(module, "reduce", (1,), (64,), source, target, 64, trace=TraceRequest(warp=0)).trace
    assert not any(step.fault for step in other.steps)


def test_a_trace_is_cut_at_its_steps(bench, module):
    source, target = bench.array(np.ones(64, np.float32)), bench.array(np.zeros(2, np.float32))
    trace = bench.launch(module, "reduce", (1,), (64,), source, target, 64, trace=TraceRequest(steps=7)).trace
    assert trace.cut and len(trace.steps) == 7
    whole = bench.launch(module, "reduce", (1,), (64,), source, target, 64, trace=TraceRequest()).trace
    assert trace.steps == whole.steps[:7]


@pytest.mark.parametrize(
    "request_, word",
    [
        (TraceRequest((1, 0, 0)), "no block"),
        (TraceRequest(warp=2), "a block has 2"),
        (TraceRequest(steps=0), "steps"),
    ],
)
def test_there_must_be_such_a_warp(bench, module, request_, word):
    with pytest.raises(DeviceError, match=word):
        bench.launch(module, "columns", (1,), (64,), bench.array(np.zeros(64, np.float32)), trace=request_)


def test_a_trace_crosses_the_border_of_the_device_process(bench, module):
    from conftest import Bench, compile_text

    ptx = compile_text(KERNELS, "steps.cu")
    with Device.simulated() as device:
        far = Bench(device)
        there = far.launch(
            device.load(ptx), "columns", (1,), (32,), far.array(np.zeros(32, np.float32)), trace=TraceRequest()
        ).trace
    here = bench.launch(
        module, "columns", (1,), (32,), bench.array(np.zeros(32, np.float32)), trace=TraceRequest()
    ).trace
    shared = [[(s.values, s.addresses) for s in trace.steps if s.space == "shared"] for trace in (there, here)]
    assert shared[0] == shared[1] and len(there.steps) == len(here.steps)


def test_a_trace_is_the_same_with_two_threads_of_the_host(bench, module):
    def trace(workers):
        x, y = bench.array(np.arange(256, dtype=np.float32)), bench.array(np.zeros(8, np.float32))
        asked = TraceRequest((3, 0, 0), 1)
        traced = bench.launch(
            module, "reduce", (4,), (64,), x, y, 256, trace=asked, races=False, workers=workers
        ).trace
        return [(s.pc, s.path, s.active, s.sectors, s.values if "rd" not in s.text else ()) for s in traced.steps]

    assert trace(1) == trace(2)


def test_lanes_that_wait_for_others_have_no_result_yet(bench, module):
    trace = bench.launch(
        module, "one_after_another", (1,), (32,), bench.array(np.zeros(32, np.int32)), trace=TraceRequest()
    ).trace
    first, second = (step for step in trace.steps if step.opcode.startswith("shfl"))
    assert first.path | second.path == 0xFFFFFFFF and first.path & second.path == 0
    assert first.values == () and second.values[0] == (105,) * 32
