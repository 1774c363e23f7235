"""The bench a kernel's checks work on: it compiles once, opens one device, and launches cases."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from grader import toolchain
from grader.checks import POISON, Case, Finding, In, Out, compare, failed
from grader.simulator.fresh import Buffer
from grader.verdict import State

if TYPE_CHECKING:
    from grader.simulator.records import KernelInfo

OTHER_POISON = 0xFF  # a NaN in every floating type
BUDGET = 50_000_000  # warp instructions a launch; the largest right launch of the course needs a tenth


@dataclass
class Run:
    """What one launch did. ``finding`` is set where the launch itself went wrong."""

    outputs: dict[str, np.ndarray] = field(default_factory=dict)
    finding: Finding | None = None
    counters: dict[str, int] | None = None


class KernelBench:
    """One learner's kernel file on one device. Use as a context manager; ``kind`` is "simulated" or "cuda"."""

    def __init__(
        self, files: Mapping[str, bytes], main: str, *, kind: str | None = None, budget: int = BUDGET,
        compilation: toolchain.Compilation | None = None,
    ):  # fmt: skip
        """``compilation``: what was compiled already, in place of the files."""
        self.main, self.kind, self.budget = main, kind, budget
        self.compilation = compilation or toolchain.compile_kernel(toolchain.Source(files, main))
        self._devices: dict[str, tuple[Any, str]] = {}
        self._kernels: dict[str, KernelInfo] = {}
        self.counters: dict[str, dict[str, float]] = {}

    def __enter__(self) -> KernelBench:
        return self

    def __exit__(self, *_) -> None:
        for device, _module in self._devices.values():
            device.close()
        self._devices.clear()

    def device(self, kind: str | None = None):
        """The device (opened on first use, with the module loaded) and the module's handle."""
        kind = self._kind(kind)
        if kind not in self._devices:
            from grader import gpu

            device = gpu.open_device(kind)
            try:
                self._devices[kind] = device, device.load(self.compilation.ptx)
            except BaseException:
                device.close()
                raise
        return self._devices[kind]

    def _kind(self, kind: str | None) -> str:
        from grader import gpu

        return kind or self.kind or gpu.device_kind()

    def kernels(self):
        """The kernels of the file, ``{name: KernelInfo}``."""
        if not self._kernels:
            device, module = self.device()
            self._kernels = device.kernels(module)
        return self._kernels

    def launch(
        self, case: Case, *, kind: str | None = None, ranges=(None,), budget: int | None = None, poison: int = POISON,
        count: bool = False,
    ) -> Run:  # fmt: skip
        """Launch a case in fresh memory and read its outputs.

        Inputs are copied to read-only buffers, to which a write is a fault, and outputs are filled with the byte
        ``poison``. A fault becomes ``finding``. ``count`` asks for counters.
        ``ranges`` runs only these ranges of linear block numbers, one launch after another on the same memory
        (simulated GPU only); counters are then those of the last launch.
        """
        device, module = self.device(kind)
        args, pointers = pack(self.kernels()[case.kernel].parameters, case.arguments)
        buffers = [place(a, pointers[a.name], poison) for a in case.arguments if isinstance(a, In | Out)]
        launch, parts = device.launch_fresh(
            module, case.kernel, case.grid, case.block, args, buffers,
            shared_bytes=case.shared_bytes, instruction_budget=budget or self.budget, ranges=ranges, count=count,
        )  # fmt: skip
        if launch.fault:
            device.reset()  # like a sticky error: what was on the device is gone
            self._devices[self._kind(kind)] = device, device.load(self.compilation.ptx)
            return Run(finding=fault_finding(launch.fault, case), counters=launch.counters)
        run = Run(counters=launch.counters)
        for out, raw in zip(case.outputs, parts, strict=True):
            run.outputs[out.name] = np.frombuffer(raw, np.dtype(out.dtype)).reshape(out.shape)
        return run

    def verify(self, case: Case, *, kind: str | None = None) -> Finding:
        """Launch a case and compare its outputs with what the case expects."""
        run = self.launch(case, kind=kind)
        return run.finding or compare(case, run.outputs)

    def first_failure(self, cases) -> Finding:
        """Verify cases from the smallest to the largest; the first that fails, else the last that passed.

        Cases come smallest first, so what the learner sees is the smallest failing case. The last one is launched
        again over other bytes: what comes out must not depend on them. No case at all is an error.
        """
        finding = run = None
        for case in cases:
            run = self.launch(case)
            finding = run.finding or compare(case, run.outputs)
            if finding.state is not State.PASS:
                return finding
        if run is None:
            raise ValueError("a check generated no case")
        again = self.launch(case, poison=OTHER_POISON)
        return again.finding or _same(case, run, again) or finding

    def measure(self, case: Case) -> Run:
        """Launch a case on the simulated GPU, whatever the device, and keep its counters for the verdict."""
        run = self.launch(case, kind="simulated", count=True)
        if run.counters is not None:
            self.counters[case.kernel] = dict(run.counters)
        return run


