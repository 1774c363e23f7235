"""An application that loads plugin libraries in its own way, in a fresh process, and then looks for a creator.

The plugin host (``session.py``) drives a library as a good application would. This one does only what it is told, so
that it shows what happens to applications that open a library in another way, too late, or not at all.

>>> answer = ask([Step("loadLibrary", library)], "ScaleShift", "1", "")
>>> answer.found, answer.said
('/…/libscale_shift.so', ())
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.plugin.build import HostUnavailable, build
from grader.sandbox import Limits, run
from grader.simulator.runtime.build import build_cudart
from grader.toolchain import tensorrt
from grader.verdict import State

SOURCES = Path(__file__).parent / "app"
WAYS = ("dlopen", "loadLibrary", "deregisterLibrary")
_LIMITS = Limits(wall_seconds=20, processes=8)
_PLACE = re.compile(r" In \S+ at \S+:\d+\)$")  # where in NVIDIA's sources; differs from release to release
_NOISE = "catchCudaError"  # the registry's error handling asks CUDA, which has no GPU here


@dataclass(frozen=True)
class Step:
    """``how`` is one of ``WAYS``; deregisterLibrary takes a file that loadLibrary took."""

    how: str
    file: Path | str


@dataclass(frozen=True)
class Done:
    """A step as it went: ``result`` "handle", "null" or "" (none); ``error`` the dynamic linker's words after dlopen;
    ``said`` what the registry told its error recorder meanwhile."""

    how: str
    file: str
    result: str
    error: str
    said: tuple[str, ...]


@dataclass(frozen=True)
class Creator:
    """A creator in the registry; ``file`` is the library that its class comes from."""

    name: str
    version: str
    namespace: str
    file: str


@dataclass(frozen=True)
class Answer:
    """``found``: the library of the creator that the look-up gave; None where it gave none. ``ended``: how the process
    ended where it did not answer ("", a sentence): all else is empty then."""

    found: str | None = None
    said: tuple[str, ...] = ()
    steps: tuple[Done, ...] = ()
    creators: tuple[Creator, ...] = ()  # in the registry before the look-up, TensorRT's own among them
    ended: str = ""


def ask(steps: Sequence[Step], name: str, version: str, namespace: str, *, listens: bool = True) -> Answer:
    """Start a process, do ``steps``, look up the creator. ``listens``: whether it sets an error recorder.

    ``HostUnavailable`` where the registry, the headers or a compiler is missing; never raises for what a library does.
    """
    lean = tensorrt.lean_library()
    if lean is None:
        raise HostUnavailable("NVIDIA's plugin registry is not here: run `grader plugin-lane`.")
    for step in steps:
        if step.how not in WAYS:
            raise ValueError(f"there is no way {step.how!r} to load a library; there are {', '.join(WAYS)}")
    cuda = build_cudart()
    lines = ["listen"] if listens else []
    lines += [f"{step.how}\t{step.file}" for step in steps]
    lines.append("\t".join(("getCreator", name, version, namespace)))
    command = [str(build(SOURCES)), str(lean)]
    reads = [*command, cuda.parent, lean.parent, *(Path(step.file) for step in steps if Path(step.file).exists())]
    outcome = run(command, header={}, payload="\n".join(lines).encode(), limits=_LIMITS, reads=reads,
                  env={"LD_LIBRARY_PATH": os.fspath(cuda.parent)})  # fmt: skip
    reply = outcome.header
    if outcome.state is not State.PASS or reply is None or "problem" in reply:
        return Answer(ended=outcome.message or "The process ended early.")
    done = (
        Done(step.how, os.fspath(step.file), one["result"], one["error"], _words(one["said"]))
        for step, one in zip(steps, reply["steps"], strict=True)
    )
    creators = tuple(Creator(*(part or "" for part in row)) for row in reply["creators"])
    return Answer(reply["found"], _words(reply["said"]), tuple(done), creators)


def _words(said: Sequence[str]) -> tuple[str, ...]:
    return tuple(_PLACE.sub(")", text) for text in said if _NOISE not in text)
