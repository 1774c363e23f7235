"""Counters of a launch from what each instruction did: of the kernel, and of every source line.

The exact ones carry Nsight Compute's names and equal what it measures (where ptxas does not merge accesses).
The estimates count PTX instructions, not the machine's, and carry names of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from grader.simulator.decode.program import Program
from grader.simulator.native import COUNTER_FIELDS

_GLOBAL = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
_SUFFIX = {"load": "ld", "store": "st", "atomic": "atom", "reduction": "red"}
_SHARED_INSTRUCTIONS = "smsp__inst_executed_op_shared_{}.sum"
_SHARED_WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
EXACT = tuple(
    [_GLOBAL.format(what, _SUFFIX[kind]) for kind in _SUFFIX for what in ("requests", "sectors")]
    + [name.format(kind) for kind in ("ld", "st") for name in (_SHARED_INSTRUCTIONS, _SHARED_WAVEFRONTS)]
)
_WIDTH = len(COUNTER_FIELDS)


class _Sum:
    def __init__(self) -> None:
        self.counters = dict.fromkeys(EXACT, 0)
        self.warp_instructions = self.thread_instructions = self.branches = self.divergent = 0

    def add(self, category: str, row: Sequence[int]) -> None:
        executions, lanes, requests, sectors, shared_requests, wavefronts = row
        self.warp_instructions += executions
        self.thread_instructions += lanes
        if category == "branch":
            self.branches += executions
            self.divergent += requests
            return
        if not category:
            return
        suffix = _SUFFIX[category]
        self.counters[_GLOBAL.format("requests", suffix)] += requests
        self.counters[_GLOBAL.format("sectors", suffix)] += sectors
        if category in ("load", "store"):
            self.counters[_SHARED_INSTRUCTIONS.format(suffix)] += shared_requests
            self.counters[_SHARED_WAVEFRONTS.format(suffix)] += wavefronts

    def estimates(self) -> dict[str, float]:
        lanes = 32 * self.warp_instructions
        return {
            "ptx_warp_instructions": self.warp_instructions,
            "ptx_thread_instructions": self.thread_instructions,
            "ptx_lane_efficiency": self.thread_instructions / lanes if lanes else 0.0,
            "ptx_branches": self.branches,
            "ptx_divergent_branches": self.divergent,
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
        total.counters,
        total.estimates(),
        tuple(
            {
                "file": file, "line": line, "estimates": one.estimates(),
                "counters": {name: value for name, value in one.counters.items() if value},
            }
            for (file, line), one in sorted(lines.items())
        ),
    )  # fmt: skip
