"""What a plugin and its creator are called, and which capabilities it hands out."""

from __future__ import annotations

from grader.checks.base import Finding, failed, passed
from grader.checks.conformance.bench import Bench
from grader.checks.conformance.kept import rebuilt_for_runtime
from grader.checks.conformance.rule import rule
from grader.plugin import life
from grader.plugin.objects import BUILD, CORE, RUNTIME, Plugin
from grader.plugin.records import Creator

LONGEST = 1024  # bytes with the NUL
PARTS = ("name", "version", "namespace")
_EXPECTED = {
    CORE: ("PLUGIN_V3ONE_CORE", (1,)),
    BUILD: ("PLUGIN_V3ONE_BUILD", (1, 2)),
    RUNTIME: ("PLUGIN_V3ONE_RUNTIME", (1,)),
}
_NAMES = {CORE: "kCORE", BUILD: "kBUILD", RUNTIME: "kRUNTIME"}


@rule(
    "identity", group="library", needs=("creators", "capabilities"),
    sentence="Name, version and namespace are texts of at most 1023 bytes, the same in creator and plugins.",
    belief="The name only matters when the plugin is created.",
    source="NvInferRuntime.h 10.14, IPluginV3OneCore and IPluginCreatorV3One; NvInferRuntimePlugin.h 10.14, IPluginV2 "
    "and IPluginCreator: 1024 bytes with the NUL, and a plugin says what its creator says",
)  # fmt: skip
def identity(bench: Bench, rng) -> Finding:
    session = bench.session()
    for creator in session.creators():
        if problem := _unusable("The creator", _triple(creator)):
            return failed(problem)
    creator = life.find_creator(session, bench.spec)
    again = session.creator(creator.number)
    if _triple(creator) != _triple(again):
        return failed(_differ("The creator", _triple(again), "at first", _triple(creator)))
    plugin = bench.plugin()
    for what, each in _relatives(bench, plugin):
        said = each.identity()
        if problem := _unusable(what, said):
            return failed(problem)
        if said != _triple(creator):
            return failed(_differ(what, said, "its creator", _triple(creator)))
    return passed() if creator.is_v3 else _given_namespace(bench.plugin())


def _triple(creator: Creator) -> tuple[str | None, str | None, str | None]:
    return creator.name, creator.version, creator.namespace


def _relatives(bench: Bench, plugin: Plugin):
    """The plugin twice and all that comes of it; what cannot be had is left to the rules that own that."""
    yield "The plugin", plugin
    yield "The plugin, asked again,", plugin
    if (clone := plugin.clone()) is not None:
        yield "The clone", clone
    if (rebuilt := rebuilt_for_runtime(bench)) is None:
        return
    yield "The plugin rebuilt for the runtime" if plugin.creator.is_v3 else "The deserialized plugin", rebuilt
    if (context := rebuilt.attach()) is not None:
        yield "The plugin attached to a context", context


def _unusable(who: str, triple) -> str | None:
    for part, text in zip(PARTS, triple, strict=True):
        if text is None:
            return f'{who} returns a null pointer for its {part}: return a text, "" where there is none.'
        if len(text.encode()) >= LONGEST:
            return f"{who} returns a {part} of {len(text.encode())} bytes: TensorRT allows {LONGEST - 1} and the NUL."
    return None


def _differ(who: str, said, other: str, expected) -> str:
    for part, mine, theirs in zip(PARTS, said, expected, strict=True):
        if mine != theirs:
            return f"{who} says the {part} {mine!r}, and {other} {theirs!r}: a plan is loaded by what its plugin says."
    raise AssertionError("they do not differ")


def _given_namespace(plugin: Plugin) -> Finding:
    """V2: a plugin keeps the namespace that it is given, and hands it to its clones."""
    given = "course.namespace"
    plugin.set_namespace(given)
    clone = plugin.clone()
    for what, each in (("The plugin", plugin), ("A clone", clone)):
        if each is not None and (said := each.identity()[2]) != given:
            return failed(
                f"{what} says the namespace {said!r} after setPluginNamespace({given!r}): a plan would be looked up "
                f"in the wrong namespace."
            )
    return passed()


@rule(
    "capabilities", group="library", needs=("creators",), family="V3",
    sentence="getCapabilityInterface() gives core, build and runtime, each what was asked for, every time.",
    belief="One object that has all the methods may be returned for any capability, by any cast.",
    source="NvInferPluginBase.h 10.14, IPluginV3::getCapabilityInterface and clone, PluginCapabilityType",
)  # fmt: skip
def capabilities(bench: Bench, rng) -> Finding:
    """The header says nothing of other values than the three, so nothing is asked for those."""
    plugin = bench.plugin()
    if problem := _wrong_capabilities(plugin, "A plugin created for the build", (CORE, BUILD, RUNTIME)):
        return failed(problem)
    if (clone := plugin.clone()) is not None:
        if problem := _wrong_capabilities(clone, "A clone", (CORE, BUILD, RUNTIME)):
            return failed(problem)
    if (rebuilt := rebuilt_for_runtime(bench)) is not None:
        if problem := _wrong_capabilities(rebuilt, "A plugin created for the runtime", (CORE, RUNTIME)):
            return failed(problem)
    return passed()


def _wrong_capabilities(plugin: Plugin, who: str, wanted: tuple[int, ...]) -> str | None:
    for kind in wanted:
        name = _NAMES[kind]
        found = plugin.capability(kind)
        if found is None:
            return f"{who} returns null for {name}: TensorRT needs {', '.join(_NAMES[each] for each in wanted)} of it."
        expected, majors = _EXPECTED[kind]
        if found.kind != expected or found.major not in majors:
            return (
                f"{who} returns an interface {found.kind!r} {found.major}.{found.minor} for {name}, where it must be "
                f"{expected!r}: cast with static_cast to the interface of that capability."
            )
        if plugin.capability(kind) != found:
            return f"{who} returns another {name} at each call: return the plugin itself, or a part of it."
    return None
