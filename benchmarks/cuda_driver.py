"""NVRTC and the CUDA driver by ctypes, as far as the measuring scripts need them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path

import numpy as np

ARENA = 64 << 20  # bytes of device memory for one launch's buffers
TOOLKITS = (Path("/usr/local/cuda/include"),)  # where a pip-installed NVRTC comes without crt/
_ATTRIBUTES = {"registers": 4, "local_bytes": 3, "shared_bytes": 1}  # CU_FUNC_ATTRIBUTE_...
_MAX_DYNAMIC_SHARED = 8


def _nvrtc():
    """(library, its include folder)"""
    from grader.toolchain import locate

    found = locate.nvrtc()
    if found is None:
        raise RuntimeError("NVRTC is not here")
    if found.builtins:
        ctypes.CDLL(str(found.builtins), mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(str(found.library)), found.include


def nvrtc_version() -> str:
    major, minor = ctypes.c_int(), ctypes.c_int()
    _nvrtc()[0].nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return f"{major.value}.{minor.value}"


def compile_cubin(source: bytes, name: str, options: list[str]) -> bytes:
    """Machine code of one kernel file. RuntimeError with NVRTC's log."""
    from grader.toolchain import supplied_include

    nvrtc, include = _nvrtc()
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    folders = [include, *(p for p in TOOLKITS if (p / "crt").is_dir() and p != include), supplied_include()]
    words = [o.encode() for o in (*options, *(f"-I{folder}" for folder in folders))]
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, name.encode(), 0, None, None)
    failed = nvrtc.nvrtcCompileProgram(program, len(words), (ctypes.c_char_p * len(words))(*words))
    what = "ProgramLog" if failed else "CUBIN"
    getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    data = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{what}")(program, data)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    if failed:
        raise RuntimeError(f"{name}: {data.value.decode()}")
    return data.raw


class Driver:
    """Device 0 with its primary context, and one arena of memory for buffers."""

    def __init__(self) -> None:
        self._cuda = ctypes.CDLL("libcuda.so.1")
        self._device, context, self._arena = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
        self._call("cuInit", 0)
        self._call("cuDeviceGet", ctypes.byref(self._device), 0)
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self._device)
        self._call("cuCtxSetCurrent", context)
        self._call("cuMemAlloc_v2", ctypes.byref(self._arena), ctypes.c_size_t(ARENA))
        text = ctypes.create_string_buffer(100)
        self._call("cuDeviceGetName", text, 100, self._device)
        self.name = text.value.decode()

    @classmethod
    def describe(cls) -> tuple[str, str]:
        """("NVIDIA H200", "sm_90")"""
        driver, numbers = cls(), []
        for attribute in (75, 76):  # compute capability, major and minor
            number = ctypes.c_int()
            driver._call("cuDeviceGetAttribute", ctypes.byref(number), attribute, driver._device)
            numbers.append(number.value)
        return driver.name, "sm_{}{}".format(*numbers)

    def _call(self, name: str, *arguments) -> None:
        if code := getattr(self._cuda, name)(*arguments):
            raise RuntimeError(f"{name} gave {code}")

    def load(self, code: bytes) -> ctypes.c_void_p:
        """A module of machine code or PTX text. RuntimeError where the driver refuses it."""
        module = ctypes.c_void_p()
        self._call("cuModuleLoadData", ctypes.byref(module), code)
        return module

    def unload(self, module: ctypes.c_void_p) -> None:
        self._call("cuModuleUnload", module)

    def buffer(self, nbytes: int) -> np.uint64:
        """Device memory of its own: the address."""
        address = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(nbytes))
        return np.uint64(address.value)

    def write(self, address: np.uint64, array: np.ndarray) -> None:
        self._call("cuMemcpyHtoD_v2", ctypes.c_uint64(int(address)), array.tobytes(), ctypes.c_size_t(array.nbytes))

    def read(self, address: np.uint64, nbytes: int) -> bytes:
        data = ctypes.create_string_buffer(nbytes)
        self._call("cuMemcpyDtoH_v2", data, ctypes.c_uint64(int(address)), ctypes.c_size_t(nbytes))
        return data.raw

    def kernel(self, module: ctypes.c_void_p, name: str) -> ctypes.c_void_p:
        kernel = ctypes.c_void_p()
        self._call("cuModuleGetFunction", ctypes.byref(kernel), module, name.encode())
        return kernel

    def facts(self, kernel: ctypes.c_void_p) -> dict[str, int]:
        """Registers, local memory and static shared memory."""
        found = {}
        for key, attribute in _ATTRIBUTES.items():
            number = ctypes.c_int()
            self._call("cuFuncGetAttribute", ctypes.byref(number), attribute, kernel)
            found[key] = number.value
        return found

    def blocks(self, kernel: ctypes.c_void_p, threads: int, dynamic: int) -> int:
        """How many blocks run on one multiprocessor at once."""
        self._call("cuFuncSetAttribute", kernel, _MAX_DYNAMIC_SHARED, dynamic)
        number = ctypes.c_int()
        self._call(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor", ctypes.byref(number), kernel, threads,
            ctypes.c_size_t(dynamic),
        )  # fmt: skip
        return number.value

    def place(self, arrays: list[np.ndarray]) -> Iterator[np.uint64]:
        """Copy buffers into the arena, each at a multiple of 512 bytes, with room between them."""
        at, addresses = 0, []
        for array in arrays:
            address = self._arena.value + at
            self._call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), array.tobytes(), ctypes.c_size_t(array.nbytes))
            addresses.append(np.uint64(address))
            at += (array.nbytes + 1023) // 512 * 512
        if at > ARENA:
            raise RuntimeError(f"{at} bytes of buffers do not fit")
        return iter(addresses)

    def launch(self, kernel: ctypes.c_void_p, grid, block, values: list[np.generic], shared: int) -> None:
        """Run a kernel to its end."""
        held = [ctypes.create_string_buffer(value.tobytes()) for value in values]
        pointers = (ctypes.c_void_p * len(held))(*(ctypes.addressof(one) for one in held))
        self._call("cuLaunchKernel", kernel, *grid, *block, shared, None, pointers, None)
        self._call("cuCtxSynchronize")
