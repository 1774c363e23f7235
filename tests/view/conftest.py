"""The mirror of CuPy on a simulated GPU of these tests' own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grader.gpu import mirror as cp
from grader.gpu import trace_warp
from grader.gpu.mirror import context as contexts

KERNELS = Path(__file__).parent.parent / "simulator" / "kernels"


@pytest.fixture(scope="session")
def _context():
    context = contexts.Context()
    yield context
    context.close()


@pytest.fixture
def gpu(monkeypatch, _context):
    """The mirror, ``cp``."""
    monkeypatch.setenv("GRADER_DEVICE", "simulated")
    monkeypatch.setattr(contexts, "_current", _context)
    return cp


@pytest.fixture(scope="session")
def code() -> str:
    return (KERNELS / "steps.cu").read_text()


@pytest.fixture
def traced(gpu, code):
    """Traces of the kernels of steps.cu: ``traced("odd_even")``."""
    module = gpu.RawModule(code=code)

    def trace(name: str, elements: int = 64, **options):
        x = gpu.asarray(np.arange(elements, dtype=np.float32))
        kernel = module.get_function(name)
        if name == "reduce":
            return trace_warp(kernel, (1,), (64,), (x, gpu.zeros(2, np.float32), 64), **options)
        y = gpu.zeros(elements, np.int32 if name == "odd_even" else np.float32)
        return trace_warp(kernel, (1,), (32,), (y,), **options)

    return trace
