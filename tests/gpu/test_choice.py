import sys
from types import SimpleNamespace

import pytest

from grader import gpu
from grader.gpu import choice, mirror


@pytest.fixture(autouse=True)
def _ask_anew():
    choice._no_cuda.cache_clear()
    yield
    choice._no_cuda.cache_clear()


def use_cupy(monkeypatch, devices):
    def count():
        if isinstance(devices, Exception):
            raise devices
        return devices

    fake = SimpleNamespace(cuda=SimpleNamespace(runtime=SimpleNamespace(getDeviceCount=count)))
    monkeypatch.setitem(sys.modules, "cupy", fake)
    return fake


def test_the_environment_chooses(monkeypatch):
    fake = use_cupy(monkeypatch, 1)
    monkeypatch.setenv("GRADER_DEVICE", " Simulated ")
    assert gpu.device_kind() == "simulated" and gpu.cupy is mirror
    monkeypatch.setenv("GRADER_DEVICE", "cuda")
    assert gpu.device_kind() == "cuda" and gpu.cupy is fake


@pytest.mark.parametrize("devices, kind", [(1, "cuda"), (0, "simulated"), (RuntimeError("no driver"), "simulated")])
def test_without_a_choice_a_gpu_is_taken_where_there_is_one(monkeypatch, devices, kind):
    use_cupy(monkeypatch, devices)
    monkeypatch.delenv("GRADER_DEVICE", raising=False)
    assert gpu.device_kind() == kind


def test_asking_for_what_is_not_there_says_what_is_missing(monkeypatch):
    monkeypatch.setenv("GRADER_DEVICE", "cuda")
    monkeypatch.setitem(sys.modules, "cupy", None)  # import fails
    with pytest.raises(gpu.DeviceUnavailable, match="CuPy is not installed"):
        gpu.device_kind()
    with pytest.raises(gpu.DeviceUnavailable, match="CuPy is not installed"):
        gpu.open_device("cuda")
    use_cupy(monkeypatch, RuntimeError("cudaErrorNoDevice: no CUDA-capable device is detected"))
    choice._no_cuda.cache_clear()
    with pytest.raises(gpu.DeviceUnavailable, match="finds no GPU .cudaErrorNoDevice"):
        gpu.device_kind()


def test_a_wrong_word_is_named(monkeypatch):
    monkeypatch.setenv("GRADER_DEVICE", "gpu")
    with pytest.raises(gpu.DeviceUnavailable, match="'gpu'; it can be 'simulated' or 'cuda'"):
        gpu.device_kind()
    with pytest.raises(gpu.DeviceUnavailable, match="no device 'tpu'"):
        gpu.open_device("tpu")


def test_the_package_has_no_other_names():
    with pytest.raises(AttributeError):
        gpu.numpy  # noqa: B018
