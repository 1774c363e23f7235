"""Which banks of shared memory the lanes of a warp touch, and in how many passes.

Shared memory has 32 banks of 4 bytes; a bank gives one word a pass. Accesses of 8 bytes go by half warps, those of
16 bytes by quarters; a load whose lanes pair up, in half as many parts. The same rules as ``engine/cost.cpp``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

BANKS = 32
WORD = 4  # bytes


@dataclass(frozen=True)
class Phase:
    """Lanes that are served together. ``banks[bank][word]`` lists the lanes that want this word of the bank."""

    banks: dict[int, dict[int, list[int]]]

    @property
    def wavefronts(self) -> int:
        return max((len(words) for words in self.banks.values()), default=0)


@dataclass(frozen=True)
class BankAccess:
    itemsize: int
    active: int
    parts: int  # of the warp, served one after the other
    phases: tuple[Phase, ...]  # those in which a lane takes part

    @property
    def wavefronts(self) -> int:
        return sum(phase.wavefronts for phase in self.phases)

    @property
    def worst(self) -> Phase:
        """The phase with the most passes, the first of several."""
        return max(self.phases, key=lambda phase: phase.wavefronts)


def bank_access(addresses: Mapping[int, int], itemsize: int, *, load: bool = True) -> BankAccess:
    """``addresses``: lane -> byte in shared memory, for the lanes that take part."""
    count = parts = max(1, itemsize // WORD)
    if load and count > 1 and any(_in_pairs(addresses, distance) for distance in (1, 2)):
        parts = count // 2
    share = 32 // parts
    phases = []
    for phase in range(parts):
        banks: dict[int, dict[int, list[int]]] = {}
        for lane in sorted(addresses):
            if lane // share != phase:
                continue
            first = addresses[lane] // WORD
            for word in range(first, first + count):
                banks.setdefault(word % BANKS, {}).setdefault(word, []).append(lane)
        if banks:
            phases.append(Phase(dict(sorted(banks.items()))))
    return BankAccess(itemsize, len(addresses), parts, tuple(phases))


def _in_pairs(addresses: Mapping[int, int], distance: int) -> bool:
    """Whether every lane wants what its partner at this distance wants, as far as both take part."""
    return all(addresses.get(lane ^ distance, address) == address for lane, address in addresses.items())
