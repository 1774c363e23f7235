"""What a device tells: plain data that crosses the border of the device process."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from grader.verdict.records import State

if TYPE_CHECKING:
    from grader.simulator.trace import Trace


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel: its PTX type ("u64", "f32", "b8": a structure), bytes, place."""

    type: str
    size: int
    align: int
    offset: int


@dataclass(frozen=True)
class KernelInfo:
    name: str
    parameters: tuple[Parameter, ...]
    shared_bytes: int  # static shared memory of a block
    local_bytes: int  # local memory of a thread
    max_threads: int | None  # of a block, from __launch_bounds__


@dataclass(frozen=True)
class Other:
    """The other thread of a fault that takes two."""

    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    file: str | None
    line: int | None


@dataclass(frozen=True)
class Fault:
    """What stopped a launch."""

    kind: str  # see faults.py
    sentence: str  # one plain sentence for the learner
    kernel: str
    block: tuple[int, int, int] | None = None
    thread: tuple[int, int, int] | None = None
    file: str | None = None
    line: int | None = None
    address: int | None = None
    size: int | None = None  # bytes of the access
    space: str | None = None  # "global", "shared", "local", "param"
    buffer: str | None = None  # name of the nearest buffer
    offset: int | None = None  # bytes from its start; negative in front of it
    buffer_bytes: int | None = None
    other: Other | None = None  # of a race, of a wait or of a copy under way


@dataclass(frozen=True)
class TraceRequest:
    """Asks a launch for the steps of one warp of one block, ``steps`` at most."""

    block: tuple[int, int, int] = (0, 0, 0)
    warp: int = 0
    steps: int = 20_000


@dataclass(frozen=True)
class Launch:
    """What a launch did. Its writes stand even where a fault ended it early."""

    fault: Fault | None
    counters: dict[str, int] | None  # exact, by Nsight Compute's names; None where there are none
    estimates: dict[str, float] = field(default_factory=dict)
    lines: tuple[dict[str, Any], ...] = ()  # {"file", "line", "counters", "estimates"} of each source line
    seconds: float = 0.0
    output: str = ""  # what printf wrote
    trace: Trace | None = None  # the steps of the warp that was asked for


class DeviceError(Exception):
    """The device could not do what was asked. ``state`` types it; ``sentence`` is plain text."""

    def __init__(self, state: State, sentence: str):
        super().__init__(sentence)
        self.state, self.sentence = State(state), sentence


def plain(record: Any) -> dict[str, Any]:
    """A record as JSON-ready data."""
    return dataclasses.asdict(record)


def fault_from(data: dict[str, Any]) -> Fault:
    coordinates = {
        key: tuple(data[key]) if data.get(key) is not None else None for key in ("block", "thread")
    }
    other = data.get("other")
    if other:
        other = Other(**{**other, "block": tuple(other["block"]), "thread": tuple(other["thread"])})
    return Fault(**{**data, **coordinates, "other": other})


def launch_from(data: dict[str, Any], trace: Trace | None = None) -> Launch:
    fault = fault_from(data["fault"]) if data.get("fault") else None
    return Launch(**{**data, "fault": fault, "lines": tuple(data["lines"]), "trace": trace})


def kernel_info_from(data: dict[str, Any]) -> KernelInfo:
    return KernelInfo(**{**data, "parameters": tuple(Parameter(**p) for p in data["parameters"])})
