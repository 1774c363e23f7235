"""One warp of a launch, step by step: ``trace_warp(kernel, grid, block, args)``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Integral

from grader.gpu.choice import device_kind
from grader.simulator.device import Launch, TraceRequest
from grader.simulator.trace import Step, Trace

ON_A_GPU = (
    "A GPU does not tell what a warp did step by step. Run the same code with GRADER_DEVICE=simulated: "
    "the simulated GPU does."
)


class TraceUnavailable(RuntimeError):
    """Nothing here can trace; the message says what can."""

    def _render_traceback_(self) -> list[str]:
        return [f"TraceUnavailable: {self}"]


@dataclass(frozen=True)
class WarpTrace:
    """What one warp did. ``sources``: the kernel's files by name; ``fault``: one sentence, "" if all went well."""

    trace: Trace
    launch: Launch
    sources: Mapping[str, str] = field(default_factory=dict)
    fault: str = ""

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.trace.steps

    @property
    def name(self) -> str:
        """ "kernel transpose, block (0, 0, 0), warp 1"; who it is, in words."""
        return f"kernel {self.trace.kernel}, block {self.trace.block}, warp {self.trace.warp}"

    def line(self, file: str | None, number: int | None) -> str:
        """A line of the source, "" where it is not known."""
        lines = self.sources.get(file or "", "").splitlines()
        return lines[number - 1] if number and number <= len(lines) else ""

    def __repr__(self) -> str:
        return f"WarpTrace: {self.name}, {len(self.steps)} steps{'; ' + self.fault if self.fault else ''}"


def trace_warp(
    kernel, grid, block, args, *, at=(0, 0, 0), warp: int = 0, shared_mem: int = 0, steps: int = 20_000
) -> WarpTrace:
    """Launch ``kernel`` once, like ``kernel(grid, block, args)``, and keep what one warp does.

    ``at``: the block (x, y, z) that the warp belongs to; ``warp``: its number in the block, 32 threads each;
    ``steps``: the most instructions to keep. A kernel that fails raises nothing here: its trace ends with the fault,
    and its arrays are lost as after any failed launch. On a GPU: ``TraceUnavailable``.
    """
    if device_kind() != "simulated":
        raise TraceUnavailable(ON_A_GPU)
    from grader.gpu.mirror.context import current
    from grader.gpu.mirror.errors import DeviceFault

    request = TraceRequest(_block(at), int(warp), int(steps))
    fault = ""
    with current().tracing(request) as traced:
        try:
            kernel(grid, block, args, shared_mem=shared_mem)
        except DeviceFault as error:
            if not traced:
                raise
            fault = error.sentence
    launch = traced[0]
    if launch.trace is None:  # refused before it began
        raise ValueError(fault)
    return WarpTrace(launch.trace, launch, kernel.sources, fault)


def _block(at) -> tuple[int, int, int]:
    """A block's place from up to three numbers, or from x alone."""
    places = tuple(at) if isinstance(at, Iterable) else (at,)
    if not 1 <= len(places) <= 3 or not all(isinstance(place, Integral) for place in places):
        raise TypeError(f"at is {at!r}; it takes the block to look at: (x, y, z), or x alone")
    x, y, z = (*map(int, places), 0, 0)[:3]
    return x, y, z
