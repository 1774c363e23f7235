"""The device that this machine has: ``from grader.gpu import cupy as cp`` is CuPy on a GPU, its mirror elsewhere.

>>> from grader.gpu import cupy as cp, profile
>>> with profile() as p:
...     kernel((blocks,), (256,), (x, mask, y, n))
>>> p.counters["masked_gelu"]["load_sectors_per_request"]

``GRADER_DEVICE=simulated`` or ``GRADER_DEVICE=cuda`` chooses the device; without it, a GPU is taken if CuPy
is installed and finds one.
"""

from grader.gpu.choice import DeviceUnavailable, device_kind, kernel_options, open_device
from grader.gpu.counters import ratios
from grader.gpu.profiler import CountersUnavailable, profile
from grader.gpu.ptxas import ResourcesUnavailable, occupancy, resources
from grader.gpu.traces import TraceUnavailable, WarpTrace, trace_warp

__all__ = [
    "CountersUnavailable", "DeviceUnavailable", "ResourcesUnavailable", "TraceUnavailable", "WarpTrace", "cupy",
    "device_kind", "kernel_options", "occupancy", "open_device", "profile", "ratios", "resources", "trace_warp",
]  # fmt: skip


def __getattr__(name: str):
    if name == "cupy":
        if device_kind() == "cuda":
            import cupy
        else:
            from grader.gpu import mirror as cupy
        return cupy
    raise AttributeError(f"module 'grader.gpu' has no attribute {name!r}")