def _same(case: Case, one: Run, other: Run) -> Finding | None:
    """The finding if two launches over differently filled output memory wrote different bytes."""
    for name, before in one.outputs.items():
        if before.tobytes() != other.outputs[name].tobytes():
            return failed(
                f"What {case.kernel} writes to {name} depends on what was there before the launch: it reads {name} "
                f"before it writes it. Output memory holds anything; write every element, read none; {case.label}.",
                case={"kernel": case.kernel, "label": case.label, "output": name},
            )
    return None


def place(argument: In | Out, pointer: int, poison: int = POISON) -> Buffer:
    """The fresh buffer of an argument: its data written, or poison where it will be read. ``pointer``: where its
    address stands in the parameter block."""
    total = argument.size if argument.total is None else argument.total
    is_input, sparse = isinstance(argument, In), argument.start > 0
    start, nbytes = argument.start * argument.itemsize, argument.size * argument.itemsize
    data = b""
    if is_input:
        data = argument.data.tobytes()
    elif sparse:  # memory that is not sparse is filled by the device itself
        data = bytes([poison]) * nbytes
    return Buffer(
        name=argument.name, nbytes=total * argument.itemsize, sparse=sparse,
        read_only=is_input and not argument.writable,
        # None poisons, too, and the simulated GPU tells where a kernel uses what nobody wrote.
        fill=None if sparse or (poison == POISON and not is_input) else poison,
        data=data, offset=start, pointer=pointer, wanted=None if is_input else (start, nbytes),
    )  # fmt: skip


def pack(parameters, arguments) -> tuple[bytes, dict[str, int]]:
    """The arguments laid out as the kernel's parameter block, and where in it the address of each buffer goes.
    ``ValueError`` if a size does not fit."""
    block, pointers = bytearray(max((p.offset + p.size for p in parameters), default=0)), {}
    if len(parameters) != len(arguments):
        raise ValueError(f"{len(arguments)} arguments for {len(parameters)} parameters")
    for p, a in zip(parameters, arguments, strict=True):
        raw = bytes(8) if isinstance(a, In | Out) else np.asarray(a).tobytes()
        if len(raw) != p.size:
            raise ValueError(f"an argument of {len(raw)} bytes for a parameter of {p.size}")
        block[p.offset : p.offset + p.size] = raw
        if isinstance(a, In | Out):
            pointers[a.name] = p.offset
    return bytes(block), pointers


def fault_finding(fault, case: Case) -> Finding:
    """A device fault as a finding; the states follow the kind of fault."""
    crash = dict.fromkeys(("trap", "assert"), State.CRASH)
    state = {"budget": State.TIMEOUT, "unsupported": State.UNSUPPORTED_HERE, **crash}.get(fault.kind, State.FAIL)
    suffix = f" ({case.label})" if case.label else ""
    return failed(fault.sentence + suffix, state=state, fault=dataclasses.asdict(fault), case={"label": case.label})
