"""Modules that were parsed and decoded before. The same text is often loaded again: after a reset, for the next check.

They are kept in the memory of the device process alone. On disk they would have to be trusted, and only the grader's
parent process writes caches; reading a module from there would hardly be quicker than decoding it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.simulator.decode.program import Linker, Program
from grader.simulator.ptx.model import Module
from grader.simulator.ptx.parse import parse

MOST_MODULES = 32
MOST_CHARACTERS = 4 << 20  # of the texts together


@dataclass(slots=True)
class _Entry:
    module: Module
    programs: dict[tuple[int, ...], dict[str, Program]] = field(default_factory=dict)  # by variables' addresses


class Kept:
    def __init__(self, operations: Mapping[str, int]):
        self._operations = operations
        self._entries: dict[str, _Entry] = {}  # by text, the oldest first

    def module(self, ptx: str) -> Module:
        """The parsed text. Nobody may change it. ``PtxError`` and ``Unsupported`` as ``parse``."""
        if ptx not in self._entries:
            self._entries[ptx] = _Entry(parse(ptx))
            while len(self._entries) > MOST_MODULES or sum(map(len, self._entries)) > MOST_CHARACTERS:
                if len(self._entries) == 1:
                    break
                del self._entries[next(iter(self._entries))]
        return self._entries[ptx].module

    def programs(self, ptx: str, addresses: Mapping[str, int]) -> dict[str, Program]:
        """The decoded kernels of ``module(ptx)``, whose variables lie at ``addresses``."""
        entry = self._entries[ptx]
        key = tuple(addresses.values())
        if key not in entry.programs:
            entry.programs.clear()  # one set of addresses is enough: after a reset they are the same
            entry.programs[key] = {
                name: Linker(entry.module, name, addresses, self._operations).link()
                for name, function in entry.module.functions.items()
                if function.kernel
            }
        return dict(entry.programs[key])
