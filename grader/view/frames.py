"""A trace as frames to look at: a line of the source that a warp runs through, or one PTX instruction.

The compiler mixes the lines of a program. A frame holds the neighbouring instructions of one line that the same
lanes ran. A line begins again where the code jumps back, and where it shuffles, stores or waits a second time, as in
an unrolled loop.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from grader.simulator.trace import Step

_MOST_REGISTERS = 3
_AGAIN = {"shfl", "vote", "match", "redux", "bar", "barrier", "st", "atom", "red"}
_WAITS = ("bar", "barrier")


@dataclass(frozen=True)
class Written:
    """A register that a frame changed: the lanes of ``mask`` have new values."""

    name: str
    type: str
    mask: int
    bits: tuple[int, ...]
    by: str  # the instruction's text


@dataclass(frozen=True)
class Frame:
    steps: tuple[Step, ...]

    @property
    def _main(self) -> Step:
        """The last instruction that a line of the source is about."""
        return next((step for step in reversed(self.steps) if not _prepares(step)), self.steps[-1])

    @property
    def file(self) -> str | None:
        return self._main.file

    @property
    def line(self) -> int | None:
        return self._main.line

    @property
    def path(self) -> int:
        """The lanes that run it together."""
        return self.steps[-1].path

    @property
    def active(self) -> int:
        """Those of them that do something: for one instruction its guard counts, for a line all of them."""
        return self.steps[0].active if len(self.steps) == 1 and not self.jumps else self.path

    @property
    def live(self) -> int:
        return self.steps[-1].live

    @property
    def exits(self) -> int:
        """Lanes that end here."""
        return self.steps[-1].active if self.steps[-1].opcode in ("ret", "exit") else 0

    @property
    def jumps(self) -> bool:
        return self.steps[-1].opcode.startswith("bra")

    @property
    def parting(self) -> tuple[int, int] | None:
        """(lanes that jump, lanes that go on) where a branch parts them."""
        last = self.steps[-1]
        if last.opcode.startswith("bra") and last.active not in (0, last.path):
            return last.active, last.path & ~last.active
        return None

    @property
    def waits(self) -> bool:
        return any(step.opcode.split(".")[0] in _WAITS and ".warp" not in step.opcode for step in self.steps)

    @property
    def fault(self) -> bool:
        return self.steps[-1].fault

    @property
    def requests(self) -> list[Step]:
        """The accesses to global, shared and local memory in it."""
        return [step for step in self.steps if step.space in ("global", "shared", "local") and step.addresses]

    def written(self) -> list[Written]:
        """What it changed. Of a line only the last few: addresses, constants and copies tell little."""
        last: dict[str, Written] = {}
        for step in self.steps:
            if len(self.steps) > 1 and (_constant(step) or _copy(step)):
                continue
            for (name, kind), bits in zip(step.registers, step.values, strict=True):
                last.pop(name, None)
                last[name] = Written(name, kind, step.active, bits, step.text)
        found = list(last.values())
        if len(self.steps) == 1:
            return found
        telling = [w for w in found if w.type not in ("u64", "s64", "b64", "pred")]
        if not telling and not self.requests:
            telling = found[-1:]
        distinct = {(w.mask, w.bits): w for w in telling}
        return list(distinct.values())[-_MOST_REGISTERS:]


def _constant(step: Step) -> bool:
    """Whether an instruction only fetches a number that stands in the code, or a parameter."""
    return step.opcode.startswith("mov") and not any(mark in step.text.split(",", 1)[-1] for mark in "%{")


def _copy(step: Step) -> bool:
    """Whether an instruction copies one register to another; a special register is no copy."""
    return step.opcode.startswith("mov") and re.fullmatch(r"\S+ %\w+, %[a-z]+\d+;", step.text) is not None


def _prepares(step: Step) -> bool:
    """Instructions without a line that a reader would look for: they go with what comes after them."""
    return step.line is None or step.opcode.startswith(("cvta", "ld.param", "bra.uni")) or _constant(step)


def by_instruction(steps: Iterable[Step]) -> list[Frame]:
    return [Frame((step,)) for step in steps]


def by_line(steps: Iterable[Step]) -> list[Frame]:
    frames: list[Frame] = []
    current: list[Step] = []
    waiting: list[Step] = []
    for step in steps:
        if _prepares(step) and not step.fault:
            waiting.append(step)
            continue
        if waiting and waiting[0].path != step.path:  # the other branch goes on
            frames += _closed(current, waiting)
            current, waiting = [], []
        if current and (_place(current[-1]) != _place(step) or _begins_again(current, step)):
            frames.append(Frame(tuple(current)))
            current = []
        current += [*waiting, step]
        waiting = []
    return [*frames, *_closed(current, waiting)]


def _closed(current: list[Step], waiting: list[Step]) -> list[Frame]:
    """What was begun, and instructions after which no more came."""
    steps = (*current, *waiting)
    return [Frame(steps)] if steps else []


def _place(step: Step) -> tuple[str | None, int | None, int]:
    return step.file, step.line, step.path


def _begins_again(current: list[Step], step: Step) -> bool:
    if step.pc <= current[-1].pc:
        return True
    root = step.opcode.split(".")[0]
    seen = {s.opcode.split(".")[0] for s in current}
    return (root in _AGAIN and root in seen) or (root == "ld" and "st" in seen and bool(step.space))
