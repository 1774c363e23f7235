"""header-traps: three classes on TensorRT's real headers, with what the compiler refuses and what it lets pass."""

from __future__ import annotations

import dataclasses
import math
import re

from grader.checks import Check, Finding, failed, passed
from grader.checks.beliefs import BeliefCheck
from grader.exercises.host import HostBench, HostPlan, compile_finding
from grader.verdict import State

SCRATCH, TUNED, ROWS = "scratch_build.cpp", "tuned_runtime.cpp", "rows_runtime.cpp"
VIRTUAL = "C++17 [class.virtual]; TensorRT 10.14, NvInferRuntime.h"
EXCEPT = "C++17 [except.spec]; TensorRT 10.14: every virtual of the plugin interfaces is noexcept"
NONSENSE = "The program's report makes no sense: leave its output alone."
WIDE = 2**16  # two extents of this size have a product of more than 31 bits
DIMS = "TensorRT 10.14, NvInferRuntimeBase.h, Dims64::d: int64_t"


# What the compiler refuses


def _refused(program) -> Finding:
    """What g++ said, and of the two errors that the chapter is about what they mean."""
    errors = [d for d in program.diagnostics if d.severity == "error"]
    loose = next((d for d in errors if "exception specification" in d.message), None)
    lone = next((d for d in errors if re.search(r"marked .override., but does not override", d.message)), None)
    if loose is not None:
        why = (
            "a method overrides one that is noexcept and does not say so. Every virtual of TensorRT's plugin "
            "interfaces is noexcept; write it before override, and let no exception out of the method."
        )
    elif lone is not None:
        name = re.search(r"(\w+)\(", lone.message)
        why = (
            "override does its work: no base class has a virtual function of this name with these parameters and "
            "this const. What TensorRT calls is another function. Compare every word with "
            f"`declarations(\"{name[1] if name else '...'}\")`."
        )
    else:
        return compile_finding(program)
    one = loose or lone
    told = [dataclasses.asdict(d) for d in program.diagnostics]
    return failed(f"{one.file}, line {one.line}: {why}", diagnostics=told, no_belief=loose is None)


# scratch_build.h


def _scratch_compiles(bench, rng) -> Finding:
    program = bench.program(SCRATCH)
    if program.state is State.PASS:
        return passed(diagnostics=[dataclasses.asdict(d) for d in program.diagnostics])
    return _refused(program)


def _workspace(bench: HostBench, shapes: list[list[int]]) -> list[int] | Finding:
    """The bytes that TensorRT is told for inputs of at most these extents."""
    reply = bench.run(SCRATCH, " ".join(["workspace", *map(_asked, shapes)]), fields={"bytes": str})
    if isinstance(reply, Finding):
        return reply
    told = reply["bytes"].split()
    if len(told) != len(shapes) or not all(map(str.isdecimal, told)):
        return failed(NONSENSE, state=State.ERROR)
    return [int(number) for number in told]


def _workspace_reached(bench, rng) -> Finding:
    most = [int(e) for e in rng.integers(2, 20, 2)]
    got = _workspace(bench, [most])
    if isinstance(got, Finding):
        return got
    if got[0] == 0:
        return failed(
            f"TensorRT asks IPluginV3OneBuild for the workspace of an input of up to {_shape(most)} and gets 0, the "
            "base class's answer. Your getWorkspaceSize has other parameters, or another const, and is a function of "
            "its own. Compare it with `declarations(\"IPluginV3OneBuild::getWorkspaceSize\")`, and write override."
        )
    return passed(f"TensorRT gets an answer of the class's own: {got[0]} bytes")


def _workspace_covers(bench, rng) -> Finding:
    drawn = [[int(e) for e in rng.integers(2, 90, rank)] for rank in (1, 3, 4)]
    shapes = [[5], *drawn, [1, 1, 1, 1, 1, 1, 2, 3], [70_000, 70_000], [2**32 + 9], [4, 0, 6]]
    told = _workspace(bench, shapes)
    if isinstance(told, Finding):
        return told
    for most, got in zip(shapes, told, strict=True):
        expected = 4 * math.prod(most)
        if got != expected:
            return failed(
                f"For an input of up to {_shape(most)} the class asks for {got} bytes; 4 for each element make "
                f"{expected}. {_why(most, got)}",
                case={"label": f"max = {_shape(most)}", "got": str(got), "expected": str(expected)},
                no_belief=max(most) >= WIDE,
            )
    return passed("enough for the largest input, and no more")


