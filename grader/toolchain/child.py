"""The compile child, ``python -I -m grader.toolchain.child``: one request, one reply. It runs compilers on a
learner's sources and runs nothing of what they make. It imports little, to start fast.

Request: ``{"job": "nvrtc" | "nvrtc-version" | "gxx" | "library", "files": [[name, bytes], ...], ...}`` with the
files' contents one after the other as payload. Reply: ``{"ok": bool, "result": text, "log": text, ...}`` with PTX,
executable or objects as payload.
"""

from __future__ import annotations

import ctypes
import os

from grader.sandbox.wire import channel
from grader.toolchain.working import call, shortened, write


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
    status = library.nvrtcCreateProgram(
        ctypes.byref(program), files[main], main.encode(), len(headers), texts, names
    )
    if status == 0:
        status = library.nvrtcCompileProgram(
            program, len(options), (ctypes.c_char_p * len(options))(*options)
        )
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


def gxx(request: dict, files: dict[str, bytes]) -> tuple[dict, bytes]:
    """Write the files into the working folder, the child's own; compile each of ``units`` to assembly with
    ``compile``, look through that, and make ``program`` of all with ``link`` and ``flags``."""
    from grader.toolchain.assembly import reads_files

    write(files)
    status, log, outputs = 0, b"", []
    for number, unit in enumerate(request["units"]):
        outputs.append(f"unit{number}.s")
        code, said = call([*request["compile"], *request["flags"], "-S", unit, "-o", outputs[-1]])
        status, log = status or code, log + said
    if status == 0:
        for output in outputs:
            with open(output, encoding="utf-8", errors="replace") as file:
                if reads_files(file.read()):
                    return {"ok": False, "result": "assembly", "log": shortened(log)}, b""
        status, said = call([*request["link"], *outputs, *request["flags"], "-o", "program"])
        log += said
    program = b""
    if status == 0:
        with open("program", "rb") as file:
            program = file.read()
    return {"ok": status == 0, "result": str(status), "log": shortened(log)}, program


def library(request: dict, files: dict[str, bytes]) -> tuple[dict, bytes]:
    from grader.toolchain.objects import build

    return build(request, files)


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
    pipe = channel()
    request, payload = pipe.receive()
    files, position = {}, 0
    for name, size in request["files"]:
        files[name] = payload[position : position + size]
        position += size
    job = {"nvrtc": nvrtc, "nvrtc-version": nvrtc_version, "gxx": gxx, "library": library}[request["job"]]
    try:
        reply, blob = job(request, files)
    except OSError as error:  # a library that does not load, a compiler that does not start
        reply, blob = {"ok": False, "result": "unavailable", "log": str(error)}, b""
    pipe.send(reply, blob)
    os._exit(0)  # at once: the compiler's own tidying up takes time and means nothing


if __name__ == "__main__":
    main()
