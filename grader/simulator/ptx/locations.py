"""Which line of the learner's file an instruction comes from.

The compiler says for each instruction where its code stands, and for inlined code where the call stands
(``inlined_at``), which may itself stand in inlined code. The innermost place in a learner's file is the
answer. An access that the compiler moved has no line; that of the instruction for which it was moved is told.
"""

from __future__ import annotations

import re

from grader.simulator.ptx.model import Group, Instruction, Location, Name

Place = tuple[int, int, int]  # file number, line, column

# NVRTC's own headers come without their folder.
_TOOLKIT = re.compile(
    r"(^|/)(nvidia|cuda|cuda-[\d.]+|cccl|targets)/(.*/)?include/|^/usr/(local/)?(include|lib)/"
    r"|^(crt|cooperative_groups|nv)/|^(mma|cooperative_groups|sm_\d\d_\w+)\.hp*$"
    r"|^(cuda|device|math|vector)_\w*(fp16|bf16|fp8|fp6|fp4|pipeline|awbarrier|barrier|runtime|functions|types)\w*\.hp*$"
)
_LONGEST_CHAIN = 64
_ACCESSES = {"ld", "ldu", "st", "atom", "red"}
_MOST_STEPS = 200  # from an access to the first use of what it loads


def settle(body: list[Instruction], placeless: set[int]) -> None:
    """Give the accesses among these instructions, whose lines are unknown, lines from behind them.

    A load out of a loop or of both sides of an ``if`` stands in front of them (NVRTC 13.0): the first instruction that
    uses its value and has a line tells which, else the next that has one. None of them behind: what was before stays.
    """
    for number in sorted(placeless):
        access = body[number]
        if access.opcode.partition(".")[0] not in _ACCESSES:
            continue
        after = [
            body[k] for k in range(number + 1, min(number + _MOST_STEPS, len(body))) if k not in placeless
        ]
        results = {operand.name for operand in _results(access)}
        uses = (later for later in after if any(_uses(operand, results) for operand in later.operands))
        if (nearest := next(uses, after[0] if after else None)) is not None:
            access.location = nearest.location or access.location


def _results(instruction: Instruction) -> list[Name]:
    if instruction.opcode.startswith(("st", "red")) or not instruction.operands:
        return []
    first = instruction.operands[0]
    return [item for item in (first.items if isinstance(first, Group) else (first,)) if isinstance(item, Name)]


def _uses(operand, names: set[str]) -> bool:
    if isinstance(operand, Group):
        return any(_uses(item, names) for item in operand.items)
    return isinstance(operand, Name) and operand.name in names


def is_learners(file: str) -> bool:
    """Whether a file is no header of the toolkit."""
    return not _TOOLKIT.search(file)


class Locations:
    def __init__(self, files: dict[int, str]):
        self._files = files
        self._learners = {number: is_learners(name) for number, name in files.items()}
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
