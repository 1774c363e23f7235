"""Loading, exported entry points, creators, identity, NVIDIA's registry."""

from __future__ import annotations

from grader.checks.base import Finding, failed, passed
from grader.checks.conformance.bench import Bench
from grader.checks.conformance.rule import rule
from grader.plugin import life

LONGEST = 1024  # bytes with the NUL: NvInferRuntimePlugin.h 10.14, IPluginV2::getPluginType and the V3 core's methods


@rule(
    "loads", group="library",
    sentence="The library loads in a fresh process, with every symbol found.",
    belief="If it links, it loads.",
    source="dlopen(3); NVIDIA/TensorRT#1913",
)  # fmt: skip
def loads(bench: Bench, rng) -> Finding:
    error = bench.session().loaded.error
    return passed() if error is None else failed(f"The dynamic linker refuses the library: {error}.")


@rule(
    "creators", group="library", needs=("loads",),
    sentence="The library has creators: getCreators() lists them all, none is null, and it says the same each time.",
    belief="A creator that exists in the library is found.",
    source="NvInferRuntimeCommon.h 10.14, IPluginRegistry::loadLibrary; NVIDIA/TensorRT#4121",
)  # fmt: skip
def creators(bench: Bench, rng) -> Finding:
    loaded = bench.session().loaded
    if loaded.listed is not None:
        if None in loaded.listed or loaded.count != len(loaded.listed):
            return failed(
                f"getCreators() says {loaded.count} creators and lists a null pointer among them, or no array."
            )
    if not loaded.listed and not loaded.self_registered:
        return failed("The library has no creator: getCreators() lists none, and none registers itself.")
    life.find_creator(bench.session(), bench.spec)
    return passed()
