"""The compile child of kernel files, ``python -I -m grader.toolchain.nvrtc_child``: NVRTC in a process of its own.

It starts no program and writes no file, so it can be forked from a process that has the compiler loaded. Request and
reply are those of ``working.serve``.
"""

from __future__ import annotations

import ctypes
import os

from grader.toolchain.working import serve, shortened

_WARM_UP = b'extern "C" __global__ void k(float* x) { x[threadIdx.x] = 1.0f; }'


def prepare(**libraries: str | None) -> None:
    """Load ``library`` and ``builtins``, and compile something: the compiler makes its tables the first time."""
    nvrtc({**libraries, "main": "k.cu", "options": ["-arch=compute_80"], "hide": []}, {"k.cu": _WARM_UP})


def nvrtc(request: dict, files: dict[str, bytes]) -> tuple[dict, bytes]:
    """``library``, ``builtins``, ``main``, ``options``; ``hide``: prefixes to cut from paths."""
    library = _load(request)
    main = request["main"]
    headers = {name: data for name, data in files.items() if name != main}
    program = ctypes.c_void_p()
    texts = (ctypes.c_char_p * len(headers))(*headers.values())
    names = (ctypes.c_char_p * len(headers))(*(name.encode() for name in headers))
    options = [option.encode() for option in request["options"]]
    # The files are handed over in memory: nothing of the exercise lies on the disk for an #include to find.
    status = library.nvrtcCreateProgram(ctypes.byref(program), files[main], main.encode(), len(headers), texts, names)
    if status == 0:
        status = library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    log = _text(library, program, "ProgramLog") if program else b""
    ptx = _text(library, program, "PTX") if status == 0 else b""
    # Nobody's folders are told. PTX still says which files are the toolkit's: their lines are no learner's.
    for prefix, shown in [(os.getcwd() + "/", b""), *((folder, b"cuda/include/") for folder in request["hide"])]:
        log, ptx = log.replace(prefix.encode(), b""), ptx.replace(prefix.encode(), shown)
    result = library.nvrtcGetErrorString(status).decode()
    return {"ok": status == 0, "result": result, "log": shortened(log)}, ptx


def nvrtc_version(request: dict, files: dict[str, bytes]) -> tuple[dict, bytes]:
    library, major, minor = _load(request), ctypes.c_int(), ctypes.c_int()
    status = library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return {"ok": status == 0, "result": f"{major.value}.{minor.value}", "log": ""}, b""


def _load(request: dict) -> ctypes.CDLL:
    if request["builtins"]:
        ctypes.CDLL(request["builtins"], mode=ctypes.RTLD_GLOBAL)
    library = ctypes.CDLL(request["library"])
    library.nvrtcGetErrorString.restype = ctypes.c_char_p
    return library


def _text(library: ctypes.CDLL, program: ctypes.c_void_p, what: str) -> bytes:
    size = ctypes.c_size_t()
    if getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)):
        return b""
    buffer = ctypes.create_string_buffer(size.value)
    if getattr(library, f"nvrtcGet{what}")(program, buffer):
        return b""
    return buffer.value


def main() -> None:
    serve({"nvrtc": nvrtc, "nvrtc-version": nvrtc_version})


if __name__ == "__main__":
    main()
