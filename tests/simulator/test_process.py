"""The device process and its calls; memory; building the engine."""

from __future__ import annotations

import os
import signal
import struct
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import compile_text

from grader.sandbox import Limits
from grader.simulator import Device, DeviceError, build, compiled, device, fresh
from grader.simulator.memory import ALIGNMENT, CAPACITY, SMALLEST_GAP
from grader.simulator.records import Fault, Launch, launch_from, plain
from grader.simulator.serve import answer, serve
from grader.verdict.records import State

ADD = """extern "C" __global__ void add(const float* x, float* y, int n)
{
    if (threadIdx.x < n) y[threadIdx.x] += x[threadIdx.x];
}"""


@pytest.fixture(scope="module")
def process():
    with Device.simulated() as device:
        yield device


def test_a_launch_in_the_device_process(process):
    assert process.kind == "simulated"
    module = process.load(compile_text(ADD))
    x, y = (process.alloc(400, name=name) for name in "xy")
    data = np.arange(100, dtype=np.float32)
    process.write(x, data)
    process.write(y, data[::-1].copy())
    info = process.kernels(module)["add"]
    assert [(p.type, p.offset) for p in info.parameters] == [("u64", 0), ("u64", 8), ("u32", 16)]
    launch = process.launch(module, "add", (1,), (128,), struct.pack("<QQi", x, y, 100))
    assert launch.fault is None and launch.seconds > 0
    np.testing.assert_array_equal(np.frombuffer(process.read(y, 400), np.float32), 99)
    fault = process.launch(module, "add", (1,), (128,), struct.pack("<QQi", x, y, 101)).fault
    assert (fault.kind, fault.buffer, fault.thread, fault.line) == (
        "out_of_bounds",
        fault.buffer,
        (100, 0, 0),
        3,
    )
    assert fault.buffer in ("x", "y") and fault.offset == 400


def test_errors_come_as_device_errors_and_the_process_goes_on(process):
    for call, state in (
        (lambda: process.load("nonsense"), State.ERROR),
        (lambda: process.read(12345, 4), State.ERROR),
        (lambda: process.alloc(CAPACITY + 1), State.OUT_OF_MEMORY),
        (lambda: process.kernels("module-99"), State.ERROR),
    ):
        with pytest.raises(DeviceError) as problem:
            call()
        assert problem.value.state is state and problem.value.sentence
    assert process.read(process.alloc(4, fill=9), 4) == b"\t" * 4


def test_a_process_that_dies_is_told():
    device = Device.simulated()
    os.kill(device._transport._supervisor._process.pid, signal.SIGKILL)
    with pytest.raises(DeviceError) as problem:
        device.alloc(4)
    assert problem.value.state is State.GRADER_FAULT
    device.close()


def test_a_launch_that_takes_too_long_is_ended():
    text = 'extern "C" __global__ void spin(volatile int* y) { while (!*y) {} }'
    with Device.simulated(Limits(wall_seconds=2.0)) as device:
        y = device.alloc(4, fill=0)
        module = device.load(compile_text(text))
        with pytest.raises(DeviceError) as problem:
            device.launch(module, "spin", (1,), (1,), struct.pack("<Q", y), instruction_budget=1 << 60)
        assert problem.value.state is State.TIMEOUT


def test_serve_answers_until_the_end_and_types_defects():
    class Broken:
        kind = "broken"

        def alloc(self, nbytes, **options):
            raise ZeroDivisionError("a defect")

    class Connection:
        def __init__(self):
            self.requests = [({"call": "alloc", "nbytes": 4}, b""), ({"call": "dance"}, b"")]
            self.answers = []

        def receive(self):
            return self.requests.pop(0) if self.requests else None

        def send(self, header, payload=b""):
            self.answers.append(header)

    connection = Connection()
    serve(Broken(), connection)
    assert [a["state"] for a in connection.answers] == ["grader_fault", "grader_fault"]
    assert "a defect" in connection.answers[0]["sentence"] and "dance" in connection.answers[1]["sentence"]
    assert answer(Broken(), {}, b"")[0]["ok"] is False


def test_a_launch_survives_the_wire():
    fault = Fault(kind="trap", sentence="s", kernel="k", block=(1, 2, 3), thread=(4, 5, 6))
    launch = Launch(fault=fault, counters={"a": 1}, estimates={"b": 0.5}, lines=({"line": 1},), output="o")
    import json

    assert launch_from(json.loads(json.dumps(plain(launch)))) == launch


# ---- memory ----


def test_buffers_are_aligned_apart_and_poisoned(bench):
    a, b = bench.device.alloc(5, name="a"), bench.device.alloc(5, name="b")
    assert a % ALIGNMENT == b % ALIGNMENT == 0 and b - a >= SMALLEST_GAP
    assert bench.device.read(a, 5) == b"\xcd" * 5
    assert bench.device.read(bench.device.alloc(3, fill=0), 3) == bytes(3)
    assert bench.device.read(bench.device.alloc(1 << 20, sparse=True) + 777_777, 8) == bytes(8)


def test_addresses_are_the_same_every_time(bench):
    first = [bench.device.alloc(n) for n in (1, 600, 100_000)]
    bench.device.reset()
    assert [bench.device.alloc(n) for n in (1, 600, 100_000)] == first


def test_a_reset_forgets_what_was_written(bench):
    address = bench.device.alloc(1 << 16, fill=7)
    bench.device.reset()
    assert bench.device.alloc(1 << 16, sparse=True) == address
    assert bench.device.read(address, 1 << 16) == bytes(1 << 16)


