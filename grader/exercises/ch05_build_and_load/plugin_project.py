"""plugin-project: how a plugin library is built and found; the plugin itself is given."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass

from grader.checks import Check, Finding, failed, passed
from grader.checks.conformance.rules.values import values
from grader.course import Exercise
from grader.exercises.ch05_build_and_load import library_file
from grader.exercises.plugin import PluginPlan, asked
from grader.exercises.submission import supplied_files
from grader.plugin.life import find_creator
from grader.plugin.records import Field
from grader.toolchain import Library
from grader.toolchain.cmake import build_library
from grader.verdict import Diagnostic

TRIPLE = ("ScaleShift", "2", "course.load")  # name, version, namespace
_CHAR = 6  # PluginFieldType::kCHAR
_TARGET = "scale_shift"

# Builds by CMake give every C++ compiler a copy of TensorRT's headers, so that g++ says what a method hides. Here it is
# a part of the answer to say where the headers are. CMake uses what the flags are at the end of the file.
_NO_HEADERS_GIVEN = b"""
string(REGEX REPLACE "-I[^ ]*/headers" "" CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS}")
"""
# They also get CUDAARCHS. Here the project says which GPUs it is for; where it does not, CMake takes nvcc's default, as
# on any other machine. It must come before project(), and must not move the lines that messages name.
_NO_GPUS_GIVEN = b"unset(ENV{CUDAARCHS}) "
_NO_HEADER = "NvInferRuntime.h: No such file"
_SAY_WHERE = (
    "CMakeLists.txt does not say where TensorRT's headers are: find_path() keeps their folder in TENSORRT_INCLUDE, and "
    "the target's include folders need it."
)


@dataclass(frozen=True, kw_only=True)
class ProjectPlan(PluginPlan):
    """The project has to find TensorRT's headers and to name its GPUs by itself, as on any other machine."""

    def build(self, files: Mapping[str, bytes], exercise: Exercise) -> Library | Finding:
        supplied = supplied_files(self.supplied, exercise.chapter)
        if isinstance(supplied, Finding):
            return supplied
        written = files["CMakeLists.txt"]
        project = (_NO_GPUS_GIVEN if written.startswith(b"#") else b"") + written + _NO_HEADERS_GIVEN
        library = build_library(supplied | files | {"CMakeLists.txt": project}, target=_TARGET, strict=self.strict)
        if _NO_HEADER in library.message:
            return _with_the_reason(library)
        if lacking := re.search(r"\bld: cannot find -l([\w.+-]+)", library.log):
            return _without(library, lacking[1], written)
        return library


def _with_the_reason(library: Library) -> Library:
    """Said with the compiler's message, since a panel shows that in the place of the summary."""
    told = [
        dataclasses.replace(each, message=f"{each.message}. {_SAY_WHERE}") if _NO_HEADER in each.message else each
        for each in library.diagnostics
    ]
    return dataclasses.replace(library, message=f"{library.message}. {_SAY_WHERE}", diagnostics=tuple(told))


def _without(library: Library, name: str, project: bytes) -> Library:
    """The build that ended for want of a library, told at the line that names it."""
    lines = enumerate(project.decode(errors="replace").splitlines(), 1)
    line = next((number for number, text in lines if re.search(rf"\b{re.escape(name)}\b", text.split("#")[0])), None)
    message = (
        f"The linker finds no library {name}. The contract asks for CUDA's runtime and the C and C++ libraries alone. "
        "A plugin calls nothing of TensorRT's by name: leave TensorRT out of target_link_libraries()."
    )
    told = Diagnostic(message=message, file="CMakeLists.txt", line=line)
    return dataclasses.replace(library, message=message, diagnostics=(told,))


def _found(bench, rng) -> Finding:
    session = bench.conformance.session()
    if session.look_up(*TRIPLE) is not None:
        return passed()
    there = "; ".join(_triple(each.name, each.version, each.namespace) for each in session.creators())
    return failed(
        f"NVIDIA's registry finds no creator for {_triple(*TRIPLE)}. The library has {there}. All three texts must be "
        "equal, byte by byte."
    )


def _triple(name, version, namespace) -> str:
    return f"name {name!r}, version {version!r}, namespace {namespace!r}"


def _once(bench, rng) -> Finding:
    loaded = bench.conformance.session().loaded
    if not loaded.self_registered:
        if len(loaded.listed or ()) == 1:
            return passed()
        return failed(
            f"getCreators() lists {len(loaded.listed or ())} creators: expected one. A second entry for it adds "
            "nothing, since the registry keeps one for each triple."
        )
    return failed(
        "A creator is in the registry as soon as the library is opened, before anybody asked for getCreators(): "
        "REGISTER_TENSORRT_PLUGIN put it there, always in the namespace ''. loadLibrary() then comes with the list of "
        "getCreators(). Expected one way in: take the macro away."
    )


def _says_why(bench, rng) -> Finding:
    session = bench.conformance.session()
    before = len(session.messages)
    made = session.create(find_creator(session, bench.spec), [Field("scale", _CHAR, 4, b"two\0")])
    if made is not None:
        made.end()
        return failed("createPlugin() took the text 'two' for scale: leave scale_shift.cpp and the kit as they are.")
    if any("scale" in text for _, text in session.messages[before:]):
        return passed()
    return failed(
        "createPlugin() refused the text 'two' for scale, and TensorRT's log says nothing of it: expected the reason "
        "there. TensorRT hands the library the way to its log in setLoggerFinder(); give it to kit::keepLoggerFinder()."
    )


def _runs(bench, rng) -> Finding:
    """Stored in one process, made again and run in another, FP32 and FP16, at several extents."""
    bench.conformance.redraw()
    return values(bench.conformance, rng)


PLAN = ProjectPlan(
    package=__package__, spec="scale_shift.toml", group="build", cmake=True,
    supplied=(
        "scale_shift.h", "scale_shift.cpp", "scale_shift_kernel.h", "scale_shift_kernel.cu",
        "common/fields.h", "common/log.h", "common/status.h",
    ),
    file_checks=library_file.CHECKS,
    rules=(
        *asked(
            "loads", "exports", "creators", "capabilities", "identity", "registry", group="registry",
            own={"loads": "creator-dies", "creators": "wrong-count"},  # why else it does not load, file checks tell
        ),
    ),
    checks=(
        Check(
            id="triple", misconception="name-is-enough", group="registry", run=_found,
            sentence="NVIDIA's registry finds the creator by the name, version and namespace of the contract.",
            source="NvInferRuntimeCommon.h 10.14, IPluginRegistry::getCreator; contract, “who it is”",
        ),
        Check(
            id="once", misconception="twice-is-safer", group="registry", run=_once,
            sentence="The creator gets into the registry once, by loadLibrary().",
            source="NvInferRuntime.h 10.14, PluginRegistrar and REGISTER_TENSORRT_PLUGIN; contract, “registered once”",
        ),
        Check(
            id="log", misconception="logger-unused", group="registry", run=_says_why,
            sentence="When createPlugin() refuses an attribute, the reason is in TensorRT's log.",
            source="NvInferRuntime.h 10.14, ILoggerFinder; contract, “entry points”",
        ),
        Check(
            id="runs", misconception=None, group="runs", run=_runs, seeded=True,
            sentence="A fresh process that loads the library makes the plugin again, which computes the right values.",
            source="NvInferRuntimeCommon.h 10.14, IPluginRegistry::getCreator; contract, “in a fresh process”",
        ),
    ),
)  # fmt: skip
