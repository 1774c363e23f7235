"""A real GPU behind the calls of the device process, on CuPy's public interface.

What a GPU does not tell, this finds out afterwards: buffers lie between canaries, which are looked at after each
launch; what was given as read-only is summed before and after. A GPU tells neither thread nor line, and has no
counters to read from here: those stay ``None``. A read past a buffer's end goes unseen unless it leaves the
process's memory.
"""

from __future__ import annotations

import itertools
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grader.gpu.cuda_faults import broken_canary, changed_input, cuda_fault, never_ended
from grader.gpu.signatures import signatures
from grader.simulator.device import DeviceError, Fault, KernelInfo, Launch
from grader.verdict import State

POISON = 0xCD
ALIGNMENT = 512
GAP = 4096  # bytes of canary before a buffer and, at least, after it
CANARY = np.random.default_rng(20).bytes(GAP + ALIGNMENT)  # no constant that a kernel would write by chance
LAUNCH_SECONDS = 10.0
OUT_OF_MEMORY = 2  # cudaErrorMemoryAllocation
NOT_READY = 600  # cudaErrorNotReady
_TO_DEVICE, _TO_HOST = 1, 2  # cudaMemcpyKind

# A sum over a buffer's bytes that depends on where each stands. Adding commutes, so the threads' order is no matter.
_CHECKSUM = r"""
extern "C" __global__ void grader_checksum(const unsigned char* data, unsigned long long n, unsigned long long* sum)
{
    unsigned long long own = 0;
    for (unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; i < n;
         i += (unsigned long long)gridDim.x * blockDim.x) {
        unsigned long long h = (i << 8 | data[i]) * 0x9E3779B97F4A7C15ull;
        h = (h ^ h >> 32) * 0xD6E8FEB86659FD93ull;
        own += h ^ h >> 29;
    }
    if (own) atomicAdd(sum, own);
}
"""


@dataclass
class _Buffer:
    base: int  # what cudaMalloc gave
    address: int
    nbytes: int
    after: int  # bytes of canary that follow
    name: str
    read_only: bool
    checksum: int | None = None  # of a read-only buffer, since the host last wrote to it


