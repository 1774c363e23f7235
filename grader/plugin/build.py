"""Builds the C++ plugin host, once for this machine and these TensorRT headers."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

from grader.toolchain import locate, tensorrt
from grader.toolchain.cache import cache_folder

SOURCES = Path(__file__).parent / "host"
FLAGS = ("-std=c++17", "-O1", "-g", "-Wall", "-Wextra", "-Wno-deprecated-declarations", "-pthread")


class HostUnavailable(Exception):
    """The plugin host cannot be built here; the sentence says what is missing and how to get it."""

    def __init__(self, sentence: str):
        super().__init__(sentence)
        self.sentence = sentence


def build_host(*, shared: bool = False) -> Path:
    """The host's program, from the user's cache or built now (some 5 seconds, once). ``HostUnavailable``.

    With ``shared`` it is a library whose ``main`` another program calls, as the interpreter of a Python plugin does.
    """
    compiler, headers, cuda = locate.gxx(), tensorrt.tensorrt_include(), locate.cuda_include()
    for found, missing in ((compiler, "the compiler g++"), (headers, "TensorRT's headers"), (cuda, "the CUDA headers")):
        if found is None:
            raise HostUnavailable(
                f"Plugins cannot be driven here: {missing} is missing. `grader doctor` says how to get it."
            )
    program = cache_folder() / "host" / f"host-{_key(compiler, headers, cuda)}{'.so' if shared else ''}"
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        _build_once(compiler, headers, cuda, program, ("-shared", "-fPIC", "-Wl,-Bsymbolic") if shared else ())
    return program


@functools.cache
def _key(compiler: Path, headers: Path, cuda: Path) -> str:
    digest = hashlib.sha256(repr((FLAGS, locate.gxx_fingerprint(compiler), str(headers), str(cuda))).encode())
    for source in sorted([*SOURCES.iterdir(), locate.supplied_include() / "grader_channel.hpp"]):
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    digest.update((headers / "NvInferVersion.h").read_bytes())
    return digest.hexdigest()[:24]


def _build_once(compiler: Path, headers: Path, cuda: Path, program: Path, kind: tuple[str, ...]) -> None:
    with open(program.with_name(program.name + ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if program.exists():
            return
        with tempfile.TemporaryDirectory(dir=program.parent) as scratch:
            made = Path(scratch) / "host"
            include = ["-isystem", str(headers), "-isystem", str(cuda), "-I", str(locate.supplied_include())]
            _compile([str(compiler), *kind, *FLAGS, *include], kind, Path(scratch), made)
            os.replace(made, program)


def _compile(command: list[str], kind: tuple[str, ...], scratch: Path, made: Path) -> None:
    sources = sorted(SOURCES.glob("*.cpp"))
    objects = [scratch / f"{source.stem}.o" for source in sources]
    running = [
        subprocess.Popen([*command, "-c", str(s), "-o", str(o)], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for s, o in zip(sources, objects, strict=True)
    ]
    for process in running:
        errors = process.communicate()[1].decode("utf-8", "replace")
        if process.returncode:
            raise HostUnavailable(f"The plugin host cannot be compiled here:\n{errors[:2000]}")
    # The host's own symbols stay its own: a plugin library must not find the grader's functions under its names.
    link = [command[0], *kind, "-pthread", *map(str, objects), "-ldl", "-o", str(made)]
    done = subprocess.run(link, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise HostUnavailable(f"The plugin host cannot be linked here:\n{done.stderr[:2000]}")
