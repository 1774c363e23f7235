"""Which device this process works on, and how a fresh one is opened for grading."""

from __future__ import annotations

import functools
import os

from grader.simulator.device import Device

KINDS = ("simulated", "cuda")


class DeviceUnavailable(RuntimeError):
    """The device that was asked for is not here; the message says what is missing."""

    def _render_traceback_(self) -> list[str]:
        return [f"DeviceUnavailable: {self}"]


def device_kind() -> str:
    """``"cuda"`` or ``"simulated"``: what ``GRADER_DEVICE`` says, else CUDA where CuPy finds a GPU."""
    asked = os.environ.get("GRADER_DEVICE", "").strip().lower()
    if not asked:
        return "simulated" if _no_cuda() else "cuda"
    if asked not in KINDS:
        raise DeviceUnavailable(f"GRADER_DEVICE is {asked!r}; it can be 'simulated' or 'cuda'")
    if asked == "cuda" and (reason := _no_cuda()):
        raise DeviceUnavailable(f"GRADER_DEVICE=cuda, but {reason}")
    return asked


def open_device(kind: str | None = None) -> Device:
    """A fresh device process, to be closed by the caller. ``DeviceUnavailable`` if there is no such device."""
    kind = kind or device_kind()
    if kind not in KINDS:
        raise DeviceUnavailable(f"there is no device {kind!r}; it can be 'simulated' or 'cuda'")
    if kind == "simulated":
        return Device.simulated()
    if reason := _no_cuda():
        raise DeviceUnavailable(f"a CUDA device was asked for, but {reason}")
    from grader.gpu.cuda_device import open_cuda

    return open_cuda()


def kernel_options() -> tuple[str, ...]:
    """The options under which CuPy compiles a kernel file as the grader does: C++17, and the supplied header.

    >>> cp.RawModule(code=code, options=kernel_options())
    """
    from grader.toolchain import supplied_include

    return "-std=c++17", f"-I{supplied_include()}"


@functools.cache
def _no_cuda() -> str:
    """Why there is no CUDA device for CuPy here; empty if there is one. Asked once a process."""
    try:
        import cupy
    except ImportError:
        return "CuPy is not installed (pip install 'tensorrt-plugin-course[cuda13]')"
    except Exception as error:  # a broken install fails in many ways, and none of them is the learner's
        return f"CuPy does not import: {error}"
    try:
        return "" if cupy.cuda.runtime.getDeviceCount() > 0 else "CuPy finds no GPU"
    except Exception as error:
        return f"CuPy finds no GPU ({str(error).splitlines()[0] if str(error) else type(error).__name__})"