class CudaBackend:
    """Device memory, modules and launches. Every method may raise ``DeviceError``; see ``simulator.device.Device``."""

    kind = "cuda"

    def __init__(self, cupy=None, launch_seconds: float = LAUNCH_SECONDS):
        if cupy is None:
            import cupy
        self._cupy, self._runtime, self._seconds = cupy, cupy.cuda.runtime, launch_seconds
        self._buffers: dict[int, _Buffer] = {}
        self._modules: dict[str, tuple[object, dict[str, KernelInfo]]] = {}
        self._numbers = itertools.count()  # CuPy remembers modules by path: no path is ever used twice
        self._folder = tempfile.TemporaryDirectory(prefix="grader-ptx-")
        self._summing = None
        self.lost = ""  # why nothing can be done any more: a sticky error, or a kernel that never ends

    # -- memory -----------------------------------------------------------------------------------------------
    def alloc(self, nbytes: int, *, name="", read_only=False, fill: int | None = None, sparse=False) -> int:
        self._need_life()
        after = GAP + -nbytes % ALIGNMENT
        try:
            base = self._runtime.malloc(GAP + nbytes + after)
        except self._runtime.CUDARuntimeError as error:
            if error.status != OUT_OF_MEMORY:
                raise self._broken(error) from None
            # Sparse memory is the grader's own wish: that a GPU cannot hold it is no fault of the answer.
            state = State.UNSUPPORTED_HERE if sparse else State.OUT_OF_MEMORY
            raise DeviceError(state, f"The GPU has no room for a buffer of {nbytes:,} bytes.") from None
        address = base + GAP
        if address % ALIGNMENT:
            self._runtime.free(base)
            raise DeviceError(State.GRADER_FAULT, f"cudaMalloc gave an address that is no multiple of {ALIGNMENT}.")
        self._put(base, CANARY[:GAP])
        self._put(address + nbytes, CANARY[:after])
        if nbytes:
            self._runtime.memset(address, 0 if sparse else POISON if fill is None else fill, nbytes)
        self._buffers[address] = _Buffer(base, address, nbytes, after, name, read_only)
        return address

    def free(self, address: int) -> None:
        self._need_life()
        buffer = self._buffers.pop(address, None)
        if buffer is None:
            raise DeviceError(State.GRADER_FAULT, f"There is no buffer at {address:#x} to free.")
        self._runtime.free(buffer.base)

    def write(self, address: int, data) -> None:
        self._need_life()
        view = memoryview(data).cast("B")
        buffer = self._containing(address, view.nbytes)
        self._put(address, view)
        buffer.checksum = None

    def read(self, address: int, nbytes: int) -> bytes:
        self._need_life()
        self._containing(address, nbytes)
        return self._get(address, nbytes)

    def _containing(self, address: int, nbytes: int) -> _Buffer:
        for buffer in self._buffers.values():
            if buffer.address <= address and address + nbytes <= buffer.address + buffer.nbytes:
                return buffer
        raise DeviceError(State.GRADER_FAULT, f"{nbytes:,} bytes at {address:#x} lie in no buffer.")

    def _put(self, address: int, data) -> None:
        host = np.frombuffer(data, np.uint8)
        if host.size:
            self._runtime.memcpy(address, host.ctypes.data, host.size, _TO_DEVICE)

    def _get(self, address: int, nbytes: int) -> bytes:
        host = np.empty(nbytes, np.uint8)
        if nbytes:
            self._runtime.memcpy(host.ctypes.data, address, nbytes, _TO_HOST)
        return host.tobytes()

    # -- modules ----------------------------------------------------------------------------------------------
    def load(self, ptx: str) -> str:
        self._need_life()
        try:
            known = signatures(ptx)
        except ValueError as error:
            raise DeviceError(State.UNSUPPORTED_HERE, f"The kernel's PTX could not be read: {error}") from None
        handle = f"module{next(self._numbers)}"
        path = Path(self._folder.name) / f"{handle}.ptx"
        path.write_text(ptx)
        module = self._cupy.RawModule(path=str(path))
        infos = {}
        try:
            for name, signature in known.items():
                kernel = module.get_function(name)
                infos[name] = KernelInfo(
                    name=name, parameters=signature.parameters, max_threads=signature.max_threads,
                    shared_bytes=kernel.shared_size_bytes, local_bytes=kernel.local_size_bytes,
                )  # fmt: skip
        except self._cupy.cuda.driver.CUDADriverError as error:
            raise DeviceError(State.UNSUPPORTED_HERE, f"The GPU's driver refuses the kernel's PTX: {error}") from None
        self._modules[handle] = module, infos
        return handle

    def kernels(self, module: str) -> dict[str, KernelInfo]:
        return self._module(module)[1]

    def _module(self, handle: str):
        if handle not in self._modules:
            raise DeviceError(State.GRADER_FAULT, f"There is no module {handle}.")
        return self._modules[handle]

    # -- launches ---------------------------------------------------------------------------------------------
    def launch(
        self, module: str, kernel: str, grid, block, args: bytes, *, shared_bytes: int = 0,
        instruction_budget: int | None = None, count: bool = True, blocks: tuple[int, int] | None = None,
        races: bool = True, max_dynamic_shared: int | None = None,
    ) -> Launch:  # fmt: skip
        """Run the whole grid: a GPU cannot choose ``blocks``, count, or see ``races``. Seconds stand for the budget."""
        self._need_life()
        loaded, infos = self._module(module)
        if kernel not in infos:
            raise DeviceError(State.GRADER_FAULT, f"There is no kernel {kernel} in {module}.")
        if min(*grid, *block) < 1:  # CuPy would make it 1
            return _launch(cuda_fault(9, "cudaErrorInvalidConfiguration: invalid configuration argument", kernel))
        for buffer in self._buffers.values():
            if buffer.read_only and buffer.checksum is None:
                buffer.checksum = self._checksum(buffer)
        errors = (self._runtime.CUDARuntimeError, self._cupy.cuda.driver.CUDADriverError)
        start, stop = self._cupy.cuda.Event(), self._cupy.cuda.Event()
        try:
            function = loaded.get_function(kernel)
            if max_dynamic_shared is not None:
                function.max_dynamic_shared_size_bytes = max_dynamic_shared
            start.record()
            function(tuple(grid), tuple(block), values(args, infos[kernel]), shared_mem=shared_bytes)
            stop.record()
            if not self._ended(stop):
                self.lost = "a kernel was still running when its time was over"
                return _launch(never_ended(kernel, self._seconds))
            self._cupy.cuda.Device().synchronize()
        except errors as error:
            fault = cuda_fault(error.status, str(error), kernel)
            if fault.kind != "launch":
                self.lost = f"an earlier kernel failed: {error}"
            return _launch(fault)
        seconds = self._cupy.cuda.get_elapsed_time(start, stop) / 1000
        return _launch(self._damage(kernel), seconds)

    def _ended(self, event) -> bool:
        """Whether the kernel came to its end in time, a bad one too. (``Event.done`` stays False after an error.)"""
        deadline = time.monotonic() + self._seconds
        while self._runtime.eventQuery(event.ptr) == NOT_READY:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.0002)
        return True

    def _damage(self, kernel: str) -> Fault | None:
        """What the launch did to memory that it must not touch: the first damage, in the order of allocation."""
        for buffer in self._buffers.values():
            before = self._get(buffer.base, GAP)
            after = self._get(buffer.address + buffer.nbytes, buffer.after)
            offset = None
            if after != CANARY[: buffer.after]:
                offset = buffer.nbytes + _first_difference(after, CANARY)
            elif before != CANARY[:GAP]:
                offset = -1 - _first_difference(before[::-1], CANARY[:GAP][::-1])
            if offset is not None:
                self._put(buffer.base, CANARY[:GAP])  # told once
                self._put(buffer.address + buffer.nbytes, CANARY[: buffer.after])
                return broken_canary(kernel, buffer.name, buffer.address, buffer.nbytes, offset)
        for buffer in self._buffers.values():
            if buffer.read_only and self._checksum(buffer) != buffer.checksum:
                buffer.checksum = None
                return changed_input(kernel, buffer.name, buffer.address, buffer.nbytes)
        return None

    def _checksum(self, buffer: _Buffer) -> int:
        if not buffer.nbytes:
            return 0
        if self._summing is None:
            self._summing = self._cupy.RawKernel(_CHECKSUM, "grader_checksum")
        total = self._cupy.zeros(1, np.uint64)
        blocks = min(2048, -(-buffer.nbytes // 256))
        self._summing((blocks,), (256,), (np.uint64(buffer.address), np.uint64(buffer.nbytes), total))
        return int(total.get()[0])

    # -- the end ----------------------------------------------------------------------------------------------
    def reset(self) -> None:
        """Free everything. After a sticky error only a new process helps; the client starts one."""
        self._need_life()
        for buffer in self._buffers.values():
            self._runtime.free(buffer.base)
        self._buffers.clear()
        self._modules.clear()

    def _need_life(self) -> None:
        if self.lost:
            raise DeviceError(State.CRASH, f"The GPU's context is lost: {self.lost}.")

    def _broken(self, error) -> DeviceError:
        self.lost = str(error)
        return DeviceError(State.CRASH, f"The GPU's context is lost: {error}.")


def values(args: bytes, info: KernelInfo) -> tuple[np.ndarray, ...]:
    """The parameter block taken apart: CuPy passes a NumPy array of size one by value, whatever its type."""
    return tuple(np.frombuffer(args, f"V{p.size}", 1, p.offset) for p in info.parameters)


def _launch(fault: Fault | None, seconds: float = 0.0) -> Launch:
    return Launch(fault=fault, counters=None, estimates={}, lines=(), seconds=seconds)


def _first_difference(got: bytes, expected: bytes) -> int:
    return next(i for i, (a, b) in enumerate(zip(got, expected, strict=False)) if a != b)
