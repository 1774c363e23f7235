"""What operations do when their turn comes. The same work may run again and again: a graph keeps it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grader.simulator.records import DeviceError, Fault
from grader.simulator.runtime.protocol import Direction
from grader.simulator.runtime.statuses import FAULT_STATUS, SILENT, Status
from grader.verdict.records import State

if TYPE_CHECKING:
    from grader.simulator.decode.program import Program
    from grader.simulator.runtime.context import Context
    from grader.simulator.runtime.log import Record
    from grader.simulator.runtime.machine import Machine


MOST_PRINTED = 2000  # characters of a launch's printf in the log


class Work:
    """One thing to do. ``perform`` is False where it has only begun: a host function runs in the plugin process."""

    staged = 0  # bytes that it holds until it is done
    of_parent = False  # the parent's own: it runs whatever became of the plugin process

    def perform(self, machine: Machine, context: Context | None, record: Record) -> bool:
        return True


@dataclass(frozen=True)
class Nothing(Work):
    """An event, or the end of a graph: only its place in the order counts."""


@dataclass(frozen=True)
class WaitForEvent(Nothing):
    """Of a graph: what is recorded in the event by the time of the launch must have run."""


@dataclass(frozen=True)
class Copy(Work):
    """``height`` rows of ``width`` bytes. Addresses of the host are only labels for deliveries."""

    direction: Direction
    to: int
    source: int
    width: int
    height: int = 1
    to_pitch: int = 0
    source_pitch: int = 0
    data: bytes = b""  # of the host, packed

    @property
    def staged(self) -> int:
        return len(self.data)

    def perform(self, machine: Machine, context: Context | None, record: Record) -> bool:
        memory = machine.memory
        for row in range(self.height):
            to, source = self.to + row * self.to_pitch, self.source + row * self.source_pitch
            try:
                if self.direction is Direction.HOST_TO_DEVICE:
                    memory.write(to, self.data[row * self.width : (row + 1) * self.width])
                elif self.direction is Direction.DEVICE_TO_DEVICE:
                    memory.copy(to, source, self.width)
                else:
                    context.deliver(to, memory.read(source, self.width))
            except DeviceError as error:
                return _refused(machine, context, record, error)
        return True


@dataclass(frozen=True)
class Fill(Work):
    to: int
    value: int
    width: int
    height: int = 1
    pitch: int = 0

    def perform(self, machine: Machine, context: Context | None, record: Record) -> bool:
        try:
            for row in range(self.height):
                machine.memory.fill(self.to + row * self.pitch, self.value, self.width)
        except DeviceError as error:
            return _refused(machine, context, record, error)
        return True


@dataclass(frozen=True)
class Produce(Work):
    """The parent's copy to the device."""

    to: int
    data: bytes
    of_parent = True

    @property
    def staged(self) -> int:
        return len(self.data)

    def perform(self, machine: Machine, context: Context | None, record: Record) -> bool:
        machine.memory.write(self.to, self.data)
        return True


@dataclass(frozen=True)
class Consume(Work):
    """The parent's copy from the device."""

    ticket: int
    source: int
    nbytes: int
    of_parent = True

    def perform(self, machine: Machine, context: Context | None, record: Record) -> bool:
        machine.collected[self.ticket] = machine.memory.read(self.source, self.nbytes)
        return True


@dataclass(frozen=True)
class Allocate(Work):
    """cudaMallocAsync: from now on the buffer may be used."""

    address: int

    def perform(self, machine: Machine, context: Context | None, record: Record) -> bool:
        if self.address in machine.promised:
            machine.promised.discard(self.address)
            machine.memory.set_live(self.address, True)
        return True


@dataclass(frozen=True)
class Free(Work):
    """cudaFreeAsync."""

    address: int

    def perform(self, machine: Machine, context: Context | None, record: Record) -> bool:
        if context.buffers.pop(self.address, None) is not None:
            machine.free(self.address)
        return True


@dataclass(frozen=True)
class Renew(Work):
    """A graph's own memory is allocated: its bytes are nobody's. Until the graph goes the place stays the same."""

    address: int
    nbytes: int

    def perform(self, machine: Machine, context: Context | None, record: Record) -> bool:
        machine.memory.forget(self.address, self.nbytes)
        return True


