"""Which line of the learner's file an instruction comes from.

The compiler says for each instruction where its code stands, and for inlined code where the call stands
(``inlined_at``), which may itself stand in inlined code. The innermost place in a learner's file is the
answer.
"""

from __future__ import annotations

import re

from grader.simulator.ptx.model import Location

Place = tuple[int, int, int]  # file number, line, column

# NVRTC's own headers come without their folder.
_TOOLKIT = re.compile(
    r"(^|/)(nvidia|cuda|cuda-[\d.]+|cccl|targets)/(.*/)?include/|^/usr/(local/)?(include|lib)/"
    r"|^(crt|cooperative_groups|nv)/|^(mma|cooperative_groups|sm_\d\d_\w+)\.hp*$"
    r"|^(cuda|device|math|vector)_\w*(fp16|bf16|fp8|fp6|fp4|pipeline|awbarrier|barrier|runtime|functions|types)\w*\.hp*$"
)
_LONGEST_CHAIN = 64


class Locations:
    def __init__(self, files: dict[int, str]):
        self._files = files
        self._learners = {number: not _TOOLKIT.search(name) for number, name in files.items()}
        self._callers: dict[Place, Place] = {}
        self._found: dict[Place, Location | None] = {}

    def at(self, place: Place, inlined_at: Place | None) -> Location | None:
        """The learner's line for a ``.loc``; for code of the toolkit alone, the toolkit's."""
        if inlined_at is None:
            if place not in self._found:
                self._found[place] = self._location(place)
            return self._found[place]
        self._callers[place] = inlined_at
        here: Place | None = place
        for _ in range(_LONGEST_CHAIN):
            if here is None:
                break
            if self._learners.get(here[0], False) and here[1] > 0:
                return self._location(here)
            here = self._callers.get(here)
        return self._location(place)

    def _location(self, place: Place) -> Location | None:
        name = self._files.get(place[0])
        return Location(name, place[1]) if name and place[1] > 0 else None
