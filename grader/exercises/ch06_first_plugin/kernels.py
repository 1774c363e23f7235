"""The kernels of Relu, LeakyRelu and CappedRelu by themselves: what they are launched with, and what must come out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from grader.checks import Case, Check, Finding, In, Out, elementwise, grid_1d
from grader.checks.elementwise import ROOM
from grader.exercises.kernel import Signature
from grader.exercises.kernel_part import KernelPart

BLOCK = 256
_FIRST = "kernel-values"  # all other checks wait for it
# Come first: the first value that is wrong is the one that is told.
PLAIN = (-1.0, 2.0, -0.5, 0.25, -3.0, 4.0, 1.0, -2.0)


def relu(x: np.ndarray, _: float) -> np.ndarray:
    return np.where(x < 0, np.float32(0), x)


def leaky_relu(x: np.ndarray, alpha: float) -> np.ndarray:
    """One product, rounded once: what float arithmetic gives."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(x < 0, np.float32(alpha) * x, x).astype(np.float32)


def capped_relu(x: np.ndarray, cap: float) -> np.ndarray:
    return np.where(x < 0, np.float32(0), np.where(x > cap, np.float32(cap), x)).astype(np.float32)


@dataclass(frozen=True)
class Kernel:
    """``more``: the name of a last parameter, a float, and the ``values`` that it is tried with."""

    name: str
    right: Callable[[np.ndarray, float], np.ndarray]
    more: str = ""
    values: tuple[float, ...] = ()

    @property
    def signature(self) -> Signature:
        more, kinds = (f", float {self.more}", ("float",)) if self.more else ("", ())
        declaration = f"{self.name}(float const* x, float* y, int64_t n{more})"
        return Signature(declaration, ("pointer", "pointer", "long long", *kinds))

    def case(self, x: np.ndarray, *, label: str, value: float | None = None, start=0, total=None) -> Case:
        """One thread for each element. Values are compared exactly."""
        n = x.size if total is None else total
        value = (self.values or (0.0,))[0] if value is None else value
        more, shown = ((np.float32(value),), f", {self.more} = {value:g}") if self.more else ((), "")
        return Case(
            kernel=self.name,
            arguments=(
                In("x", x, start=start, total=total), Out("y", x.shape, np.float32, start=start, total=total),
                np.int64(n), *more,
            ),
            grid=grid_1d(n, BLOCK), block=(BLOCK, 1, 1), expected={"y": self.right(x, value)}, label=label + shown,
        )  # fmt: skip

    def make(self, name: str, n: int, rng) -> Case:
        """``n`` numbers that the operator leaves as they are: for checks of all but the values."""
        return self.case(rng.uniform(1, 9, n).astype(np.float32), label=f"n = {n}")

    def make_at(self, name: str, n: int, start: int, total: int, rng) -> Case:
        x = rng.uniform(1, 9, n).astype(np.float32)
        return self.case(x, label=f"the last {n} of {total:,} elements", start=start, total=total)

    def on(self, *values: float, label: str, drawn: bool = False) -> Callable[..., Finding]:
        """These values, over and over in two blocks; ``drawn``: in front of drawn numbers of both signs."""

        def run(bench, rng) -> Finding:
            x = np.resize(np.array(values, np.float32), 2 * BLOCK)
            if drawn:
                x[len(values) :] = rng.uniform(-9, 9, x.size - len(values))
            tried: Iterable[float | None] = self.values or (None,)
            return bench.first_failure(self.case(x, label=label, value=value).with_room(ROOM) for value in tried)

        return run


def part(kernel: Kernel, file: str, own: dict[str, tuple[str | None, str]]) -> KernelPart:
    """All checks of one kernel. ``own``: by id of the check, its misconception in the exercise and, where it is not the
    usual one, its sentence."""
    each, make, make_at = [kernel.name], kernel.make, kernel.make_at

    def check(id: str, sentence: str, run, source: str, seeded: bool = False, needs: tuple[str, ...] = ()) -> Check:
        misconception, other = own.get(id, (None, ""))
        return Check(
            id=id, sentence=other or sentence, misconception=misconception, group="kernel", run=run, source=source,
            seeded=seeded, needs=needs if id == _FIRST else (_FIRST, *needs),
        )  # fmt: skip

    return KernelPart(
        file=file, group="kernel", kernels={kernel.name: kernel.signature},
        checks=(
            check(
                _FIRST, "Negative numbers become 0, positive ones stay what they are.",
                kernel.on(*PLAIN, label="numbers of both signs", drawn=True), "contract: operator", seeded=True,
            ),
            check(
                "kernel-infinity", "Infinities are numbers like others: of y nothing becomes NaN that was none in x.",
                kernel.on(-np.inf, 1.0, np.inf, -1.0, 0.0, label="infinities among numbers"),
                "contract: special values",
            ),
            check(
                "kernel-nan", "A NaN in x is a NaN in y.",
                kernel.on(np.nan, 1.0, -1.0, label="NaN among numbers"), "contract: special values",
            ),
            check(
                "kernel-bounds", "Every n works: 0, 1, primes, both sides of a warp and a block; nothing past the end "
                "is touched.",
                elementwise.every_size(make, each), "contract: extents", seeded=True,
            ),
            check(
                "kernel-stride", "A grid with fewer threads than elements still does all the work.",
                elementwise.small_grid(make, each), "contract: launch",
            ),
            check(
                "kernel-past-int", "The last of 3 · 2³⁰ elements is done, which no int can count.",
                elementwise.last_of(elementwise.PAST_INT, make_at, each), "contract: extents",
            ),
            check(
                "kernel-past-unsigned", "The last of 2³² + 1,024 elements is done: products are 64 bits wide before "
                "they are formed.",
                elementwise.last_of(elementwise.PAST_UNSIGNED, make_at, each), "contract: extents",
            ),
            check(
                "kernel-reads", "Loads touch no more than 1.1 times the sectors that hold x.",
                elementwise.reads_once(make, each), elementwise.COALESCED, seeded=True,
                needs=("kernel-stride",),
            ),
        ),
    )  # fmt: skip
