"""A real GPU behind a plugin process, for runs at level L2: what ``RuntimeDevice`` is for the simulated one.

The process that holds the plugin holds the memory too, so all that comes back is its claim; the parent compares it with
its own reference. A GPU tells no faults of single threads: bytes around each buffer show what was written beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.plugin.build import HostUnavailable
from grader.plugin.session import Session
from grader.simulator.records import DeviceError
from grader.toolchain import locate
from grader.verdict import State

GUARD = 512  # bytes before and behind a buffer
_GUARD_BYTE, _POISON = 0xA5, 0xCD
_DELAY = 30_000  # microseconds by which a given stream is late, so that work on another one overtakes it


def cuda_runtime() -> Path:
    """NVIDIA's CUDA runtime on this machine; ``HostUnavailable`` where there is none, or no GPU's driver."""
    if not any(Path("/proc/driver/nvidia").glob("version")):
        raise HostUnavailable("Plugins cannot run on a GPU here: no NVIDIA driver is loaded.")
    if (found := locate.runtime_library()) is None:
        raise HostUnavailable("Plugins cannot run on a GPU here: NVIDIA's libcudart.so was not found.")
    return found


@dataclass
class _Buffer:
    name: str
    nbytes: int
    block: int  # the address of the guard before it
    staging: int  # what the parent brings and takes lies here first: copies on a stream stay on the device


@dataclass(frozen=True)
class Overwritten:
    """Takes the place of ``simulator.Fault``."""

    sentence: str
    kernel: str = ""


class GpuDevice:
    """Memory and streams of one session's process. ``order``: "others-first" makes given streams late; others are as
    the GPU has them. There is no log: ``log`` is empty, and rules that need it do not run at this level."""

    kind = "cuda"

    def __init__(self, session: Session):
        self._session = session
        self._buffers: dict[int, _Buffer] = {}
        self._tickets: dict[int, tuple[int, int]] = {}
        self._late, self._delayed = False, set()
        self._status = 0  # the first error that a wait told

    # ---- memory ----

    def alloc(self, nbytes: int, *, name: str = "", fill: int | None = None) -> int:
        block = self._ask("alloc", nbytes + 2 * GUARD)
        self._ask("fill", block, _GUARD_BYTE, nbytes + 2 * GUARD)
        address = block + GUARD
        if nbytes:
            self._ask("fill", address, _POISON if fill is None else fill, nbytes)
        self._buffers[address] = _Buffer(name, nbytes, block, self._ask("alloc", max(nbytes, 1)))
        return address

    def free(self, address: int) -> None:
        buffer = self._buffers.pop(address)
        self._ask("free", buffer.block)
        self._ask("free", buffer.staging)

    def write(self, address: int, data) -> None:
        self._ask("write", address, bytes(data))

    def read(self, address: int, nbytes: int) -> bytes:
        return self._ask("read", address, nbytes)

    # ---- streams ----

    def stream(self, *, flags: int = 1) -> int:
        return self._ask("stream", flags)

    def order(self, policy: str) -> None:
        self._late, self._delayed = policy == "others-first", set()

    def produce(self, stream: int, address: int, data) -> None:
        """Bring bytes on a stream, late where the order says so."""
        staging = self._buffers[address].staging
        self._ask("write", staging, bytes(data))
        if self._late and stream not in self._delayed:
            self._delayed.add(stream)
            self._ask("delay", stream, _DELAY)
        self._ask("copy", address, staging, len(data), stream)

    def consume(self, stream: int, address: int, nbytes: int) -> int:
        staging = self._buffers[address].staging
        self._ask("copy", staging, address, nbytes, stream)
        ticket = len(self._tickets) + 1
        self._tickets[ticket] = staging, nbytes
        return ticket

    def collected(self, ticket: int) -> bytes:
        staging, nbytes = self._tickets[ticket]
        return self.read(staging, nbytes)

    def synchronize(self, stream: int | None = None) -> int:
        status = self._try("synchronize", stream)[0]
        self._delayed.discard(stream)
        self._status = self._status or status
        return status

    def begin_capture(self, stream: int, mode: int = 0) -> int:
        return self._try("begin-capture", stream, mode)[0]

    def end_capture(self, stream: int) -> tuple[int, int]:
        status, graph = self._try("end-capture", stream)
        self._try("last-error")  # a failed capture is no error of what follows
        return status, graph or 0

    def launch_graph(self, graph: int, stream: int) -> int:
        return self._try("launch-graph", graph, stream)[0]

    # ---- evidence ----

    def mark(self, label: str) -> None:
        pass

    def log(self, label: str | None = None) -> list:
        return []

    def races(self, on: bool) -> None:
        pass

    def live(self) -> dict[str, int]:
        """ "bytes": of device memory that are in use, on the whole GPU."""
        return {"bytes": -self._ask("free-memory")}

    def fault(self, *, forget: bool = False) -> Overwritten | None:
        """What was written beside a buffer; None where nothing was."""
        if self._status:
            return Overwritten(f"A kernel failed: CUDA says error {self._status} when its stream is waited for.")
        for address, buffer in self._buffers.items():
            before, behind = self.read(buffer.block, GUARD), self.read(address + buffer.nbytes, GUARD)
            for what, guard in (("before the start", before), ("past the end", behind)):
                if guard != bytes([_GUARD_BYTE]) * GUARD:
                    if forget:
                        self._ask("fill", buffer.block, _GUARD_BYTE, GUARD)
                        self._ask("fill", address + buffer.nbytes, _GUARD_BYTE, GUARD)
                    return Overwritten(f"A kernel wrote {what} of {buffer.name or 'a buffer'}.")
        return None

    # ---- the conversation ----

    def _try(self, operation: str, *arguments) -> tuple[int, object]:
        return tuple(self._session.ask("gpu", [operation, *arguments], method=f"CUDA: {operation}"))

    def _ask(self, operation: str, *arguments):
        status, result = self._try(operation, *arguments)
        if status:
            raise DeviceError(State.ERROR, f"The GPU answered {status} to {operation}.")
        return result
