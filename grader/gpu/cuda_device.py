"""The client of the CUDA device process: the same calls as the simulated GPU's."""

from __future__ import annotations

import glob
from collections.abc import Callable

from grader.sandbox import Child, ChildEnded, Limits, python_child
from grader.simulator.device import Device, DeviceError, Transport

# CuPy's import, the context and the driver's compiler take seconds; the driver's own threads and memory are many.
LIMITS = Limits(wall_seconds=90, memory_bytes=None, processes=None, file_bytes=1 << 30)
_DRIVER_FILES = ("/proc/driver/nvidia", "/sys/bus/pci", "/sys/devices", "/sys/class/drm", "/etc/nvidia")


class CudaDevice(Device):
    """A GPU in its own process. ``start`` gives the channel to a fresh one."""

    def __init__(self, start: Callable[[], Transport]):
        super().__init__(start(), "cuda")
        self._start = start

    def reset(self) -> None:
        """Free everything. A context that an error has spoilt goes with its process, and a fresh process takes over."""
        try:
            super().reset()
        except DeviceError:
            self._transport.close()
            self._transport = self._start()


def driver_files() -> list[str]:
    """What NVIDIA's driver opens beside its libraries, which lie among the system's."""
    return [*glob.glob("/dev/nvidia*"), *_DRIVER_FILES]


def open_cuda(limits: Limits = LIMITS) -> CudaDevice:
    """A fresh CUDA device process. ``DeviceError`` if CuPy or the GPU does not work there."""

    def start() -> Child:
        try:
            child = Child(python_child("grader.gpu.cuda_process"), limits=limits, reads=driver_files())
            answer, _ = child.call({"call": "open"})
        except ChildEnded as ended:
            raise DeviceError(ended.outcome.state, f"the CUDA device process {ended.outcome.message}") from None
        if not answer.get("ok"):
            child.close()
            raise DeviceError(answer["state"], answer["sentence"])
        return child

    return CudaDevice(start)