@dataclass(frozen=True)
class Return(Nothing):
    """A graph's own memory is freed."""

    address: int


@dataclass(frozen=True)
class HostFunction(Work):
    token: int

    def perform(self, machine: Machine, context: Context | None, record: Record) -> bool:
        return False  # see Context.host_functions


@dataclass(frozen=True)
class Kernel:
    """A kernel of a module of a plugin process."""

    module: str  # the backend's handle
    name: str
    program: Program
    target: str


@dataclass(frozen=True)
class Launch(Work):
    kernel: Kernel
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    max_dynamic_shared: int | None
    args: bytes

    def perform(self, machine: Machine, context: Context | None, record: Record) -> bool:
        try:
            launch = machine.backend.launch(
                self.kernel.module, self.kernel.name, self.grid, self.block, self.args,
                shared_bytes=self.shared_bytes, instruction_budget=machine.budget, count=machine.counting,
                blocks=None, races=machine.races, max_dynamic_shared=self.max_dynamic_shared,
            )  # fmt: skip
        except DeviceError as error:
            kind = "unsupported" if error.state is State.UNSUPPORTED_HERE else "launch"
            failed(machine, context, record, Fault(kind, error.sentence, self.kernel.name))
            return True
        if launch.output:
            record.arguments["printed"] = launch.output[:MOST_PRINTED]
        if launch.counters is not None:
            machine.count(record, self.kernel.name, launch)
        if launch.fault:
            failed(machine, context, record, launch.fault)
        return True


def failed(machine: Machine, context: Context | None, record: Record, fault: Fault) -> None:
    """Keep a fault; what a GPU would report of it is the process's status from now on."""
    fault = _too_early(machine, fault)
    record.fault = record.fault or fault
    machine.first_fault = machine.first_fault or fault
    if context is not None and fault.kind not in SILENT:
        context.sticky = context.sticky or FAULT_STATUS.get(fault.kind, Status.LAUNCH_FAILURE)


def _too_early(machine: Machine, fault: Fault) -> Fault:
    """Memory of cudaMallocAsync before its turn is not freed yet, but not there."""
    buffer = machine.memory.buffer_at(fault.address) if fault.kind == "freed_pointer" and fault.address else None
    if buffer is None or buffer.base not in machine.promised:
        return fault
    sentence = (
        f"The kernel uses buffer {buffer.name} before it is allocated: its stream does not wait for the stream of "
        "cudaMallocAsync."
    )
    return dataclasses.replace(fault, sentence=sentence)


def _refused(machine: Machine, context: Context | None, record: Record, error: DeviceError) -> bool:
    """Memory was there when the copy was asked for, and is not now that it runs."""
    sentence = f"{record.call}: {error.sentence}, by the time that it runs."
    failed(machine, context, record, Fault("freed_pointer", sentence, record.call))
    return True


def described(work: Any, machine: Machine) -> dict[str, Any]:
    """A work's facts for the log, its addresses by buffer."""
    where = machine.where
    if isinstance(work, Launch):
        facts = {
            "kernel": work.kernel.name, "grid": list(work.grid), "block": list(work.block),
            "shared_bytes": work.shared_bytes, "pointers": pointers(work, machine),
        }  # fmt: skip
        if work.max_dynamic_shared is not None:
            facts["max_dynamic_shared"] = work.max_dynamic_shared
        return facts
    if isinstance(work, Copy):
        return {
            "direction": work.direction.name.lower(), "to": where(work.to), "from": where(work.source),
            "bytes": work.width * work.height,
        }  # fmt: skip
    if isinstance(work, Fill):
        return {"to": where(work.to), "value": work.value, "bytes": work.width * work.height}
    return {}


def pointers(work: Launch, machine: Machine) -> dict[str, str]:
    """Which parameters of a launch, by place, are addresses of buffers."""
    found = {}
    for index, (kind, size, _, offset) in enumerate(work.kernel.program.parameters):
        if size != 8 or kind[0] not in "ub":
            continue
        address = int.from_bytes(work.args[offset : offset + 8], "little")
        if machine.memory.buffer_at(address) is not None:
            found[str(index)] = machine.where(address)
    return found
