"""The compile child's working folder: files in, compilers run in it, their messages out."""

from __future__ import annotations

import os

_HALF_LOG = 256 << 10  # bytes


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
