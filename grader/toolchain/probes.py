"""Tries the compilers, for ``grader doctor`` and for provenance."""

from __future__ import annotations

import functools
import re
import subprocess

from grader.sandbox import Limits
from grader.toolchain import locate
from grader.toolchain.compile import ask_nvrtc
from grader.toolchain.records import CompilerFacts
from grader.verdict import State


@functools.cache
def nvrtc_version() -> CompilerFacts | None:
    """The CUDA run-time compiler, loaded in a child and asked for its version; None where that fails."""
    if (nvrtc := locate.nvrtc()) is None:
        return None
    reply = ask_nvrtc("nvrtc-version", nvrtc, {}, Limits())
    if reply.state is not State.PASS or not reply.ok:
        return None
    return CompilerFacts(name="NVRTC", version=reply.result, path=nvrtc.library, include=nvrtc.include)


@functools.cache
def host_compiler() -> CompilerFacts | None:
    """The host C++ compiler, asked for its version; None where there is none."""
    if (path := locate.gxx()) is None:
        return None
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"\d+\.\d+(\.\d+)?", done.stdout.replace("\n", " "))
    if done.returncode or not found:
        return None
    name = "clang++" if "clang" in done.stdout else "g++"
    return CompilerFacts(name=name, version=found[0], path=path)
