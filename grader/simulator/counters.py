"""Counters of a launch from what each instruction did: of the kernel, and of every source line.

The exact ones carry Nsight Compute's names and equal what it measures (where ptxas does not change the accesses).
The estimates carry names of their own: they count PTX instructions, not the machine's, or follow a rule that does not
hold in all measured launches.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from grader.simulator.decode.program import Program
from grader.simulator.native import COUNTER_FIELDS


def _global(suffix: str) -> tuple[str, ...]:
    return tuple(f"l1tex__t_{what}_pipe_lsu_mem_global_op_{suffix}.sum" for what in ("requests", "sectors"))


def _local(suffix: str) -> tuple[str, ...]:
    return tuple(f"l1tex__t_{what}_pipe_lsu_mem_local_op_{suffix}.sum" for what in ("requests", "sectors"))


def _shared(instruction: str, suffix: str) -> tuple[str, ...]:
    """Instructions in which a lane took part: ptxas writes short branches as predicates, and an instruction whose
    lanes are all switched off is counted by the plain metric, not by this one."""
    return (
        f"smsp__inst_executed_op_{instruction}_pred_on_any.sum",
        f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{suffix}.sum",
    )


# The metrics of a kind of access, in the order of the fields of ``Counter`` from ``requests`` on. Shared memory knows
# no reductions: there, an atomic whose result nobody reads is an atomic all the same. Estimates: sectors of atomics,
# since addresses in no order take a few more; wavefronts of asynchronous copies, right in 28 of 29 measured launches.
ATOMIC_SECTORS, COPY_WAVEFRONTS = "ptx_atomic_sectors", "ptx_async_copy_wavefronts"
_COPY = tuple(f"smsp__sass_l1tex_t_{what}_pipe_lsu_mem_global_op_ldgsts.sum" for what in ("requests", "sectors"))
_METRICS = {
    "load": (*_global("ld"), *_shared("shared_ld", "ld"), *_local("ld")),
    "store": (*_global("st"), *_shared("shared_st", "st"), *_local("st")),
    "matrix_load": (*_global("ld"), *_shared("ldsm", "ld")),
    "matrix_store": (*_global("st"), *_shared("shared_stsm", "st")),
    "atomic": (_global("atom")[0], ATOMIC_SECTORS, *_shared("shared_atom", "atom")),
    "reduction": (_global("red")[0], ATOMIC_SECTORS, *_shared("shared_atom", "atom")),
    "async_copy": (
        _COPY[0], _global("ld")[1], "smsp__inst_executed_op_ldgsts_pred_on_any.sum", COPY_WAVEFRONTS, None, None,
        _COPY[1],
    ),
}  # fmt: skip
_ALSO = {_COPY[0]: _global("ld")[0]}  # loads are counted with the copies among them
_NAMES = tuple(dict.fromkeys(name for names in _METRICS.values() for name in names if name))
_COUNTED_ESTIMATES = (ATOMIC_SECTORS, COPY_WAVEFRONTS)
EXACT = tuple(name for name in _NAMES if name not in _COUNTED_ESTIMATES)
_WIDTH = len(COUNTER_FIELDS)


class _Sum:
    def __init__(self) -> None:
        self.counted = dict.fromkeys(_NAMES, 0)
        self.warp_instructions = self.thread_instructions = self.branches = self.divergent = 0

    def add(self, category: str, row: Sequence[int]) -> None:
        executions, lanes, requests = row[:3]
        self.warp_instructions += executions
        self.thread_instructions += lanes
        if category == "branch":
            self.branches += executions
            self.divergent += requests
        else:
            for name, value in zip(_METRICS.get(category, ()), row[2:], strict=False):
                if name:
                    self.counted[name] += value
                if name in _ALSO:
                    self.counted[_ALSO[name]] += value

    def counters(self) -> dict[str, int]:
        return {name: self.counted[name] for name in EXACT}

    def estimates(self) -> dict[str, float]:
        lanes = 32 * self.warp_instructions
        return {
            "ptx_warp_instructions": self.warp_instructions,
            "ptx_thread_instructions": self.thread_instructions,
            "ptx_lane_efficiency": self.thread_instructions / lanes if lanes else 0.0,
            "ptx_branches": self.branches,
            "ptx_divergent_branches": self.divergent,
            **{name: self.counted[name] for name in _COUNTED_ESTIMATES if self.counted[name]},
        }


def summarise(
    program: Program, rows: Sequence[int]
) -> tuple[dict[str, int], dict[str, float], tuple[dict[str, Any], ...]]:
    """(counters, estimates, lines) of a launch. ``rows`` has ``COUNTER_FIELDS`` for each instruction."""
    total = _Sum()
    lines: dict[tuple[str, int], _Sum] = {}
    for k in range(program.count):
        row = rows[k * _WIDTH : (k + 1) * _WIDTH]
        if not row[0]:
            continue
        total.add(program.categories[k], row)
        location = program.locations[k]
        if location is not None:
            lines.setdefault((PurePath(location.file).name, location.line), _Sum()).add(
                program.categories[k], row
            )
    return (
        total.counters(),
        total.estimates(),
        tuple(
            {
                "file": file, "line": line, "estimates": one.estimates(),
                "counters": {name: value for name, value in one.counters().items() if value},
            }
            for (file, line), one in sorted(lines.items())
        ),
    )  # fmt: skip
