"""Registers, spills and shared memory of kernels, by ptxas, and the occupancy that follows, whatever the device."""

from __future__ import annotations

from grader.gpu.choice import device_kind
from grader.toolchain.occupancy import Occupancy, occupancy
from grader.toolchain.resources import Resources, ResourcesUnavailable, kernel_resources
from grader.verdict import State

__all__ = ["SIMULATED", "Occupancy", "Resources", "ResourcesUnavailable", "architecture", "occupancy", "resources"]

SIMULATED = "8.0"  # the compute capability that the simulated GPU compiles for


def architecture() -> str:
    """The GPU's own, such as ``"sm_90"``; ``"sm_80"`` on the simulated GPU."""
    if device_kind() != "cuda":
        return f"sm_{SIMULATED.replace('.', '')}"
    import cupy

    return f"sm_{cupy.cuda.Device().compute_capability}"


def resources(kernel, *, options: tuple[str, ...] = (), arch: str | None = None) -> dict[str, Resources]:
    """What each kernel of a source takes, by its name.

    ``kernel``: a ``RawModule`` or ``RawKernel`` of CuPy or of its mirror, which have their options, or the text of a
    kernel file. ``arch`` is ``architecture()`` where nothing is said.
    ``ResourcesUnavailable`` where there is no source or it does not compile.
    """
    from grader.gpu.mirror.source import prepare

    code = kernel if isinstance(kernel, str) else kernel.code
    if not code:
        raise ResourcesUnavailable(State.UNSUPPORTED_HERE, "ptxas needs the source of the kernel, not its PTX")
    source, rest = prepare(code, options if isinstance(kernel, str) else tuple(kernel.options))
    return dict(kernel_resources(source, arch or architecture(), rest))
