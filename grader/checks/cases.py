"""A case of a kernel: its arguments, its launch and what must come out."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class In:
    """An input buffer. The kernel may only read it, unless it is ``writable``.

    The buffer has ``total`` elements (``data`` alone, by default); ``data`` stands from element ``start`` on.
    With a ``start`` the buffer is sparse: the rest of it is zero bytes and takes no memory until it is
    touched.
    """

    name: str
    data: np.ndarray
    start: int = 0
    total: int | None = None
    writable: bool = False

    @property
    def size(self) -> int:
        return self.data.size

    @property
    def itemsize(self) -> int:
        return self.data.dtype.itemsize


@dataclass(frozen=True)
class Out:
    """An output buffer: poisoned before the launch, so that an element that nobody writes is seen.

    What is compared is ``shape``, which stands from element ``start`` on in a buffer of ``total`` elements,
    as in ``In``.
    """

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype
    start: int = 0
    total: int | None = None

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def itemsize(self) -> int:
        return np.dtype(self.dtype).itemsize


@dataclass(frozen=True)
class Tolerance:
    """``|got - expected| <= absolute + relative * |expected|``; two NaNs are equal, infinities must match."""

    absolute: float = 0.0
    relative: float = 0.0
    told: bool = True  # False: wider than the contract, as only another matter is checked; a learner never sees it


@dataclass(frozen=True, kw_only=True)
class Case:
    """One launch of one kernel.

    ``arguments`` stand in the kernel's order: ``In``, ``Out``, or a NumPy scalar whose type is the
    parameter's. ``expected`` maps an output's name to its float64 (or integer) reference.
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

    def launched(self, blocks: int, threads: int) -> Case:
        """The same case under another one-dimensional launch."""
        return dataclasses.replace(self, grid=(blocks, 1, 1), block=(threads, 1, 1))

    def with_room(self, elements: int) -> Case:
        """The same case with buffers that go on behind the data: a step past the end does no harm there.

        For checks of anything but bounds, so that one mistake costs one check.
        """
        return dataclasses.replace(
            self,
            arguments=tuple(
                dataclasses.replace(a, total=a.start + a.size + elements) if isinstance(a, In | Out) else a
                for a in self.arguments
            ),
        )

    def with_writable_inputs(self) -> Case:
        """The same case with inputs that may be written: for checks that come before the one about inputs."""
        changed = [dataclasses.replace(a, writable=True) if isinstance(a, In) else a for a in self.arguments]
        return dataclasses.replace(self, arguments=tuple(changed))

    def thread_of(self, index: int) -> tuple[int, int]:
        """The (block, thread) that a one-dimensional grid-stride loop gives element ``index``."""
        width = self.block[0]
        position = index % (self.grid[0] * width)
        return position // width, position % width


def grid_1d(n: int, block: int = 256) -> tuple[int, int, int]:
    """A grid of at least one block with a thread for each of ``n`` elements."""
    return max(1, -(-n // block)), 1, 1
