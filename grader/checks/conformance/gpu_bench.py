"""The bench of level L2: plugin processes with NVIDIA's own CUDA runtime, on a real GPU."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grader.checks.conformance.bench import Bench
from grader.checks.conformance.compare import difference
from grader.plugin.build import build_host
from grader.plugin.execute import Run
from grader.plugin.gpu_device import GpuDevice
from grader.plugin.python_plugins import python_session
from grader.plugin.session import Session
from grader.plugin.spec_records import Spec
from grader.plugin.trace import Trace
from grader.plugin.types import tensor_type
from grader.sandbox import Limits

# A driver starts in a second or two, and its context alone takes hundreds of megabytes of the host's memory.
LIMITS = Limits(wall_seconds=60.0, memory_bytes=16 << 30, processes=256)


class GpuBench(Bench):
    """Each plugin process has its own memory on the GPU, so each has a device of its own."""

    def __init__(self, library: Path, spec: Spec, cuda: Path, *, tool: Sequence[str] = (), trace: Trace | None = None):
        """``cuda``: the CUDA runtime, such as ``/usr/local/cuda/lib64/libcudart.so.13``. ``tool``: a command to run the
        host with, such as ``compute-sanitizer`` and its options."""
        super().__init__(library, spec, kernels=True, trace=trace)
        self._cuda, self._tool, self._devices = cuda, list(tool), {}

    def _start(self, **options) -> Session:
        if self.is_python:
            return python_session(self.library, cuda=self._cuda, trace=self.trace, patience=self.patience, **options)
        program = [*self._tool, str(build_host())] if self._tool else ()
        return Session(
            self.library, cuda=self._cuda, trace=self.trace, patience=self.patience, limits=LIMITS, program=program,
            **options,
        )  # fmt: skip

    # NVIDIA's runtime uses the same heap. On an H200, 100 lives of a plugin that calls cudaMallocAsync left 3,840 bytes
    # there, and none beside the stand-in runtime; whose they are, the heap does not say.
    heap_tells = False

    def same(self, first: Run, second: Run) -> bool:
        """A GPU's threads come in another order each time: what the spec lets come in any order may, and sums of
        floating-point numbers differ within its tolerance."""
        if first.data == second.data:
            return True
        pairs = list(zip(first.outputs, second.outputs, strict=False))
        if not pairs or len(self.spec.outputs) != len(pairs):
            return False
        kinds = [tensor_type(each.type) for each in first.tensors.outputs]
        return all(
            got is not None and expected is not None and difference(self.spec, output, kind, got, expected) is None
            for output, kind, (got, expected) in zip(self.spec.outputs, kinds, pairs, strict=True)
        )

    def device_of(self, session: Session) -> GpuDevice:
        if session not in self._devices:
            self._devices[session] = GpuDevice(session)
        return self._devices[session]
