"""The documented life of a plugin, phase by phase, as TensorRT 10.14's headers order it.

``build`` does what a builder does with one format combination, and ends with what a plan stores. ``revive`` does what a
runtime does with that, in the same process or, as it should, in a new one. Only partial orders are documented, so
this is one legal order of calls, not the order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grader.plugin.arguments import at_build, at_run, attribute_fields, bindings, shape_symbols, symbols
from grader.plugin.inputs import extents_at
from grader.plugin.objects import LifeProblem, Plugin
from grader.plugin.records import Creator, Field, Shapes
from grader.plugin.session import RUNTIME, Session
from grader.plugin.spec_records import Combination, Spec
from grader.plugin.types import tensor_type

MOST_WORKSPACE = 1 << 40  # bytes; more is no size but a mistake
TOO_MUCH = "it was computed from extents of -1, which desc.dims holds for unknown ones, or it overflowed. Use max."


@dataclass(frozen=True)
class Stored:
    """What a plan keeps of a plugin: fields (V3) or a blob (V2), the tactic, the creator's triple, the workspace."""

    name: str
    version: str
    namespace: str
    fields: tuple[Field, ...] | None
    blob: bytes | None
    tactic: int
    workspace: int  # bytes
    combination: Combination
    shapes: Shapes
    tactics: tuple[int, ...] = ()  # all that the plugin advertises for this combination


def find_creator(session: Session, spec: Spec) -> Creator:
    """The creator that the spec names, else the library's only one."""
    creators = session.creators()
    if spec.name is not None:
        creators = tuple(c for c in creators if c.name == spec.name)
    if not creators:
        wanted = f"named {spec.name}" if spec.name else "in it"
        raise LifeProblem("getCreators", f"The library has no creator {wanted}.")
    exact = [c for c in creators if (c.version, c.namespace) == (spec.version, spec.namespace)]
    of_version = [c for c in creators if c.version == spec.version]
    return (exact or of_version or creators)[0]


def create(session: Session, spec: Spec, changed: Mapping[str, Any] | None = None) -> Plugin:
    """A plugin for a network, made with the spec's attributes."""
    plugin = session.create(find_creator(session, spec), attribute_fields(spec, changed))
    if plugin is None:
        raise LifeProblem("createPlugin", f"createPlugin() returned null for {_given(spec, changed or {})}.")
    return plugin


def _given(spec: Spec, changed: Mapping[str, Any]) -> str:
    """The attributes for people: "scale = 2.0 (float32), shift = 0.25 (float32)"."""
    values = {each.name: changed.get(each.name, each.value) for each in spec.attributes}
    shown = [f"{each.name} = {str(values[each.name])[:40]} ({each.type})" for each in spec.attributes]
    return ", ".join(shown) or "a network's node without attributes"


def output_shapes(plugin: Plugin, spec: Spec) -> Shapes:
    """The outputs' shapes over unknown extents."""
    shapes = plugin.output_shapes(symbols(spec), plugin.output_count(), shape_symbols(spec))
    if shapes.status != 0:
        raise LifeProblem("getOutputShapes", f"getOutputShapes() returned {shapes.status}.")
    if spec.outputs and len(shapes.outputs) != len(spec.outputs):
        sentence = f"getNbOutputs() returned {len(shapes.outputs)}; the spec has {len(spec.outputs)} outputs."
        raise LifeProblem("getNbOutputs", sentence)
    if any(row is None or None in row for row in shapes.outputs):
        raise LifeProblem("getOutputShapes", "getOutputShapes() left an output's shape, or an extent of it, out.")
    for which in ("min", "opt", "max"):
        known = bindings(spec, extents_at(spec, which))
        for index in range(len(shapes.outputs)):
            extents = shapes.extents(index, known)
            if not all(each is not None and 0 <= each < 1 << 40 for each in extents):
                raise LifeProblem("getOutputShapes", f"getOutputShapes() gives output {index} a shape that is none.")
    return shapes


def with_outputs(plugin: Plugin, spec: Spec, combination: Combination) -> Combination:
    """The combination with the outputs' types as the plugin says them, where the spec names no outputs; linear."""
    count = len(spec.tensors)
    if len(combination.types) > count:
        return combination
    inputs = combination.types[:count]
    status, types = plugin.output_types([_number(name) for name in inputs], plugin.output_count())
    if status != 0:
        raise LifeProblem("getOutputDataTypes", f"getOutputDataTypes() returned {status}.")
    names = tuple(tensor_type(kind) or "float32" for kind in types)
    return Combination((*inputs, *names), ("linear",) * (count + len(names)))


