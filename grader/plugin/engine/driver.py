"""Device memory, a stream and events by the CUDA driver, through ctypes: what running a plan needs."""

from __future__ import annotations

import ctypes
from typing import Any

_NON_BLOCKING = 1  # CU_STREAM_NON_BLOCKING
_MAJOR, _MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_...


class NoGpu(Exception):
    """There is no CUDA driver or no device; the text says which."""


class DriverError(Exception):
    """A driver call failed, as "cuStreamSynchronize: an illegal memory access was encountered (700)"."""


class Driver:
    """Device 0 with its primary context current in this thread, and one non-blocking stream. Addresses are numbers."""

    def __init__(self) -> None:
        try:
            self._cuda = ctypes.CDLL("libcuda.so.1")
        except OSError:
            raise NoGpu("There is no CUDA driver here (libcuda.so.1).") from None
        device, context, stream, count = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
        try:
            self._call("cuInit", 0)
            self._call("cuDeviceGetCount", ctypes.byref(count))
        except DriverError as error:
            raise NoGpu(f"The CUDA driver finds no GPU: {error}.") from None
        if count.value == 0:
            raise NoGpu("The CUDA driver finds no GPU.")
        self._call("cuDeviceGet", ctypes.byref(device), 0)
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._call("cuCtxSetCurrent", context)
        self._call("cuStreamCreate", ctypes.byref(stream), _NON_BLOCKING)
        self._device, self.stream = device, stream.value or 0

    def facts(self) -> dict[str, Any]:
        """The GPU's name, its compute capability, and the newest CUDA version that the driver knows."""
        name, version = ctypes.create_string_buffer(128), ctypes.c_int()
        self._call("cuDeviceGetName", name, len(name), self._device)
        self._call("cuDriverGetVersion", ctypes.byref(version))
        capability = f"{self._attribute(_MAJOR)}.{self._attribute(_MINOR)}"
        cuda = f"{version.value // 1000}.{version.value % 1000 // 10}"
        return {"gpu": name.value.decode(errors="replace"), "compute_capability": capability, "driver_cuda": cuda}

    def alloc(self, nbytes: int) -> int:
        address = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(nbytes, 1)))
        return address.value

    def free(self, address: int) -> None:
        self._call("cuMemFree_v2", ctypes.c_uint64(address))

    def write(self, address: int, data: bytes) -> None:
        if data:
            self._call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), data, ctypes.c_size_t(len(data)))

    def read(self, address: int, nbytes: int) -> bytes:
        data = ctypes.create_string_buffer(max(nbytes, 1))
        if nbytes:
            self._call("cuMemcpyDtoH_v2", data, ctypes.c_uint64(address), ctypes.c_size_t(nbytes))
        return data.raw[:nbytes]

    def fill(self, address: int, byte: int, nbytes: int) -> None:
        if nbytes:
            self._call("cuMemsetD8_v2", ctypes.c_uint64(address), ctypes.c_ubyte(byte), ctypes.c_size_t(nbytes))

    def synchronize(self) -> None:
        """Wait for the stream; ``DriverError`` for what went wrong on it."""
        self._call("cuStreamSynchronize", ctypes.c_void_p(self.stream))

    def event(self) -> int:
        event = ctypes.c_void_p()
        self._call("cuEventCreate", ctypes.byref(event), 0)
        return event.value or 0

    def record(self, event: int) -> None:
        self._call("cuEventRecord", ctypes.c_void_p(event), ctypes.c_void_p(self.stream))

    def milliseconds(self, start: int, end: int) -> float:
        elapsed = ctypes.c_float()
        # The driver of CUDA 13 gives the old name to the old function still; both measure the same.
        self._call("cuEventElapsedTime", ctypes.byref(elapsed), ctypes.c_void_p(start), ctypes.c_void_p(end))
        return elapsed.value

    def _attribute(self, number: int) -> int:
        value = ctypes.c_int()
        self._call("cuDeviceGetAttribute", ctypes.byref(value), number, self._device)
        return value.value

    def _call(self, name: str, *arguments: Any) -> None:
        if code := getattr(self._cuda, name)(*arguments):
            text = ctypes.c_char_p()
            self._cuda.cuGetErrorString(code, ctypes.byref(text))
            words = text.value.decode() if text.value else "an unknown error"
            raise DriverError(f"{name}: {words} ({code})")
