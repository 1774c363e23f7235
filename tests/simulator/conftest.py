"""A device in this process, and kernels compiled for it."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import numpy as np
import pytest

from grader.simulator import Device
from grader.toolchain.kernel import compile_kernel
from grader.toolchain.records import Source
from grader.verdict.records import State

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # for opcode_cases

_FORMATS = {
    "u64": "<Q",
    "u32": "<I",
    "s32": "<i",
    "f32": "<f",
    "f64": "<d",
    "u16": "<H",
    "u8": "<B",
    "b8": "<B",
}


def compile_text(text: str, name: str = "kernel.cu", *, arch: str = "compute_80", options: tuple[str, ...] = ()) -> str:
    """PTX of a kernel file, as the grader compiles it."""
    result = compile_kernel(Source(files={name: text.encode()}, main=name), arch=arch, options=options)
    assert result.state is State.PASS, result.message
    return result.ptx


class Bench:
    """A device with short ways to load, fill and launch."""

    def __init__(self, device: Device):
        self.device = device

    def load(self, text: str, name: str = "kernel.cu") -> str:
        return self.device.load(compile_text(text, name))

    def load_file(self, name: str) -> str:
        return self.load((HERE / "kernels" / name).read_text(), name)

    def array(self, data: np.ndarray, name: str = "", **options) -> int:
        address = self.device.alloc(data.nbytes, name=name, **options)
        self.device.write(address, np.ascontiguousarray(data))
        return address

    def fetch(self, address: int, count: int, dtype) -> np.ndarray:
        return np.frombuffer(self.device.read(address, count * np.dtype(dtype).itemsize), dtype)

    def launch(self, module: str, kernel: str, grid, block, *args, **options):
        info = self.device.kernels(module)[kernel]
        data = bytearray(max((p.offset + p.size for p in info.parameters), default=0))
        for parameter, value in zip(info.parameters, args, strict=True):
            if isinstance(value, bytes):
                data[parameter.offset : parameter.offset + len(value)] = value
                continue
            kind = parameter.type if value >= 0 or parameter.type[0] != "u" else "s32"
            struct.pack_into(_FORMATS[kind], data, parameter.offset, value)
        return self.device.launch(module, kernel, grid, block, bytes(data), **options)


@pytest.fixture(scope="session")
def session_device():
    with Device.in_process() as device:
        yield device


@pytest.fixture
def bench(session_device):
    """A bench on an empty device."""
    session_device.reset()
    return Bench(session_device)
