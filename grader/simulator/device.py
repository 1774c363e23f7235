"""The client of a device process: memory, modules, launches.

>>> with Device.simulated() as device:
...     module = device.load(ptx)
...     y = device.alloc(4096, name="y")
...     launch = device.launch(module, "fill", (4, 1, 1), (256, 1, 1), args)
...     assert launch.fault is None
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Protocol

from grader.simulator import fresh
from grader.simulator.records import (
    DeviceError,
    Fault,
    KernelInfo,
    Launch,
    Parameter,
    TraceRequest,
    kernel_info_from,
    launch_from,
)
from grader.verdict.records import State

__all__ = ["Device", "DeviceError", "Fault", "KernelInfo", "Launch", "Parameter", "TraceRequest"]

MOST_WORKERS = 4


class Transport(Protocol):
    """What carries the calls: a ``sandbox.Child``, or ``InProcess``."""

    def call(self, header: dict, payload: bytes = b"", *, wall_seconds: float | None = None) -> tuple[dict, bytes]: ...

    def close(self) -> None: ...


class Device:
    """A device and everything on it. A context manager; closing it ends the process and frees all."""

    def __init__(self, transport: Transport, kind: str):
        self._transport, self.kind = transport, kind

    @classmethod
    def simulated(cls, limits=None) -> Device:
        """A fresh simulated GPU in its own process. ``limits``: ``sandbox.Limits``, the time per call."""
        from grader.sandbox import Child, ChildEnded, Limits, python_child
        from grader.simulator.build import build

        engine = build()
        try:
            child = Child(
                python_child("grader.simulator.process"), limits=limits or Limits(), reads=[engine],
                warm={"engine": str(engine)},
            )  # fmt: skip
        except ChildEnded as ended:
            raise DeviceError(ended.outcome.state, f"the simulated GPU {ended.outcome.message}") from None
        device = cls(child, "simulated")
        device._call({"call": "open", "engine": str(engine)})
        return device

    @classmethod
    def in_process(cls) -> Device:
        """A simulated GPU in this process, for tests and tools; never for PTX from strangers."""
        from grader.simulator.backend import SimulatedBackend
        from grader.simulator.build import build
        from grader.simulator.native import Engine

        return cls(InProcess(SimulatedBackend(Engine(build()))), "simulated")

    # ---- memory ----

    def alloc(
        self,
        nbytes: int,
        *,
        name: str = "",
        read_only: bool = False,
        fill: int | None = None,
        sparse: bool = False,
    ) -> int:
        """Reserve device memory: the address, a multiple of 512. ``fill`` is a byte; None poisons with 0xCD,
        and what a kernel uses of it before it was written is a fault.

        ``sparse`` memory is all zero and takes room only where it is touched. ``read_only`` is for kernels.
        """
        header = {
            "call": "alloc",
            "nbytes": int(nbytes),
            "name": name,
            "read_only": read_only,
            "fill": fill,
            "sparse": sparse,
        }
        return self._call(header)[0]["address"]

    def free(self, address: int) -> None:
        self._call({"call": "free", "address": int(address)})

    def write(self, address: int, data) -> None:
        """Copy to the device. ``data`` is any contiguous buffer; a read-only buffer may be written too."""
        self._call({"call": "write", "address": int(address)}, data)

    def read(self, address: int, nbytes: int) -> bytes:
        return self._call({"call": "read", "address": int(address), "nbytes": int(nbytes)})[1]

    # ---- modules and launches ----

    def load(self, ptx: str) -> str:
        """Load PTX; its global variables get their memory. The module's handle."""
        return self._call({"call": "load"}, ptx.encode())[0]["module"]

    def kernels(self, module: str) -> dict[str, KernelInfo]:
        kernels = self._call({"call": "kernels", "module": module})[0]["kernels"]
        return {name: kernel_info_from(info) for name, info in kernels.items()}

    def launch(
        self,
        module: str,
        kernel: str,
        grid: Sequence[int],
        block: Sequence[int],
        args: bytes,
        *,
        shared_bytes: int = 0,
        instruction_budget: int | None = None,
        count: bool = True,
        blocks: tuple[int, int] | None = None,
        trace: TraceRequest | None = None,
        races: bool = True,
        workers: int | None = None,
        max_dynamic_shared: int | None = None,
    ) -> Launch:
        """Run a kernel to its end or its first fault.

        ``args`` is the parameter block laid out by ``KernelInfo.parameters``. ``instruction_budget`` is in
        warp instructions. ``count`` asks for counters. ``blocks`` runs only the linear block numbers [first,
        last). ``trace`` asks for the steps of one warp, which a simulated GPU alone can tell: see ``Launch.trace``.
        ``races`` looks for accesses of two threads that nothing orders; a GPU cannot. ``workers`` (at most 4; None: 1)
        threads of the host share the blocks of a simulated GPU where ``races`` is false and no block can see what
        others do (no atomics on global memory, volatile accesses, fences, printf, clocks); where blocks do not race,
        results and counters are the same. Each has the whole budget, and of several faults the one of the lowest block
        is told, though blocks above it may have run. ``max_dynamic_shared`` is what cudaFuncSetAttribute sets as
        MaxDynamicSharedMemorySize: how many ``shared_bytes`` a block may have; None: as many as make 48 KiB with the
        static ones.
        """
        from grader.simulator.trace import trace_from

        header = {
            "call": "launch", "module": module, "kernel": kernel,
            "grid": _three(grid), "block": _three(block), "shared_bytes": shared_bytes,
            "instruction_budget": instruction_budget, "count": count,
            "blocks": list(blocks) if blocks is not None else None,
        }  # fmt: skip
        if not races:
            header["races"] = False
        if max_dynamic_shared is not None:
            header["max_dynamic_shared"] = int(max_dynamic_shared)
        if workers is not None and self.kind == "simulated":
            header["workers"] = max(1, min(int(workers), MOST_WORKERS, os.cpu_count() or 1))
        if trace is not None:
            if self.kind != "simulated":
                raise DeviceError(State.UNSUPPORTED_HERE, "A GPU cannot tell a warp's steps: the simulated GPU can.")
            header["trace"] = {"block": _three(trace.block, 0), "warp": trace.warp, "steps": trace.steps}
        answer, data = self._call(header, args)
        return launch_from(answer["launch"], trace_from(answer.get("trace"), data))

    def launch_fresh(
        self, module: str, kernel: str, grid: Sequence[int], block: Sequence[int], args: bytes,
        buffers: Sequence[fresh.Buffer], *, shared_bytes: int = 0, instruction_budget: int | None = None,
        count: bool = True, ranges: Sequence[tuple[int, int] | None] = (None,),
    ) -> tuple[Launch, list[bytes]]:  # fmt: skip
        """Run a kernel in memory of its own, in one call: the last launch, and what each ``wanted`` part holds then.

        Each of ``ranges`` is a launch of these blocks (see ``launch``), one after another on the same memory. The
        buffers' addresses are filled in the arguments, and the buffers are freed. After a fault the device must be
        reset: nothing more was done, and nothing is read.
        """
        header, payload = fresh.request(buffers, args)
        header["launches"] = [
            {
                "module": module, "kernel": kernel, "grid": _three(grid), "block": _three(block),
                "shared_bytes": shared_bytes, "instruction_budget": instruction_budget, "count": count,
                "blocks": list(blocks) if blocks is not None else None,
            }
            for blocks in ranges
        ]  # fmt: skip
        answer, data = self._call(header, payload)
        launch = launch_from(answer["launches"][-1])
        parts, position = [], 0
        for _, nbytes in [buffer.wanted for buffer in buffers if buffer.wanted and not launch.fault]:
            parts.append(data[position : position + nbytes])
            position += nbytes
        return launch, parts

    def reset(self) -> None:
        """Free all buffers and modules."""
        self._call({"call": "reset"})

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *exception) -> None:
        self.close()

    def _call(self, header: dict[str, Any], payload: Any = b"") -> tuple[dict[str, Any], bytes]:
        from grader.sandbox import ChildEnded

        try:
            answer, data = self._transport.call(header, payload)
        except ChildEnded as ended:
            # Only time and memory can be the kernel's doing; a device process that dies otherwise is ours.
            outcome = ended.outcome
            theirs = outcome.state in (State.TIMEOUT, State.OUT_OF_MEMORY)
            state = outcome.state if theirs else State.GRADER_FAULT
            raise DeviceError(state, f"The device process {outcome.message}.") from None
        if not answer.get("ok"):
            raise DeviceError(State(answer["state"]), answer["sentence"])
        return answer, data


class InProcess:
    """Carries the calls to a backend in this process."""

    def __init__(self, backend):
        self._backend = backend

    def call(self, header: dict, payload: Any = b"", *, wall_seconds: float | None = None) -> tuple[dict, bytes]:
        from grader.simulator.serve import answer

        return answer(self._backend, header, memoryview(payload).cast("B").tobytes())

    def close(self) -> None:
        self._backend.reset()


def _three(size: Sequence[int], missing: int = 1) -> list[int]:
    values = [int(x) for x in (size if isinstance(size, Sequence) else (size,))]
    if len(values) > 3:
        raise DeviceError(
            State.ERROR, f"A grid or block has up to three extents, x, y and z; {len(values)} were given."
        )
    return values + [missing] * (3 - len(values))
