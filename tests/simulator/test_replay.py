"""A recorded launch gives the same without Python. ``replay/run.py`` does it for other compilers and processors."""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys

import numpy as np
import pytest
from conftest import HERE, Bench

from grader.simulator import Device
from grader.simulator.build import FLAGS, SOURCES, build

sys.path.insert(0, str(HERE / "replay"))

from record import recorded  # noqa: E402
from run import TARGETS  # noqa: E402


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    """The driver with the engine's library that the tests use."""
    program = tmp_path_factory.mktemp("replay") / "replay"
    library = build()
    command = ["g++", *FLAGS, f"-I{SOURCES}", HERE / "replay" / "replay.cpp", library, f"-Wl,-rpath,{library.parent}"]
    subprocess.run([*command, "-o", program], check=True)
    return program


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """A launch that ends well and one with a fault."""
    with Device.in_process() as device, recorded() as recording:
        bench = Bench(device)
        module = bench.load_file("elementwise.cu")
        x = bench.array(np.arange(1000, dtype=np.float16))
        keep, y = bench.array(np.ones(1000, np.uint8)), device.alloc(2000)
        assert bench.launch(module, "masked_gelu", (4,), (256,), x, keep, y, 1000).fault is None
        assert bench.launch(module, "masked_gelu", (4,), (256,), x, keep, y, 1001).fault
    assert len(recording.launches) == 2 and not recording.left_out
    path = tmp_path_factory.mktemp("recording") / "recording"
    recording.save(path)
    return path


def replay(driver, path) -> tuple[int, str]:
    done = subprocess.run([driver, path], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_a_recorded_launch_gives_the_same_again(driver, recording):
    code, text = replay(driver, recording)
    assert code == 0 and text.startswith("2 launches, 0 differ"), text


def test_one_byte_of_a_result_that_differs_is_told(driver, recording, tmp_path):
    data = bytearray(recording.read_bytes())
    result = np.arange(1000, dtype=np.float32)[500:510].astype(np.float16).tobytes()  # GELU of these is the same
    assert (at := data.rfind(result)) > data.find(result)
    data[at] ^= 1
    changed = tmp_path / "changed"
    changed.write_bytes(data)
    code, text = replay(driver, changed)
    assert code == 1 and "differs at byte 1000: " in text, text


def test_a_recording_of_another_engine_is_refused(driver, recording, tmp_path):
    data = bytearray(recording.read_bytes())
    struct.pack_into("<I", data, 8, 4)
    (tmp_path / "other").write_bytes(data)
    assert replay(driver, tmp_path / "other") == (2, "replay: the recording is of another engine\n")


def test_a_missing_compiler_or_emulator_says_what_to_install(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda tool: None)
    reasons = [target.missing() for target in TARGETS]
    assert reasons[-1] == (
        "aarch64-linux-gnu-g++ is not here; install it with: sudo apt-get install g++-aarch64-linux-gnu qemu-user"
    )
    assert all(reasons)
