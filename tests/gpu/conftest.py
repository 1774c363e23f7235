"""A device whose kernels are Python functions, so that the mirror is tested without compiling anything."""

import struct

import numpy as np
import pytest

from grader.gpu.mirror import context as contexts
from grader.gpu.mirror import raw, source
from grader.simulator.device import Fault, KernelInfo, Launch, Parameter

PTX = ".version 9.0\n.target sm_80\n"


def parameters(*types: str) -> tuple[Parameter, ...]:
    """Parameters laid out as PTX does: ``"u64"``, ``"f32"``, ``"b8:2"`` (2 bytes, such as __half)."""
    result, offset = [], 0
    for text in types:
        kind, _, count = text.partition(":")
        size = int(count or 1) * int(kind[1:]) // 8
        align = min(size, 8)
        offset = -(-offset // align) * align
        result.append(Parameter(type=kind, size=size, align=align, offset=offset))
        offset += size
    return tuple(result)


class FakeDevice:
    """Memory as bytes by address. ``functions[name]`` is called with (device, grid, block, args) for a launch."""

    kind = "simulated"

    def __init__(self):
        self.memory: dict[int, bytearray] = {}
        self.names: dict[int, str] = {}
        self.freed: list[int] = []
        self.infos: dict[str, KernelInfo] = {}
        self.functions = {}
        self.next = 0x10000
        self.resets = self.loads = 0
        self.counted: list[bool] = []
        self.closed = False

    def define(self, name, function, *types):
        self.infos[name] = KernelInfo(
            name=name, parameters=parameters(*types), shared_bytes=64, local_bytes=0, max_threads=None
        )  # fmt: skip
        self.functions[name] = function

    def alloc(self, nbytes, *, name="", read_only=False, fill=None, sparse=False):
        address, self.next = self.next, self.next + -(-nbytes // 512) * 512 + 512
        self.memory[address] = bytearray([0xCD if fill is None else fill]) * nbytes
        self.names[address] = name
        return address

    def free(self, address):
        self.freed.append(address)
        del self.memory[address]

    def _find(self, address):
        start = max(a for a in self.memory if a <= address)
        return self.memory[start], address - start

    def write(self, address, data):
        memory, offset = self._find(address)
        raw_bytes = memoryview(data).cast("B")
        assert offset + len(raw_bytes) <= len(memory)
        memory[offset : offset + len(raw_bytes)] = raw_bytes

    def read(self, address, nbytes):
        memory, offset = self._find(address)
        assert offset + nbytes <= len(memory)
        return bytes(memory[offset : offset + nbytes])

    def load(self, ptx):
        assert ".target" in ptx
        self.loads += 1
        return f"module{self.loads}"

    def kernels(self, module):
        return self.infos

    def launch(self, module, kernel, grid, block, args, *, shared_bytes=0, count=True):
        self.counted.append(count)
        answer = self.functions[kernel](self, grid, block, args)
        if isinstance(answer, Fault):
            return Launch(fault=answer, counters=None, estimates={}, lines=(), seconds=0.0)
        return answer or Launch(fault=None, counters={}, estimates={}, lines=(), seconds=0.0)

    def reset(self):
        self.resets += 1
        self.memory.clear()

    def close(self):
        self.closed = True


def double(device, grid, block, args):
    """``void twice(float* x, int n)``: x[i] *= 2 for i < n."""
    address, n = struct.unpack_from("<Qi", args)
    values = np.frombuffer(device.read(address, 4 * n), np.float32) * 2
    if n:
        device.write(address, values)


def out_of_bounds(address: int, kernel="twice") -> Fault:
    return Fault(
        kind="out_of_bounds", sentence="The kernel writes 4 bytes past the end of float32[4].", kernel=kernel,
        block=(0, 0, 0), thread=(4, 0, 0), file="twice.cu", line=7, address=address + 16, size=4, space="global",
        buffer="float32[4]", offset=16, buffer_bytes=16,
    )  # fmt: skip


@pytest.fixture
def device(monkeypatch):
    """The fake device, made the mirror's; `code` of any text compiles to PTX."""
    fake = FakeDevice()
    fake.define("twice", double, "u64", "u32")
    monkeypatch.setenv("GRADER_DEVICE", "simulated")
    monkeypatch.setattr(contexts, "_current", contexts.Context(lambda: fake))
    monkeypatch.setattr(source, "compile", lambda code, options=(): PTX)
    assert raw.source is source
    return fake


@pytest.fixture
def fault():
    """Makes an ``out_of_bounds`` fault of a buffer that begins at the address given."""
    return out_of_bounds


@pytest.fixture
def info():
    """Makes the ``KernelInfo`` of a kernel ``k`` from its parameters' PTX types."""

    def make(*types):
        return KernelInfo(name="k", parameters=parameters(*types), shared_bytes=0, local_bytes=0, max_threads=None)

    return make