@pytest.mark.parametrize("offset, count", [(0, 11), (10, 1), (-1, 1), (4, -1)])
def test_copies_stay_in_their_buffer(bench, offset, count):
    address = bench.device.alloc(10)
    with pytest.raises(DeviceError, match="outside of any buffer"):
        bench.device.read(address + offset, count)
    if count > 0:
        with pytest.raises(DeviceError, match="outside of any buffer"):
            bench.device.write(address + offset, bytes(count))


def test_freeing_twice_or_elsewhere(bench):
    address = bench.device.alloc(10, name="x")
    for wrong in (address + 1, 5):
        with pytest.raises(DeviceError, match="no buffer's address"):
            bench.device.free(wrong)
    bench.device.free(address)
    with pytest.raises(DeviceError, match="freed twice"):
        bench.device.free(address)
    with pytest.raises(DeviceError, match="freed"):
        bench.device.read(address, 1)


def test_sizes_that_make_no_sense(bench):
    with pytest.raises(DeviceError):
        bench.device.alloc(-1)
    with pytest.raises(DeviceError) as problem:
        bench.device.alloc(1 << 60, sparse=True)
    assert problem.value.state is State.OUT_OF_MEMORY
    assert bench.device.alloc(0) != bench.device.alloc(0)


# ---- the engine ----


def test_a_grid_of_four_extents_is_refused(bench):
    module = bench.load('extern "C" __global__ void k() {}')
    with pytest.raises(DeviceError, match="up to three extents"):
        bench.device.launch(module, "k", (1, 1, 1, 1), (32,), b"")


def test_the_engine_is_built_once_and_its_key_follows_the_sources(tmp_path, monkeypatch):
    before = build.build()
    began = time.monotonic()
    assert build.build() == before and before.exists()
    assert time.monotonic() - began < 10  # not built again, which takes longer; no measure of speed
    copy = tmp_path / "engine"
    copy.mkdir()
    for source in build.SOURCES.iterdir():
        (copy / source.name).write_bytes(source.read_bytes())
    (copy / "ops.inc").write_text((copy / "ops.inc").read_text() + "\n")
    monkeypatch.setattr(build, "SOURCES", copy)
    build._name.cache_clear()
    try:
        assert build._name(build.shutil.which("g++"), build.FLAGS) != before.name
    finally:
        build._name.cache_clear()


def test_set_up_can_ask_whether_the_engine_is_built(tmp_path, monkeypatch):
    monkeypatch.setattr(compiled, "build", lambda *arguments: arguments[4].write_text("engine"))
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path))
    assert not build.is_built()
    build.build()
    assert build.is_built()
    monkeypatch.setenv("PATH", "/nonexistent")
    assert not build.is_built()


def test_a_cache_that_cannot_be_written_is_replaced_by_a_private_folder(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(compiled.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(compiled, "build", lambda *arguments: arguments[4].write_text("engine"))
    compiled._private_folder.cache_clear()
    try:
        first = build.build()
        assert first.read_text() == "engine" and build.build() == first
        assert first.parent.parent == tmp_path and not first.parent.stat().st_mode & 0o077
        first.parent.chmod(0o777)  # a folder that others may write is not trusted
        compiled._private_folder.cache_clear()
        other = build.build()
        assert other.parent != first.parent and not other.parent.stat().st_mode & 0o077
    finally:
        compiled._private_folder.cache_clear()


def test_without_a_compiler_it_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(DeviceError) as problem:
        build.build()
    assert problem.value.state is State.UNSUPPORTED_HERE
    assert "g++" in problem.value.sentence and "install" in problem.value.sentence


def test_sources_that_do_not_compile_are_a_grader_fault(tmp_path, monkeypatch):
    copy = tmp_path / "engine"
    copy.mkdir()
    (copy / "broken.cpp").write_text("this is no C++")
    monkeypatch.setattr(build, "SOURCES", copy)
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path / "cache"))
    build._name.cache_clear()
    try:
        with pytest.raises(DeviceError) as problem:
            build.build()
    finally:
        build._name.cache_clear()
    assert problem.value.state is State.GRADER_FAULT and "broken.cpp" in problem.value.sentence
    assert not list(Path(tmp_path / "cache").rglob("*.so"))


def test_the_records_of_both_sides_have_the_same_size():
    from grader.simulator.native import Engine

    assert Engine(build.build()).operations["nop"] == 0
    assert device.Device is Device


def test_a_launch_in_fresh_memory_is_one_call_and_leaves_nothing(process):
    module = process.load(compile_text(ADD))
    x, y = np.arange(100, dtype=np.float32), np.ones(100, np.float32)
    buffers = [
        fresh.Buffer(name="x", nbytes=400, data=x.tobytes(), read_only=True, pointer=0),
        fresh.Buffer(name="y", nbytes=400, data=y.tobytes(), pointer=8, wanted=(4, 396)),
    ]
    args = struct.pack("<QQi", 0, 0, 100)
    launch, (read,) = process.launch_fresh(module, "add", (1,), (128,), args, buffers, count=False)
    assert launch.fault is None and launch.counters is None
    np.testing.assert_array_equal(np.frombuffer(read, np.float32), (x + y)[1:])
    twice = [(0, 1), (0, 1)]
    launch, (read,) = process.launch_fresh(module, "add", (1,), (128,), args, buffers, ranges=twice)
    assert launch.counters is not None
    np.testing.assert_array_equal(np.frombuffer(read, np.float32), (2 * x + y)[1:])
    args = struct.pack("<QQi", 0, 0, 101)
    launch, parts = process.launch_fresh(module, "add", (1,), (128,), args, buffers)
    assert (launch.fault.kind, launch.fault.thread, parts) == ("out_of_bounds", (100, 0, 0), [])
    process.reset()
    with pytest.raises(DeviceError, match="no module"):
        process.launch_fresh(module, "add", (1,), (128,), args, buffers)
