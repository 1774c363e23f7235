"""What compile children have in common: the request, the working folder, compilers run in it, their messages."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from grader.sandbox.wire import channel

Job = Callable[[dict, dict[str, bytes]], tuple[dict, bytes]]

_HALF_LOG = 256 << 10  # bytes


def serve(jobs: Mapping[str, Job]) -> None:
    """Do what the one request asks for, and end the process.

    Request: ``{"job": name, "files": [[name, bytes], ...], ...}`` with the files' contents one after the other as
    payload. Reply: ``{"ok": bool, "result": text, "log": text, ...}`` with PTX, executable or objects as payload.
    """
    pipe = channel()
    request, payload = pipe.receive()
    files, position = {}, 0
    for name, size in request["files"]:
        files[name] = payload[position : position + size]
        position += size
    try:
        reply, blob = jobs[request["job"]](request, files)
    except OSError as error:  # a library that does not load, a compiler that does not start
        reply, blob = {"ok": False, "result": "unavailable", "log": str(error)}, b""
    pipe.send(reply, blob)
    os._exit(0)  # at once: the compiler's own tidying up takes time and means nothing


def write(files: dict[str, bytes]) -> None:
    """Write files by their relative names; folders are made."""
    for name, data in files.items():
        if folder := os.path.dirname(name):
            os.makedirs(folder, exist_ok=True)
        with open(name, "wb") as file:
            file.write(data)


def call(command: list[str]) -> tuple[int, bytes]:
    """Run a compiler; its status and what it said, without the name of the folder. ``OSError`` when it does not
    start."""
    import subprocess  # late: it takes time, and NVRTC does without

    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    return done.returncode, (done.stdout + done.stderr).replace(os.getcwd().encode() + b"/", b"")


def read_without_folder(path: str, folder: str) -> bytes:
    """A compiler's product without the name of the folder, which debug information and PTX hold: the same source gives
    the same bytes, and nobody's folders are told. Its place is filled with ``./``, so that nothing moves."""
    name = folder.encode()
    with open(path, "rb") as file:
        return file.read().replace(name, (b"./" * len(name))[: len(name)])


def shortened(log: bytes) -> str:
    """The first errors stand at the head of a log, a linker's at its end."""
    if len(log) > 2 * _HALF_LOG:
        log = log[:_HALF_LOG] + b"\n...\n" + log[-_HALF_LOG:]
    return log.decode("utf-8", "replace")
