"""override-noexcept: a method that really overrides, and a noexcept function that lets nothing escape."""

from __future__ import annotations

import dataclasses

from grader.checks import Check, Finding, failed, passed
from grader.exercises.host import HostPlan

HARNESS = "override_noexcept.cpp"
VIRTUAL = "C++17 [class.virtual]; TensorRT 10.x NvInferRuntime.h, IPluginV3OneBuild::getWorkspaceSize"
EXCEPT = "C++17 [except.terminate]; every virtual of the TensorRT 10.x plugin interfaces is noexcept"


def _ask(bench, bounds: list[tuple[int, int]]) -> int | Finding:
    """The workspace size that the layer reports for inputs of (min, max) elements."""
    request = "workspace " + " ".join(f"{least} {most}" for least, most in bounds)
    reply = bench.run(HARNESS, request, fields={"bytes": int})
    return reply if isinstance(reply, Finding) else reply["bytes"] % 2**64  # a size_t


def _reaches_host(bench, rng) -> Finding:
    most = int(rng.integers(10, 100))
    got = _ask(bench, [(1, most)])
    if isinstance(got, Finding):
        return got
    if got == 0:
        return failed(
            f"The host asks for the workspace of an input with up to {most} elements and gets 0, the "
            "answer of the base "
            "class: your method has the same name and other parameters, so it hides getWorkspaceSize "
            "and overrides "
            "nothing. Compare the two lines word by word.",
        )
    return passed(f"the host gets an answer of the layer's own: {got} bytes")


def _sized_by_max(bench, rng) -> Finding:
    one = int(rng.integers(2, 50))
    for bounds in ([(one, one)], [(1, int(rng.integers(100, 1_000)))], [(0, 2**32 + 7), (3, 12)]):
        expected = 4 * sum(most for _, most in bounds)
        got = _ask(bench, bounds)
        if isinstance(got, Finding):
            return got
        if got != expected:
            inputs = " and ".join(f"{least} to {most}" for least, most in bounds)
            return failed(
                f"For inputs of {inputs} elements the layer asks for {got} bytes; 4 for each element "
                "of the largest "
                f"case make {expected}. While the host builds, desc.count is -1: only min and max are known.",
                case={"label": f"inputs of {inputs} elements", "got": str(got), "expected": str(expected)},
            )
    return passed("sized for the largest input that can come")


def _says_override(bench, rng) -> Finding:
    """g++ warns of it (-Wsuggest-override); the harness itself overrides nothing."""
    unsaid = [
        d for d in bench.program(HARNESS).diagnostics if "override" in d.message and d.severity == "warning"
    ]
    if not unsaid:
        return passed()
    return failed(
        "A method overrides a virtual one and does not say so. With `override` on it the compiler "
        "tells you on the day "
        "when the base class changes; without, it falls silent.",
        diagnostics=[dataclasses.asdict(d) for d in unsaid],
    )


def _nothing_escapes(bench, rng) -> Finding:
    thrown = {"runtime_error": "a std::runtime_error", "bad_alloc": "a std::bad_alloc", "int": "the int 719"}
    for what, words in thrown.items():
        reply = bench.run(HARNESS, f"enqueue {what}", fields={"status": int, "runs": int})
        if isinstance(reply, Finding):
            return dataclasses.replace(
                reply,
                message=f"runKernels threw {words}, and it left enqueue: a noexcept function that throws "
                f"ends the whole process. {reply.message}",
            )
    return passed("whatever runKernels throws stays inside")


def _reports_failure(bench, rng) -> Finding:
    for what, fails in (("nothing", False), ("runtime_error", True), ("bad_alloc", True)):
        reply = bench.run(HARNESS, f"enqueue {what}", fields={"status": int, "runs": int})
        if isinstance(reply, Finding):
            return reply
        if reply["runs"] != 1:
            return failed(f"enqueue called runKernels {reply['runs']} times; once is needed.")
        if fails and reply["status"] == 0:
            return failed(
                "runKernels threw, and enqueue returned 0: the host takes that for success and uses "
                "the output."
            )
        if not fails and reply["status"] != 0:
            return failed(f"runKernels succeeded, and enqueue returned {reply['status']}; 0 is success.")
    return passed("0 where the kernels started, another status where they did not")


PLAN = HostPlan(
    package="grader.exercises.ch00_warm_up",
    harness=(HARNESS, "layer.h"),
    group="overrides",
    flags=("-Wsuggest-override",),
    checks=(
        Check(
            id="reaches-host",
            misconception="hides-not-overrides",
            group="overrides",
            run=_reaches_host,
            source=VIRTUAL,
            sentence="The host, which knows only Layer, reaches your getWorkspaceSize.",
        ),
        Check(
            id="sized-by-max",
            misconception="size-from-desc",
            group="overrides",
            run=_sized_by_max,
            seeded=True,
            needs=("reaches-host",),
            source="TensorRT 10.x NvInferRuntime.h, DynamicPluginTensorDesc: desc, min, max",
            sentence="The size covers the largest input that can come.",
        ),
        Check(
            id="says-override",
            misconception="override-unsaid",
            group="overrides",
            run=_says_override,
            source=VIRTUAL,
            sentence="Every method that overrides says `override` (g++ -Wsuggest-override).",
        ),
        Check(
            id="nothing-escapes",
            misconception="exception-escapes",
            group="noexcept",
            run=_nothing_escapes,
            source=EXCEPT,
            sentence="Whatever runKernels throws, enqueue returns.",
        ),
        Check(
            id="reports-failure",
            misconception="failure-swallowed",
            group="noexcept",
            run=_reports_failure,
            needs=("nothing-escapes",),
            source="TensorRT 10.x NvInferRuntime.h, enqueue: 0 for success, else non-zero",
            sentence="enqueue returns 0 for success and something else where the kernels did not start.",
        ),
    ),
)
