"""The steps of one warp: what each instruction did, lane by lane.

>>> launch = device.launch(module, "sum", (1,), (64,), args, trace=TraceRequest(block=(0, 0, 0), warp=1))
>>> [step.text for step in launch.trace.steps if step.space == "shared"]

A launch that ends in a fault has the steps up to it.
"""

from __future__ import annotations

import ctypes
import functools
import struct
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from grader.simulator.decode.types import LOCAL_WINDOW, SHARED_WINDOW
from grader.simulator.records import DeviceError, TraceRequest
from grader.verdict.records import State

if TYPE_CHECKING:
    from grader.simulator.decode.describe import Described, Shape
    from grader.simulator.memory import Buffer

__all__ = ["MOST_STEPS", "Recorder", "Step", "Trace", "TraceRequest"]

LANES = 32
MOST_STEPS = 100_000
_ROWS_A_STEP = 5  # an address and four registers; pages that are not written take no memory
_STEP = struct.Struct("<i3I2i4I")  # abi.h, TraceStep
_ROW = struct.Struct(f"<{LANES}Q")
_WINDOW = 1 << 32  # abi.h, kWindowBytes


@dataclass(frozen=True)
class Step:
    """One instruction that the warp executed. Masks have a bit for each lane, lane 0 the lowest."""

    number: int
    pc: int  # index of the instruction in the program
    text: str  # as PTX writes it
    opcode: str
    file: str | None
    line: int | None  # of the learner's source
    path: int  # lanes that came here together
    active: int  # of them, those whose guard is true; for a branch, those that jump
    live: int  # lanes that had not ended yet
    registers: tuple[tuple[str, str], ...]  # (name, type) of those that it wrote; at most four
    values: tuple[tuple[int, ...], ...]  # their bits afterwards, for each of the 32 lanes
    kind: str  # of a memory operation: "load", "store", "atomic", "reduction", "copy"; else ""
    space: str  # where its addresses point: "global", "shared", "local", "const", "param"; else ""
    width: int  # bytes that a lane moves
    addresses: tuple[int, ...]  # of the 32 lanes: in global memory; elsewhere from the space's start. () for none
    requests: int  # to global or local memory; of a branch: 1 where lanes part
    sectors: int
    shared_requests: int
    wavefronts: int
    fault: bool = False  # the launch ended here

    @property
    def touching(self) -> list[int]:
        """The lanes whose addresses count. ldmatrix and stmatrix take eight of them for each matrix."""
        lanes = [lane for lane in range(LANES) if self.active >> lane & 1]
        if self.opcode.startswith(("ldmatrix", "stmatrix")):
            lanes = lanes[: 32 if ".x4" in self.opcode else 16 if ".x2" in self.opcode else 8]
        return lanes


@dataclass(frozen=True)
class Trace:
    """What one warp of a launch did. ``cut``: it did more than the request had room for."""

    kernel: str
    block: tuple[int, int, int]
    warp: int
    threads: tuple[int, int, int]  # of a block
    cut: bool
    buffers: tuple[tuple[int, int, str], ...]  # (first address, bytes, name) of global memory
    instructions: dict[int, dict[str, Any]]
    faulty: bool  # the launch's fault is this warp's
    open: bool  # the last step is not complete: nothing came after it
    step_data: bytes
    row_data: bytes

    @functools.cached_property
    def steps(self) -> tuple[Step, ...]:
        rows = [tuple(row) for row in _ROW.iter_unpack(self.row_data)]
        count = len(self.step_data) // _STEP.size
        return tuple(
            self._step(number, number == count - 1, fields, rows)
            for number, fields in enumerate(_STEP.iter_unpack(self.step_data))
        )

    def _step(self, number: int, last: bool, fields: Sequence[int], rows: list[tuple[int, ...]]) -> Step:
        pc, path, active, live, first, count, *counts = fields
        about = self.instructions[pc]
        registers = tuple(map(tuple, about["registers"]))
        own, addresses, space = rows[first : first + count], (), ""
        if about["kind"] and count > len(registers):
            addresses, space = _placed(own.pop(0), about["space"], (active & -active).bit_length() - 1)
        if last and self.open:
            own, counts = [], [0, 0, 0, 0]
        if not about["kind"] and not about["opcode"].startswith("br"):
            counts = [0, 0, 0, 0]  # parameters of device functions, which a GPU keeps in registers
        if not own:
            registers = ()
        return Step(
            number, pc, about["text"], about["opcode"], about["file"], about["line"], path, active, live,
            registers, tuple(own), about["kind"], space, about["width"], addresses, *counts,
            fault=last and self.faulty,
        )  # fmt: skip

    def buffer_at(self, address: int) -> tuple[str, int]:
        """Name of the buffer that a global address lies in or near, and the address's distance from its start."""
        best = max((b for b in self.buffers if b[0] <= address), default=None)
        best = best or min(self.buffers, default=(0, 0, ""))
        return best[2], address - best[0]

    def is_inside(self, address: int, size: int) -> bool:
        """Whether ``size`` bytes at a global address lie in one buffer."""
        return any(base <= address and address + size <= base + length for base, length, _ in self.buffers)


