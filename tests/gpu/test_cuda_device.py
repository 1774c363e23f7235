import importlib.util

import pytest

from grader.gpu.cuda_device import CudaDevice, open_cuda
from grader.sandbox import Limits
from grader.simulator.device import DeviceError
from grader.simulator.serve import answer
from grader.verdict import State


class Backend:
    """A device that can be spoilt; counts its resets."""

    kind = "cuda"

    def __init__(self):
        self.spoilt, self.resets = False, 0

    def reset(self):
        if self.spoilt:
            raise DeviceError(State.CRASH, "The GPU's context is lost.")
        self.resets += 1


class Transport:
    def __init__(self, backend):
        self.backend, self.closed = backend, False

    def call(self, header, payload=b"", *, wall_seconds=None):
        return answer(self.backend, header, payload)

    def close(self):
        self.closed = True


def test_a_spoilt_context_goes_with_its_process():
    started = []

    def start():
        started.append(Transport(Backend()))
        return started[-1]

    with CudaDevice(start) as device:
        assert device.kind == "cuda"
        device.reset()
        assert len(started) == 1 and started[0].backend.resets == 1
        started[0].backend.spoilt = True
        device.reset()
        assert len(started) == 2 and started[0].closed
        device.reset()
        assert started[1].backend.resets == 1
    assert started[1].closed


def test_without_cupy_the_process_says_what_is_missing():
    if importlib.util.find_spec("cupy"):
        pytest.skip("CuPy is installed")
    with pytest.raises(DeviceError, match="The GPU cannot be used: ModuleNotFound.*'cupy'") as caught:
        open_cuda(Limits(wall_seconds=30))
    assert caught.value.state is State.UNSUPPORTED_HERE
