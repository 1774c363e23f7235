"""The rules as a page, which is a checklist to print.

python -m grader.checks.conformance.page > docs/plugin_rules.md
"""

from __future__ import annotations

from grader.checks.conformance import rules as _rules  # noqa: F401  (fills RULES)
from grader.checks.conformance.owners import BASIS, FOUNDATION, LAST, needs_of
from grader.checks.conformance.rule import GROUPS, RULES, Rule

_HEAD = """# The rules of plugins

What `grader plugin conform` asks of a plugin library, by theme: a checklist to print. Each rule has what it demands,
the mistaken belief behind most failures, its source, and the rules that it waits for. Made by
`python -m grader.checks.conformance.page`; the plugins that show each rule to work stand in
[plugin_defects.md](plugin_defects.md).

- **L0** needs no kernels; **L1** runs them, on the simulated GPU or on a real one. Rules marked *not on a GPU* look at
  what only a simulated one can tell. **V3** is about `IPluginV3` alone, **V2** about `IPluginV2DynamicExt` alone.
- Where a source says *recommended*, no document demands it: it says why good plugins do it all the same. NVIDIA's own
  do not always. It fails like any other.
- With `IPluginV2DynamicExt`, read getOutputDimensions for getOutputShapes, getOutputDataType for getOutputDataTypes,
  configurePlugin without wildcards for onShapeChange, serialize for getFieldsToSerialize.
- A rule that waits for one which failed is not run, so that one mistake makes one failure. All but those of the first
  theme wait for {basis}; those of L1 wait for the *foundation* besides: {foundation}.
  Last come {last}: they look at what happened in all the others, too.
"""

# What a document says and no rule checks: the subject, where it says so, why it is not checked.
UNCHECKED = (
    ("IPluginV2's methods and its creator's are called from several threads, where several devices build networks",
     "NvInferRuntimePlugin.h",
     "`threads` runs two contexts at once, shape changes and enqueue alone; races elsewhere do not show each time"),
    ("IPluginResource: clone() is thread-safe, release() leaves it clonable, each acquire has its release",
     "NvInferPluginBase.h, NvInferRuntimeCommon.h",
     "NVIDIA's registry keeps them here too, and does not say how many are held; memory that stays shows in `leaks`"),
    ("Each profile has its configurePlugin and its onShapeChange at the usual extents; one workspace serves all",
     "NvInferRuntime.h, IPluginV3OneBuild and IPluginV3OneRuntime",
     "a spec has one profile; but a plugin is configured several times, and contexts change their shapes"),
    ("onShapeChange is timing critical", "NvInferRuntime.h, IPluginV3OneRuntime::onShapeChange",
     "a simulated GPU says nothing about time"),
    ("A timing cache id tells apart plugins whose attributes make them faster or slower",
     "NvInferRuntime.h, IPluginV3OneBuild::getTimingCacheID",
     "only the author knows which attributes do; other tactics under the same id are found"),
    ("clone() and createPlugin() return null when they fail", "NvInferPluginBase.h, NvInferRuntime.h",
     "running out of host memory is not provoked; a launch that fails is"),
    ("A plugin without inputs gives its outputs kFLOAT", "NvInferRuntime.h, IPluginV3OneBuild::getOutputDataTypes",
     "a spec has inputs"),
    ("IPluginV2::getOutputDimensions gives Dims{-1}, getOutputDataType kFLOAT for an output that does not exist",
     "NvInferRuntimePlugin.h", "TensorRT asks for outputs that exist"),
    ("attachToContext of V2 is called again when a context is given other memory, and gets handles of cuDNN and cuBLAS "
     "where these are switched on", "NvInferRuntimePlugin.h, IPluginV2Ext::attachToContext",
     "it is called once for each context, with null for both, as is the default"),
    ("PluginTensorDesc::scale of INT8 tensors", "NvInferRuntimePlugin.h",
     "implicit quantization ends with TensorRT 10; scale is always -1 here, and INT8 values are whole numbers"),
    ("FP8, INT4 and FP4 tensors", "NvInferRuntimeBase.h, DataType",
     "FP8 is offered in format negotiation and not run; the others are not offered"),
    ("An input that is shared by two plugins, or is not shallow copyable, must not be aliased",
     "NvInferRuntime.h, IPluginV3OneBuildV2::getAliasedInput", "it concerns the network around a plugin"),
    ("findLogger() is called from the thread that called the plugin", "NvInferRuntime.h, ILoggerFinder",
     "the logger here serves every thread"),
    ("A context's error recorder", "NvInferRuntime.h, IPluginResourceContext::getErrorRecorder",
     "it is null here, as where the application sets none"),
    ("A library is deregistered when no engine uses it any more",
     "NvInferRuntimeCommon.h, IPluginRegistry::deregisterLibrary", "it concerns the application"),
    ("All plugins of a library have one namespace", "NvInferRuntimePlugin.h, IPluginV2::setPluginNamespace",
     "the header says “ideally”"),
    ("Extents are 64 bits wide", "NvInferRuntimeBase.h, Dims64",
     "tensors of more than 2^31 elements do not fit the simulated GPU, so products that overflow 32 bits are not met"),
    ("IPluginV2, IPluginV2Ext and IPluginV2IOExt", "NvInferRuntimePlugin.h",
     "they are for fixed shapes, and deprecated for longer than IPluginV2DynamicExt"),
)  # fmt: skip


