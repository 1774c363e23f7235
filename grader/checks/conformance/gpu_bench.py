"""The bench of level L2: plugin processes with NVIDIA's own CUDA runtime, on a real GPU."""

from __future__ import annotations

from pathlib import Path

from grader.checks.conformance.bench import Bench
from grader.plugin.gpu_device import GpuDevice
from grader.plugin.python_plugins import python_session
from grader.plugin.session import Session
from grader.plugin.spec_records import Spec
from grader.plugin.trace import Trace


class GpuBench(Bench):
    """Each plugin process has its own memory on the GPU, so each has a device of its own."""

    def __init__(self, library: Path, spec: Spec, cuda: Path, *, trace: Trace | None = None):
        """``cuda``: the CUDA runtime, such as ``/usr/local/cuda/lib64/libcudart.so.13``."""
        super().__init__(library, spec, kernels=True, trace=trace)
        self._cuda, self._devices = cuda, {}

    def _start(self, **options) -> Session:
        start = python_session if self.is_python else Session
        return start(self.library, cuda=self._cuda, trace=self.trace, **options)

    def device_of(self, session: Session) -> GpuDevice:
        if session not in self._devices:
            self._devices[session] = GpuDevice(session)
        return self._devices[session]
