"""Asks the plugin registry of TensorRT 11 what it makes of a library that was built with the headers of TensorRT 10.

The course's own registry is that of 10.16. A second one, of the next major version, tells early what a move to 11
brings: the registry's virtual table is another there (11.0 removed four of its methods), so that a library that
registers itself with code of 10.x headers crashes, while one that exports ``getCreators`` and ``setLoggerFinder``
loads. All happens in a child; a crash there is an answer.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from grader.plugin.build import HostUnavailable, build
from grader.sandbox import Limits, run
from grader.simulator.records import DeviceError
from grader.simulator.runtime.build import build_cudart
from grader.toolchain import tensorrt
from grader.toolchain.elf import ElfError, read_elf
from grader.toolchain.standins import stand_ins
from grader.verdict import State

SOURCES = Path(__file__).parent / "registry11"
_LIMITS = Limits(wall_seconds=20, processes=8)
_STEPS = {
    "load": "loaded the library with loadLibrary",
    "look": "looked why the library did not load",
    "creators": "asked a creator for its name, its fields and a plugin",
}
_REBUILD = (
    "A library that registers itself (REGISTER_TENSORRT_PLUGIN) calls the registry by the layout of the headers that"
    " it was built with, and TensorRT 11 has another: build it with the headers of TensorRT 11, or export getCreators"
    " and setLoggerFinder instead and let the application load it with loadLibrary."
)


_LAYOUT = (
    " TensorRT 11.0 gave ILogger and ILoggerFinder another layout: a library that logs must be built with its headers."
)
_LINK = (
    "a process of TensorRT 11 has libnvinfer.so.11 instead. Build it against TensorRT 11; or do not link it with"
    " TensorRT at all, since a plugin needs nothing of it but getPluginRegistry, which the application has."
)


@dataclass(frozen=True)
class Creator:
    """One creator as the registry of TensorRT 11 holds it."""

    interface: str  # "PLUGIN CREATOR_V3ONE 1.0"
    name: str | None
    version: str | None
    namespace: str | None
    fields: tuple[tuple[str | None, int, int], ...] | None  # name, PluginFieldType, length
    found: bool  # getCreator(name, version, namespace) gives this creator
    creates: bool  # createPlugin with no fields gives a plugin; a creator may rightly refuse


@dataclass(frozen=True)
class Answer:
    """``PASS``: the library loads and each creator is found. Else the sentence says what went wrong."""

    state: State
    sentence: str = ""
    tensorrt: str = ""  # "11.4.0"
    creators: tuple[Creator, ...] = ()


def ask(library: Path, *, lean: Path | None = None, limits: Limits = _LIMITS) -> Answer:
    """Load ``library`` through ``loadLibrary`` of TensorRT 11 in a child. Never raises for what the library does."""
    lean = lean or tensorrt.lean_library(11)
    if lean is None:
        return Answer(State.UNSUPPORTED_HERE, "The registry of TensorRT 11.4 is not here: run `grader plugin-lane`.")
    try:
        program, cuda = build(SOURCES), build_cudart()
    except (HostUnavailable, DeviceError) as error:
        return Answer(error.state, error.sentence)
    if linked := _linked_with_another(library):
        return Answer(State.FAIL, f"The library is linked with {linked}: {_LINK}")
    # CUDA's runtime, and what else the library is linked with, is found where the plugin host finds it.
    folders = [*filter(None, (cuda.parent, stand_ins(library)))]
    command = [str(program), str(lean), str(Path(library).absolute())]
    paths = {"LD_LIBRARY_PATH": os.pathsep.join(map(str, folders))}
    outcome = run(command, header={}, limits=limits, env=paths, reads=[*command, *folders, lean.parent])
    said = outcome.header or {}
    if "problem" in said:
        return Answer(State.GRADER_FAULT, f"The registry of TensorRT 11.4 does not work here: {said['problem']}.")
    if "loaded" not in said:
        step = _STEPS.get(said.get("step", ""), "started")
        state = State.ERROR if outcome.state is State.PASS else outcome.state
        if (said.get("step"), state) == ("load", State.CRASH):
            return Answer(state, f"TensorRT 11.4 crashes as it loads the library ({outcome.signal}). {_REBUILD}")
        because = _LAYOUT if state is State.CRASH else ""
        ended = outcome.message or "ended early"
        return Answer(state, f"The process that {step} under TensorRT 11.4 {ended}.{because}")
    version = said["tensorrt"]
    release = f"{version // 10000}.{version // 100 % 100}.{version % 100}"
    if not said["loaded"]:
        return Answer(State.FAIL, _why_not(said), release)
    creators = tuple(map(_creator, said["creators"]))
    lost = next((creator for creator in creators if not creator.found), None)
    if lost:
        return Answer(State.FAIL, f"TensorRT {release} does not find the creator {lost.name} again.", release, creators)
    return Answer(State.PASS, "", release, creators)


def _linked_with_another(library: Path) -> str | None:
    """The library of another TensorRT that this one needs, "libnvinfer.so.10"."""
    try:
        needed = read_elf(library).needed
    except ElfError:
        return None  # the loader says what is wrong
    return next((name for name in needed if re.match(r"libnvinfer\w*\.so\.(?!11\b)\d+", name)), None)


def remark(library: Path) -> str:
    """What a report says of the step to TensorRT 11; "" where its registry is not here, or takes the library."""
    answer = ask(library, limits=Limits(wall_seconds=5, processes=8))
    if answer.state in (State.UNSUPPORTED_HERE, State.GRADER_FAULT, State.PASS):
        return ""
    return f"On the way to TensorRT 11: {answer.sentence}"


def _why_not(said: dict) -> str:
    """Why ``loadLibrary`` gave null, from what the library exports: the registry's own words go to a logger."""
    if error := said["error"]:
        return f"The library does not load: {error}."
    missing = [name for name in ("getCreators", "setLoggerFinder") if not said[name]]
    if missing:
        return (
            f"TensorRT 11 loads a plugin library only if it exports {' and '.join(missing)}: add it as an"
            ' extern "C" function that the linker keeps visible.'
        )
    return (
        "TensorRT 11 refused the library though it exports getCreators and setLoggerFinder: getCreators must give at"
        " least one creator, and none may be registered under the same name, version and namespace already."
    )


def _creator(said: dict) -> Creator:
    fields = said.get("fields")
    return Creator(
        interface=said["interface"],
        name=said.get("name"),
        version=said.get("version"),
        namespace=said.get("namespace"),
        fields=None if fields is None else tuple((name, kind, length) for name, kind, length in fields),
        found=said.get("found", True),  # of a kind that this program cannot name, nothing is known to be wrong
        creates=said.get("creates", False),
    )
