"""Builds the engine's C++, once for this machine."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from pathlib import Path

from grader.simulator import compiled

SOURCES = Path(__file__).parent / "engine"
FLAGS = ("-std=c++17", "-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-pthread")
SANITIZED = (
    "-std=c++17", "-O1", "-g", "-fno-omit-frame-pointer", "-ffp-contract=off", "-fno-math-errno", "-fPIC",
    "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
)  # fmt: skip
_WHAT = "the simulated GPU"


def build(flags: tuple[str, ...] = FLAGS) -> Path:
    """The engine's library, from the user's cache or built now (some 20 seconds, once).

    With ``SANITIZED`` it loads only into a process that was started with ``sanitizer_environment``.

    ``DeviceError`` (``UNSUPPORTED_HERE``) where g++ is missing, ``GRADER_FAULT`` where it fails.
    """
    compiler = compiled.gxx(_WHAT)

    def make(library: Path) -> None:
        compiled.build(compiler, SOURCES.glob("*.cpp"), flags, (), library, _WHAT)

    return compiled.kept("engine", _name(compiler, flags), _WHAT, make)


def is_built() -> bool:
    """Whether the engine for this machine and these sources is in the user's cache, so that ``build`` is quick."""
    compiler = shutil.which("g++")
    return compiler is not None and compiled.in_cache("engine", _name(compiler, FLAGS)).exists()


def sanitizer_environment() -> dict[str, str]:
    """What to set for a Python that loads a ``SANITIZED`` engine. Python's own memory is not looked at for leaks."""
    runtime = subprocess.run(["g++", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    return {
        "LD_PRELOAD": runtime.stdout.strip(),
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:handle_segv=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


@functools.cache
def _name(compiler: str, flags: tuple[str, ...]) -> str:
    return f"simulator-{compiled.key(compiler, SOURCES, flags, _processor())}.so"


def _processor() -> str:
    """Its instructions are used."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return os.uname().machine
    wanted = ("vendor_id", "model", "flags", "Features", "CPU part")
    return "\n".join(dict.fromkeys(line for line in lines if line.split("\t")[0].strip() in wanted))