def build(
    plugin: Plugin, spec: Spec, combination: Combination | None = None, tactic: int | None = None,
    fixed: Mapping[str, int] | None = None,
) -> Stored:  # fmt: skip
    """What a builder does with one format combination. ``tactic`` None: the plugin's first, 0 where it has none.
    ``fixed``: the extents of a network that has no unknown ones."""
    combination = with_outputs(plugin, spec, combination or spec.combinations()[0])
    plugin.output_types([_number(name) for name in combination.types[: len(spec.tensors)]], plugin.output_count())
    shapes = output_shapes(plugin, spec)
    if len(shapes.outputs) != (said := len(combination.types) - len(spec.tensors)):
        raise LifeProblem("getNbOutputs", f"getNbOutputs() returned {said}, and asked again {len(shapes.outputs)}.")
    tensors = at_build(spec, combination, shapes, fixed)
    for position in range(len(tensors.all)):
        if not plugin.supports(position, tensors.all, len(tensors.inputs)):
            layouts = ", ".join(f"{k} {f}" for k, f in zip(combination.types, combination.formats, strict=True))
            raise LifeProblem(
                "supportsFormatCombination", f"supportsFormatCombination() refuses position {position} of {layouts}."
            )
    configure(plugin, spec, combination, shapes, fixed)
    is_v3 = plugin.creator.is_v3
    workspace = asked_workspace(plugin, spec, combination, shapes, fixed)
    if workspace > MOST_WORKSPACE:
        raise LifeProblem("getWorkspaceSize", f"getWorkspaceSize() asks for {workspace} bytes: {TOO_MUCH}")
    tactics = tuple(plugin.tactics()[2]) if is_v3 else ()
    if tactic is None:
        tactic = next(iter(tactics), 0)
    if is_v3:
        plugin.timing_cache_id()
        fields, blob = plugin.serialized(), None
        if fields is None:
            raise LifeProblem("getFieldsToSerialize", "getFieldsToSerialize() returned null.")
    else:
        fields, blob = None, plugin.serialize()[1]
        plugin.terminate()
    name, version, namespace = plugin.identity()
    return Stored(
        name or "", version or "", namespace or "", fields, blob, tactic, workspace, combination, shapes, tactics
    )  # fmt: skip


def configure(
    plugin: Plugin, spec: Spec, combination: Combination, shapes: Shapes, fixed: Mapping[str, int] | None = None
) -> None:
    """Up to where a builder asks for the workspace. With V2 the build phase of ``configurePlugin`` ends there, and the
    plugin becomes an engine's: ``initialize``, and ``configurePlugin`` at the usual extents."""
    tensors = at_build(spec, combination, shapes, fixed)
    if status := plugin.configure(tensors.inputs, tensors.outputs):
        raise LifeProblem("configurePlugin", f"configurePlugin() returned {status} for -1 with the profile's bounds.")
    if plugin.creator.is_v3:
        return
    if status := plugin.initialize():
        raise LifeProblem("initialize", f"initialize() returned {status}: 0 says that all is well.")
    usual = at_run(spec, combination, shapes, fixed or extents_at(spec, "opt"))
    plugin.configure(usual.inputs, usual.outputs)


def asked_workspace(
    plugin: Plugin, spec: Spec, combination: Combination, shapes: Shapes, fixed: Mapping[str, int] | None = None
) -> int:
    """Bytes that a plugin wants once it is configured, V2 once it is initialised too (NvInferRuntimePlugin.h 10.14,
    IPluginV2::getWorkspaceSize). V2 sees no bounds: it is asked at the largest extents."""
    if plugin.creator.is_v3:
        tensors = at_build(spec, combination, shapes, fixed)
    else:
        tensors = at_run(spec, combination, shapes, fixed or extents_at(spec, "max"))
    return plugin.workspace_size(tensors.inputs, tensors.outputs)


def revive(session: Session, stored: Stored) -> Plugin:
    """What a runtime does with a plan: look the creator up, rebuild the plugin, set the tactic; initialise V2."""
    number = session.look_up(stored.name, stored.version, stored.namespace)
    if number is None:
        triple = f"{stored.name!r}, version {stored.version!r}, namespace {stored.namespace!r}"
        raise LifeProblem("getCreator", f"The registry of a new process finds no creator for {triple}.")
    creator = session.creator(number)
    if stored.fields is not None:
        plugin = session.create(creator, stored.fields, RUNTIME)
        method = "createPlugin"
    else:
        plugin = session.deserialize(creator, stored.blob or b"")
        method = "deserializePlugin"
    if plugin is None:
        raise LifeProblem("revive", f"{method}() returned null for what the plugin itself had serialized.")
    if stored.fields is not None:
        if status := plugin.set_tactic(stored.tactic):
            raise LifeProblem("setTactic", f"setTactic({stored.tactic}) returned {status}.")
    elif status := plugin.initialize():
        raise LifeProblem("initialize", f"initialize() returned {status} after deserialization.")
    return plugin


def attach(plugin: Plugin) -> Plugin:
    """The plugin of one execution context."""
    context = plugin.attach()
    method = "attachToContext" if plugin.creator.is_v3 else "clone"
    if context is None:
        raise LifeProblem(method, f"{method}() returned null.")
    if context.address == plugin.address:
        context.forget()
        raise LifeProblem(method, f"{method}() returned the object itself: each context needs one of its own.")
    return context


def end(context: Plugin | None, plugin: Plugin) -> None:
    """Tear both down, in the documented order."""
    if context is not None and not context.ended:
        if not context.creator.is_v3:
            context.detach()
        context.end()
    if not plugin.ended:
        if not plugin.creator.is_v3:
            plugin.terminate()
        plugin.end()


def _number(name: str) -> int:
    from grader.plugin.types import TYPES

    return TYPES[name].tensor