def markdown() -> str:
    """The whole page."""
    return "\n".join([*_head(), *_groups(), *_unchecked()])


def _head() -> list[str]:
    shown = {"basis": BASIS, "foundation": FOUNDATION, "last": LAST}
    return [_HEAD.format(**{name: _codes(ids) for name, ids in shown.items()})]


def _groups() -> list[str]:
    lines = []
    for group, title in GROUPS.items():
        lines += [f"## {title}", ""]
        for each in _in_order([each for each in RULES.values() if each.group == group]):
            lines += [*_entry(each), ""]
    return lines


def _in_order(rules: list[Rule]) -> list[Rule]:
    """Each behind those that it waits for."""
    ordered: list[Rule] = []

    def place(each: Rule) -> None:
        for other in rules:
            if other.id in needs_of(each):
                place(other)
        if each not in ordered:
            ordered.append(each)

    for each in rules:
        place(each)
    return ordered


def _entry(each: Rule) -> list[str]:
    marks = [each.level, *filter(None, [each.family])]
    if each.level == "L1" and not each.on_gpu:
        marks.append("not on a GPU")
    rows = [f"- [ ] **`{each.id}`** ({', '.join(marks)}) {each.sentence}", f"  - Belief: “{each.belief}”"]
    rows.append(f"  - Source: {each.source}.".replace("*", r"\*"))
    if waits := _waits(each):
        rows.append(f"  - Waits for: {waits}.")
    return rows


def _waits(each: Rule) -> str:
    """What is special about a rule: what all of its level wait for is said at the head of the page."""
    needs, foundation = needs_of(each), set(FOUNDATION) - {each.id}
    said = set() if each.group == "library" or each.id in LAST else set(BASIS)
    built_on = foundation <= set(needs)
    names = [f"`{id}`" for id in needs if id not in said and not (built_on and id in foundation)]
    if built_on and (each.level == "L0" or each.id in LAST):
        names.insert(0, "the foundation")
    return ", ".join(names)


def _unchecked() -> list[str]:
    rows = [f"| {what} | {where} | {why} |" for what, where, why in UNCHECKED]
    head = ["## What no rule checks", "", "Documented in the headers of TensorRT 10.14, and why it is left out.", "",
            "| what | where it stands | why not |", "|---|---|---|"]  # fmt: skip
    return [*head, *rows, ""]


def _codes(ids: tuple[str, ...]) -> str:
    *first, last = (f"`{id}`" for id in ids)
    return f"{', '.join(first)} and {last}"


if __name__ == "__main__":
    print(markdown(), end="")