def _placed(row: tuple[int, ...], space: str, first: int) -> tuple[tuple[int, ...], str]:
    """Addresses from their space's start, and the space; a generic address says itself what it points to."""
    if space != "generic":
        return row, space
    for name, start in (("shared", SHARED_WINDOW), ("local", LOCAL_WINDOW)):
        if start <= row[first] < start + _WINDOW:
            return tuple(address - start for address in row), name
    return row, "global"


def trace_from(data: dict[str, Any] | None, payload: bytes) -> Trace | None:
    """The client's end: from what crossed the border."""
    if data is None:
        return None
    rows = payload[data.pop("step_bytes") :]
    steps = payload[: len(payload) - len(rows)]
    instructions = {int(pc): about for pc, about in data.pop("instructions").items()}
    buffers = tuple((base, size, name) for base, size, name in data.pop("buffers"))
    block, threads = tuple(data.pop("block")), tuple(data.pop("threads"))
    return Trace(
        block=block, threads=threads, instructions=instructions, buffers=buffers, step_data=steps, row_data=rows,
        **data,
    )  # fmt: skip


class TraceRecord(ctypes.Structure):
    """abi.h, Trace."""

    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("shapes", "steps", "rows")),
        *((name, ctypes.c_int64) for name in ("most_steps", "steps_used", "most_rows", "rows_used", "block")),
        *((name, ctypes.c_int32) for name in ("warp", "open", "cut", "frame")),
    ]


class Recorder:
    """The device's end: the buffers that the engine writes to, and what they say afterwards."""

    def __init__(
        self, request: TraceRequest, kernel: str, grid: tuple[int, int, int], threads: tuple[int, int, int],
        described: list[tuple[Described, Shape]],
    ):  # fmt: skip
        from grader.simulator.decode.describe import packed

        x, y, z = request.block
        warps = -(-threads[0] * threads[1] * threads[2] // LANES)
        if not all(0 <= place < extent for place, extent in zip(request.block, grid, strict=True)):
            raise DeviceError(State.ERROR, f"There is no block {request.block} in a grid of {grid} to trace.")
        if not 0 <= request.warp < warps:
            raise DeviceError(State.ERROR, f"There is no warp {request.warp} to trace: a block has {warps}.")
        if not 1 <= request.steps <= MOST_STEPS:
            raise DeviceError(State.ERROR, f"A trace has 1 to {MOST_STEPS:,} steps, not {request.steps}.")
        self._request, self._kernel, self._threads = request, kernel, threads
        self._described = [about for about, _ in described]
        self._shapes = packed(shape for _, shape in described)
        most_rows = _ROWS_A_STEP * request.steps
        self._steps = ctypes.create_string_buffer(_STEP.size * request.steps)
        self._rows = ctypes.create_string_buffer(_ROW.size * most_rows)
        self.record = TraceRecord(
            shapes=ctypes.cast(ctypes.c_char_p(self._shapes), ctypes.c_void_p).value,
            steps=ctypes.addressof(self._steps),
            rows=ctypes.addressof(self._rows),
            most_steps=request.steps,
            most_rows=most_rows,
            block=x + grid[0] * (y + grid[1] * z),
            warp=request.warp,
        )

    def finish(self, fault: Any, buffers: Sequence[Buffer]) -> tuple[dict[str, Any], bytes]:
        """Header and payload of the answer. ``fault``: the engine's ``FaultRecord``, None if there is none."""
        record = self.record
        steps = ctypes.string_at(record.steps, _STEP.size * record.steps_used)
        rows = ctypes.string_at(record.rows, _ROW.size * record.rows_used)
        seen = sorted({fields[0] for fields in _STEP.iter_unpack(steps)})
        last = _STEP.unpack_from(steps, len(steps) - _STEP.size)[0] if steps else None
        here = fault is not None and not record.cut and (
            (tuple(fault.block), fault.thread // LANES, fault.pc) == (self._request.block, self._request.warp, last)
        )  # fmt: skip
        header = {
            "kernel": self._kernel, "block": list(self._request.block), "warp": self._request.warp,
            "threads": list(self._threads), "cut": bool(record.cut), "faulty": here, "open": bool(record.open),
            "instructions": {pc: asdict(self._described[pc]) for pc in seen},
            "buffers": [(b.base, b.bytes, b.name) for b in buffers if not b.freed], "step_bytes": len(steps),
        }  # fmt: skip
        return header, steps + rows
