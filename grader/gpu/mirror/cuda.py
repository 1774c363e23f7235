"""``cupy.cuda``: one device, one stream that is always done, and no clock."""

from __future__ import annotations

from types import SimpleNamespace

from grader.gpu.mirror.core import MemoryPointer
from grader.gpu.mirror.errors import (
    CompileException,
    CUDADriverError,
    CUDARuntimeError,
    NotInMirror,
    OutOfMemoryError,
)

NO_CLOCK = (
    "The simulated GPU has no clock: it counts what a kernel does, not how long it takes. "
    "Time is measured on a GPU; here, compare counters (grader.gpu.profile)."
)


class Device:
    """The only device there is, number 0. Works as a context manager, as in CuPy."""

    def __init__(self, device: int | None = None):
        if device not in (None, 0):
            raise CUDARuntimeError(1, f"There is one simulated GPU, number 0, and no number {device}.")
        self.id = 0
        self.compute_capability = "80"  # what kernels are compiled for here

    def synchronize(self) -> None:
        """Return at once: a launch on the simulated GPU has ended when it returns."""

    def use(self) -> None:
        pass

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *exc) -> None:
        pass

    def __int__(self) -> int:
        return self.id

    def __repr__(self) -> str:
        return "<CUDA Device 0 (simulated)>"

    def __getattr__(self, name: str):
        raise NotInMirror(f"cupy.cuda.Device.{name} needs real CuPy and a GPU")


class Stream:
    """Work is done in the order it is given, so every stream is the null stream."""

    null: Stream
    ptr = 0

    def __init__(self, null: bool = False, non_blocking: bool = False, ptds: bool = False):
        pass

    def synchronize(self) -> None:
        pass

    def use(self) -> Stream:
        return self

    def record(self, event: Event | None = None) -> Event:
        return event or Event()

    def wait_event(self, event: Event) -> None:
        pass

    @property
    def done(self) -> bool:
        return True

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *exc) -> None:
        pass


Stream.null = Stream()


class Event:
    """Orders work, which is in order already. It cannot tell time."""

    def __init__(self, block: bool = False, disable_timing: bool = False, interprocess: bool = False):
        pass

    def record(self, stream: Stream | None = None) -> None:
        pass

    def synchronize(self) -> None:
        pass

    done = True


def get_elapsed_time(start_event: Event, end_event: Event) -> float:
    raise NotInMirror(NO_CLOCK)


def get_current_stream() -> Stream:
    return Stream.null


def is_available() -> bool:
    return True


def _properties(device: int) -> dict:
    Device(device)
    return {
        "name": b"Simulated GPU", "major": 8, "minor": 0, "warpSize": 32, "maxThreadsPerBlock": 1024,
        "maxThreadsDim": (1024, 1024, 64), "maxGridSize": (2147483647, 65535, 65535),
    }  # fmt: skip


class _Module(SimpleNamespace):
    """A submodule of ``cupy.cuda`` with the names given, and a sentence for every other."""

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotInMirror(f"cupy.cuda.{self._name}.{name} needs real CuPy and a GPU")


runtime = _Module(
    _name="runtime", CUDARuntimeError=CUDARuntimeError, is_hip=False, getDeviceCount=lambda: 1, getDevice=lambda: 0,
    setDevice=lambda device: Device(device).use(), deviceSynchronize=lambda: None,
    streamSynchronize=lambda stream: None, getDeviceProperties=_properties,
)  # fmt: skip
driver = _Module(_name="driver", CUDADriverError=CUDADriverError)
compiler = _Module(_name="compiler", CompileException=CompileException)
memory = _Module(_name="memory", OutOfMemoryError=OutOfMemoryError, MemoryPointer=MemoryPointer)


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotInMirror(
        f"cupy.cuda.{name} needs real CuPy and a GPU; the mirror has Device, Stream, Event, runtime, driver, "
        "compiler and memory"
    )