def _why(most: list[int], got: int) -> str:
    """What may have given this number: the harness sets opt to the half of max, rounded up, and desc.dims to -1."""
    if max(most) >= WIDE:
        return "Extents are 64 bits wide, and so must be what their product is kept in."
    if got == 4 * math.prod((extent + 1) // 2 for extent in most):
        return "That is enough for opt, the shape that TensorRT tunes for. Larger ones come: look at max."
    return "While TensorRT builds, desc.dims has -1 in place of what varies: max tells the most that can come."


def _cache_id(bench, rng) -> Finding:
    reply = bench.run(SCRATCH, "cache", fields={"null": int, "id": str})
    if isinstance(reply, Finding):
        return reply
    if reply["null"]:
        return failed(
            "TensorRT asks IPluginV3OneBuild for the timing cache ID and gets nullptr, the base class's answer: the "
            "plugin is never found in a timing cache. Your getTimingCacheID is a function of its own. Compare it "
            "word by word with `declarations(\"getTimingCacheID\")`, and write override."
        )
    if not reply["id"]:
        return failed("getTimingCacheID returns an empty text: something that names the plugin's settings is needed.")
    return passed(f"“{reply['id'][:60]}”")


# tuned_runtime.h


def _tuned_compiles(bench, rng) -> Finding:
    program = bench.program(TUNED)
    if program.state is State.PASS:
        return passed()
    return _refused(program)


def _tactic_reached(bench, rng) -> Finding:
    told = [2, 1, 0, 2, *(int(t) for t in rng.integers(0, 3, 3))]
    reply = _tuned(bench, [(-1, 0), *((t, 0) for t in told)])
    if isinstance(reply, Finding):
        return reply
    if reply["set"]:
        return failed(
            "setTactic returned something else than 0. To TensorRT that is a failure, and it gives the engine up."
        )
    versions = reply["versions"].split()
    if versions == [str(t) for t in (0, *told)]:
        return passed("the version that TensorRT chose is the one that runs")
    at = next(i for i, (v, t) in enumerate(zip(versions, (0, *told), strict=True)) if v != str(t))
    if at == 0:
        return failed(f"Before anything is chosen, enqueue launched version {versions[0]}; 0 is the default.")
    ran = "launched nothing" if versions[at] == "-1" else f"launched version {versions[at]}"
    return failed(
        f"TensorRT called setTactic({told[at - 1]}) through IPluginV3OneRuntime, and enqueue {ran}. If your method is "
        "not the one that TensorRT calls, compare its name and parameters with `declarations(\"setTactic\")`, and "
        "write override."
    )


def _status(bench, rng) -> Finding:
    answers = [int(rng.integers(2, 900)), 0, 1]
    reply = _tuned(bench, [(1, answer) for answer in answers])
    if isinstance(reply, Finding):
        return reply
    for answer, status in zip(answers, reply["statuses"].split(), strict=True):
        if (status == "0") != (answer == 0):
            return failed(
                f"launchScale returned {answer}, and enqueue returned {status}: 0 is success, all else failure."
            )
    if reply["launches"] != len(answers):
        return failed(f"{len(answers)} calls of enqueue made {reply['launches']} launches; one each is needed.")
    return passed("enqueue says how the launch went")


def _tuned(bench: HostBench, steps) -> dict | Finding:
    request = " ".join(f"{tactic} {answer}" for tactic, answer in steps)
    fields = {"set": int, "launches": int, "versions": str, "statuses": str}
    reply = bench.run(TUNED, request, fields=fields)
    if isinstance(reply, Finding):
        return reply
    told = reply["versions"].split(), reply["statuses"].split()
    return reply if all(len(one) == len(steps) for one in told) else failed(NONSENSE, state=State.ERROR)


# rows_runtime.h


def _rows_compiles(bench, rng) -> Finding:
    program = bench.program(ROWS)
    return passed() if program.state is State.PASS else _refused(program)


def _extents(bench, rng) -> Finding:
    drawn = [[int(e) for e in rng.integers(2, 9, rank)] for rank in (2, 3, 5, 8)]
    return _seen(bench, [[6, 4], [5], [2, 3, 5], *drawn, [3, 0, 4], [0, 2]], (
        "Dims holds extents of 64 bits. Read as int, they are halves: the extent, then 0, then the next one."
    ))  # fmt: skip


def _wide(bench, rng) -> Finding:
    large = [[3, 70_000, 70_000], [2**31 + int(rng.integers(1, 99)), 3], [1, 2**32 + 5]]
    return _seen(bench, large, "A product of extents, and an extent itself, can need more than 31 bits: int64_t.")


def _seen(bench: HostBench, shapes: list[list[int]], why: str) -> Finding:
    request = " ".join(map(_asked, shapes))
    reply = bench.run(ROWS, request, fields={"status": int, "seen": str})
    if isinstance(reply, Finding):
        return reply
    if reply["status"]:
        return failed("onShapeChange or enqueue returned something else than 0 for a shape that is fine.")
    numbers = reply["seen"].split()
    if len(numbers) != 2 * len(shapes):
        return failed(NONSENSE, state=State.ERROR)
    for shape, *got in zip(shapes, numbers[::2], numbers[1::2], strict=False):
        expected = [str(shape[0]), str(math.prod(shape[1:]))]
        if got != expected:
            return failed(
                f"For an input of {_shape(shape)} enqueue launched {got[0]} rows of {got[1]} columns; {expected[0]} "
                f"rows of {expected[1]} are right. {why}",
                case={"label": _shape(shape), "got": " × ".join(got), "expected": " × ".join(expected)},
            )
    return passed(f"right for {len(shapes)} shapes")


def _asked(extents: list[int]) -> str:
    return f"{len(extents)} {' '.join(map(str, extents))}"


def _shape(extents: list[int]) -> str:
    return " × ".join(f"{e:,}" for e in extents) if len(extents) > 1 else f"{extents[0]:,} elements"


# all three


def _says_override(bench, rng) -> Finding:
    """g++ warns of it (-Wsuggest-override); the harnesses override nothing."""
    programs = [bench.program(name) for name in (SCRATCH, TUNED, ROWS)]
    unsaid = [d for p in programs for d in p.diagnostics if "override" in d.message and d.severity == "warning"]
    if not unsaid:
        return passed()
    return failed(
        f"{unsaid[0].file}, line {unsaid[0].line}: a method overrides a virtual one and does not say so. It is right "
        "today; with override on it the compiler tells you when the next version changes the base.",
        diagnostics=[dataclasses.asdict(d) for d in dict.fromkeys(unsaid)],
    )


class HeaderPlan(HostPlan):
    """With the first check, which is about one of three files, told in the words of this exercise."""

    def all_checks(self) -> tuple[Check, ...]:
        compiles, *others = super().all_checks()
        return dataclasses.replace(compiles, sentence="scratch_build.h compiles.", run=_scratch_compiles), *others


PLAN = HeaderPlan(
    package=__package__,
    harness=(SCRATCH, TUNED, ROWS),
    group="scratch",
    tensorrt=True,
    supplied=("launch.h",),
    flags=("-Wsuggest-override",),
    checks=(
        Check(
            id="workspace-reached", misconception="v2-parameters", group="scratch", run=_workspace_reached,
            source=VIRTUAL,
            sentence="TensorRT, which knows IPluginV3OneBuild only, reaches your getWorkspaceSize.",
        ),
        BeliefCheck(
            id="workspace-covers", misconception="size-from-desc", group="scratch", run=_workspace_covers, seeded=True,
            needs=("workspace-reached",), source="contract: workspace",
            sentence="The workspace covers the largest input that can come.",
        ),
        Check(
            id="cache-id-reached", misconception="const-is-harmless", group="scratch", run=_cache_id, source=VIRTUAL,
            sentence="TensorRT reaches your getTimingCacheID.",
        ),
        BeliefCheck(
            id="tuned-compiles", misconception="noexcept-optional", group="tuned", run=_tuned_compiles, source=EXCEPT,
            sentence="tuned_runtime.h compiles: its methods are noexcept, as those of the base class are.",
        ),
        Check(
            id="tactic-reached", misconception="name-by-ear", group="tuned", run=_tactic_reached, seeded=True,
            needs=("tuned-compiles",), source=VIRTUAL,
            sentence="The version that TensorRT chooses is the one that enqueue launches.",
        ),
        Check(
            id="status", misconception="failure-swallowed", group="tuned", run=_status, needs=("tuned-compiles",),
            source="contract: status", sentence="enqueue launches once and passes on how it went.",
        ),
        Check(
            id="rows-compiles", misconception=None, group="rows", run=_rows_compiles, source="contract: files",
            sentence="rows_runtime.h compiles.",
        ),
        Check(
            id="extents", misconception="dims-are-int", group="rows", run=_extents, seeded=True,
            needs=("rows-compiles",), source=DIMS, sentence="Rows and columns are those of the input.",
        ),
        Check(
            id="wide", misconception="product-in-int", group="rows", run=_wide, seeded=True, needs=("extents",),
            source=DIMS, sentence="They are right beyond 2³¹ as well.",
        ),
        Check(
            id="says-override", misconception="override-is-decoration", group="override", run=_says_override,
            needs=("tuned-compiles", "rows-compiles"), source=VIRTUAL,
            sentence="Every method that overrides says override (g++ -Wsuggest-override).",
        ),
    ),
)  # fmt: skip
