"""What happened in all the rules before: exceptions that escaped, device memory that the host touched."""

from __future__ import annotations

from grader.checks.base import Finding, failed, passed
from grader.checks.conformance.bench import Bench
from grader.checks.conformance.rule import rule
from grader.plugin.session import PluginEnded


@rule(
    "exceptions", group="life", needs=("loads",),
    sentence="No exception leaves a method of the plugin or its creator, whatever it was called with.",
    belief="TensorRT catches what a plugin throws.",
    source="NvInferPluginBase.h, NvInferRuntime.h and NvInferRuntimePlugin.h 10.14: every method is noexcept; C++17, "
    "[except.terminate]: std::terminate() is called",
)  # fmt: skip
def exceptions(bench: Bench, rng) -> Finding:
    return _ended(bench, "exception")


@rule(
    "host-access", group="streams", needs=("loads",),
    sentence="The host never reads or writes device memory: only kernels and CUDA's copies do.",
    belief="A device pointer is a pointer.",
    source="CUDA C++ Programming Guide 13.0, Device Memory",
)  # fmt: skip
def host_access(bench: Bench, rng) -> Finding:
    return _ended(bench, "device")


def _ended(bench: Bench, kind: str) -> Finding:
    ended: PluginEnded | None = next((each for each in bench.ended if each.words.kind == kind), None)
    if ended is None:
        return passed()
    return failed(ended.words.sentence, state=ended.outcome.state, method=ended.method)
