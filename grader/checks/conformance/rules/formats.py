"""Format combinations: what a plugin says it takes, and whether it says so as TensorRT asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.checks.base import Finding, failed, passed
from grader.checks.conformance.bench import Bench
from grader.checks.conformance.rule import rule
from grader.plugin import life
from grader.plugin.arguments import at_build
from grader.plugin.layouts import candidates
from grader.plugin.objects import Plugin
from grader.plugin.records import LINEAR, Descriptor
from grader.plugin.spec_records import FORMATS, Combination
from grader.plugin.types import TYPES, tensor_type

MOST = 1000  # combinations that are looked at
HEADER = "NvInferRuntime.h 10.14, IPluginV3OneBuild::supportsFormatCombination"
FORBIDDEN = ("bool", "uint8")
# What may stand behind the position that is asked for: two that are legal elsewhere, two that are nothing at all.
BEHIND = (
    (TYPES["float32"].tensor, LINEAR),
    (TYPES["float16"].tensor, FORMATS.index("hwc8")),
    (-1, -1),
    (0x5A5A5A5A, 0x5A5A5A5A),
)
Pairs = tuple[tuple[int, int], ...]  # (type, format) of each position


@dataclass(frozen=True)
class Question:
    """What a plugin is asked about: descriptors of all tensors, how many are inputs, what each may be offered."""

    tensors: tuple[Descriptor, ...]
    inputs: int
    offered: list[list[tuple[int, int]]]

    def search(self, plugin: Plugin, behind: tuple[int, int] | None = None) -> list[Pairs]:
        return plugin.combinations(self.tensors, self.inputs, self.offered, MOST, behind)[0]


def question(bench: Bench, plugin: Plugin, extra: Sequence[str] = ()) -> Question:
    """``extra``: linear types that are offered too."""
    combination = life.with_outputs(plugin, bench.spec, bench.spec.combinations()[0])
    tensors = at_build(bench.spec, combination, life.output_shapes(plugin, bench.spec))
    offered = []
    for tensor in tensors.all:
        pairs = [*candidates(len(tensor.dims)), *((kind, "linear") for kind in extra)]
        offered.append([(TYPES[kind].tensor, FORMATS.index(layout)) for kind, layout in pairs])
    return Question(tensors.all, len(tensors.inputs), offered)


def accepted(bench: Bench) -> list[Combination]:
    """The complete combinations that the plugin accepts of those that TensorRT documents."""

    def search() -> list[Combination]:
        plugin = bench.plugin()
        found = question(bench, plugin).search(plugin)
        plugin.end()
        return [_combination(pairs) for pairs in found]

    return bench.once("accepted", search)


@rule(
    "formats-complete", group="formats", wants=("spec",),
    sentence="supportsFormatCombination() accepts at least one complete combination, and each that the spec names.",
    belief="A combination that supportsFormatCombination() does not mention is still offered.",
    source=f"{HEADER}; NVIDIA/TensorRT#1315, #2812",
)  # fmt: skip
def formats_complete(bench: Bench, rng) -> Finding:
    plugin = bench.plugin()
    asked = question(bench, plugin)
    if not asked.search(plugin):
        return failed(
            "supportsFormatCombination() accepts no complete combination of the types and formats that TensorRT "
            "offers: a build ends with “could not find any supported formats consistent with input/output data types”."
        )
    for wanted in bench.spec.combinations():
        wanted = life.with_outputs(plugin, bench.spec, wanted)
        rows = _as(asked.tensors, wanted)
        for position in range(len(rows)):
            if not plugin.supports(position, rows, asked.inputs):
                return failed(
                    f"supportsFormatCombination() refuses position {position} ({_at(bench, position, asked.inputs)}) "
                    f"of {text(wanted)}, which the spec says the plugin takes."
                )
    plugin.end()
    return passed(f"It accepts {len(accepted(bench))} combinations.", combinations=len(accepted(bench)))


@rule(
    "formats-deterministic", group="formats", wants=("spec",), needs=("formats-complete",),
    sentence="supportsFormatCombination() gives the same answers each time: in any order, after configurePlugin(), and "
    "for another plugin of the same attributes.",
    belief="What was configured last may decide what is accepted now.",
    source=f"{HEADER}: the decision is based on inOut[0..pos] only",
)  # fmt: skip
def formats_deterministic(bench: Bench, rng) -> Finding:
    plugin, other = bench.plugin(), bench.plugin()
    asked = question(bench, plugin)
    first = asked.search(plugin)
    if problem := _changed(first, asked.search(plugin), "the second time"):
        return failed(problem)
    for combination in map(_combination, dict.fromkeys((first[-1], first[0]))):
        tensors = at_build(bench.spec, combination, life.output_shapes(plugin, bench.spec))
        plugin.configure(tensors.inputs, tensors.outputs)
        problem = _changed(first, asked.search(plugin), f"after configurePlugin() with {text(combination)}")
        if problem:
            return failed(problem)
    for combination in map(_combination, first[:20]):
        rows = _as(asked.tensors, combination)
        for position in reversed(range(len(rows))):
            if not plugin.supports(position, rows, asked.inputs):
                return failed(
                    f"supportsFormatCombination() accepts {text(combination)} position by position, and refuses "
                    f"position {position} of it where that is asked for first: decide by inOut alone, not by what was "
                    "asked before."
                )
    if problem := _changed(first, asked.search(other), "for a second plugin of the same attributes"):
        return failed(problem)
    plugin.end()
    other.end()
    return passed()


@rule(
    "formats-peek", group="formats", wants=("spec",), needs=("formats-complete",),
    sentence="For a position, supportsFormatCombination() looks at that entry and those in front of it, never behind.",
    belief="All entries of inOut hold what they will be, whatever position is asked for.",
    source=f"{HEADER}: entries behind pos have invalid values",
)  # fmt: skip
def formats_peek(bench: Bench, rng) -> Finding:
    plugin = bench.plugin()
    asked = question(bench, plugin)
    found = [asked.search(plugin, behind) for behind in BEHIND]
    for behind, other in zip(BEHIND[1:], found[1:], strict=True):
        if other != found[0]:
            lost = next(iter(set(found[0]) ^ set(other)), None)
            what = text(_combination(lost)) if lost else "a combination"
            return failed(
                f"Whether supportsFormatCombination() accepts {what} depends on what stands behind the position that "
                f"is asked for ({_pair(BEHIND[0])} there, or {_pair(behind)}). TensorRT has not filled in those "
                "entries yet: decide by inOut[0] to inOut[pos] alone."
            )
    plugin.end()
    return passed()


@rule(
    "formats-limit", group="formats", family="V3", wants=("spec",), needs=("formats-complete",),
    sentence="getFormatCombinationLimit() leaves room for a combination, and says the same each time.",
    belief="A limit of 0 means no limit.",
    source="NvInferRuntime.h 10.14, IPluginV3OneBuild::getFormatCombinationLimit and getValidTactics (the timing loop)",
)  # fmt: skip
def formats_limit(bench: Bench, rng) -> Finding:
    plugin = bench.plugin()
    limit, again = plugin.format_limit(), plugin.format_limit()
    plugin.end()
    if limit < 1:
        return failed(
            f"getFormatCombinationLimit() returns {limit}: TensorRT stops before the first combination. Leave the "
            "method out (the default is 100), or return how many combinations are worth timing."
        )
    if limit != again:
        return failed(f"getFormatCombinationLimit() returns {limit}, then {again}.")
    count = len(accepted(bench))
    more = f" Of {count} accepted combinations TensorRT looks at {limit}." if count > limit else ""
    return passed(more.strip(), limit=limit, combinations=count)


@rule(
    "formats-bool", group="formats", wants=("spec",), needs=("formats-complete",),
    sentence="BOOL and UINT8 are refused: no tensor of a plugin may have these types.",
    belief="A mask comes as BOOL, an image as UINT8.",
    source="NvInferRuntimePlugin.h 10.14, PluginTensorDesc::type and NvInferRuntime.h 10.14, "
    "IPluginV3OneBuild::getOutputDataTypes (warnings); NVIDIA/TensorRT#630, #4282. Recommended: the header's example "
    "of a plugin for any type takes these too",
)  # fmt: skip
def formats_bool(bench: Bench, rng) -> Finding:
    plugin = bench.plugin()
    asked = question(bench, plugin, FORBIDDEN)
    numbers = {TYPES[name].tensor: name for name in FORBIDDEN}
    for wanted in bench.spec.combinations():
        rows = _as(asked.tensors, life.with_outputs(plugin, bench.spec, wanted))
        for position in range(len(rows)):
            for number, name in numbers.items():
                tried = list(rows)
                tried[position] = _with(rows[position], number, LINEAR)
                if plugin.supports(position, tried, asked.inputs):
                    return failed(
                        f"supportsFormatCombination() accepts {name.upper()} for {_at(bench, position, asked.inputs)}. "
                        "TensorRT supports neither BOOL nor UINT8 in plugins: refuse them, and cast in the network "
                        "(a BOOL mask to INT32 or INT8, for example)."
                    )
        _, types = plugin.output_types([row.type for row in rows[: asked.inputs]], len(rows) - asked.inputs)
        for index, number in enumerate(types):
            if number in numbers:
                return failed(
                    f"getOutputDataTypes() returns {numbers[number].upper()} for output {index}, which no output of a "
                    "plugin may have."
                )
    plugin.end()
    return passed()


def text(combination: Combination) -> str:
    """For messages: "float32 linear, float16 hwc8"."""
    return ", ".join(f"{k} {f}" for k, f in zip(combination.types, combination.formats, strict=True))


def _combination(pairs: Pairs) -> Combination:
    types = tuple(tensor_type(kind) or str(kind) for kind, _ in pairs)
    return Combination(types, tuple(FORMATS[layout] for _, layout in pairs))


def _changed(first: list[Pairs], now: list[Pairs], when: str) -> str | None:
    gone = [pairs for pairs in first if pairs not in now]
    new = [pairs for pairs in now if pairs not in first]
    if not gone and not new:
        return None
    verb, pairs = ("refuses", gone[0]) if gone else ("accepts", new[0])
    before = "accepted" if gone else "refused"
    return f"supportsFormatCombination() {verb} {text(_combination(pairs))} {when}, which it {before} before."


def _as(tensors: Sequence[Descriptor], combination: Combination) -> list[Descriptor]:
    pairs = zip(combination.types, combination.formats, strict=True)
    numbers = [(TYPES[kind].tensor, FORMATS.index(layout)) for kind, layout in pairs]
    return [_with(row, kind, layout) for row, (kind, layout) in zip(tensors, numbers, strict=True)]


def _with(row: Descriptor, kind: int, layout: int) -> Descriptor:
    return Descriptor(kind, row.dims, layout, row.min, row.opt, row.max)


def _at(bench: Bench, position: int, inputs: int) -> str:
    """What a position is: "input mask", "output 0"."""
    if position < inputs:
        return f"input {bench.spec.tensors[position].name}"
    outputs = bench.spec.outputs
    index = position - inputs
    return f"output {outputs[index].name if index < len(outputs) else index}"


def _pair(pair: tuple[int, int]) -> str:
    kind, layout = pair
    return f"{tensor_type(kind)} {FORMATS[layout]}" if tensor_type(kind) else "values that are no type and no format"
