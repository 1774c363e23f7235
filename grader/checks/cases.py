"""A case of a kernel: its arguments, its launch and what must come out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class In:
    """An input buffer. The kernel may only read it."""

    name: str
    data: np.ndarray


@dataclass(frozen=True)
class Out:
    """An output buffer: poisoned before the launch, so that an element that nobody writes is seen."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype


@dataclass(frozen=True)
class Tolerance:
    """``|got - expected| <= absolute + relative * |expected|``; two NaNs are equal, infinities must match."""

    absolute: float = 0.0
    relative: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Case:
    """One launch of one kernel.

    ``arguments`` stand in the kernel's order: ``In``, ``Out``, or a NumPy scalar whose type is the parameter's.
    ``expected`` maps an output's name to its float64 (or integer) reference.
    """

    kernel: str
    arguments: tuple
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    expected: Mapping[str, np.ndarray] = field(default_factory=dict)
    tolerance: Tolerance = Tolerance()
    label: str = ""  # "n = 257, mask all zero"
    shared_bytes: int = 0

    @property
    def inputs(self) -> list[In]:
        return [a for a in self.arguments if isinstance(a, In)]

    @property
    def outputs(self) -> list[Out]:
        return [a for a in self.arguments if isinstance(a, Out)]

    def thread_of(self, index: int) -> tuple[int, int]:
        """The (block, thread) that a one-dimensional grid-stride loop gives element ``index``."""
        width = self.block[0]
        position = index % (self.grid[0] * width)
        return position // width, position % width


def grid_1d(n: int, block: int = 256) -> tuple[int, int, int]:
    """A grid of at least one block with a thread for each of ``n`` elements."""
    return max(1, -(-n // block)), 1, 1
