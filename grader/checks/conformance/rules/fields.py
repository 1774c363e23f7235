"""Attributes: what a creator advertises, and what ``createPlugin`` makes of good and of bad fields.

Field memory is lent (``plugin/host/descriptors.cpp``): to read past its end, or to use it after the call, ends the
process with words that say so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from grader.checks.base import Finding, failed, passed
from grader.checks.conformance.bench import Bench, shown
from grader.checks.conformance.kept import Kept, configured, difference, kept, kept_now, steady
from grader.checks.conformance.rule import rule
from grader.course.table import did_you_mean
from grader.plugin import life
from grader.plugin.arguments import attribute_field, attribute_fields
from grader.plugin.fields import other_value
from grader.plugin.objects import Plugin
from grader.plugin.records import Field
from grader.plugin.session import PluginEnded, Session
from grader.plugin.spec_records import Attribute
from grader.plugin.types import TYPES, rounded

_HUGE = 16 << 20  # bytes: written past an object or a local array, it meets unmapped memory


def _creator(bench: Bench, session: Session | None = None):
    return life.find_creator(session or bench.session(), bench.spec)


def _made(bench: Bench, fields: list[Field] | None, session: Session | None = None) -> Plugin | None:
    session = session or bench.session()
    return session.create(_creator(bench, session), fields)


def _use(plugin: Plugin | None) -> None:
    """A plugin that was made of bad fields after all must still be one: it is cloned, serialized and removed. It is not
    configured, as these fields may not fit the inputs; and V2 plugins need not know what to keep before that."""
    if plugin is not None:
        plugin.clone()
        if plugin.creator.is_v3:
            kept_now(plugin)


@rule(
    "fields-advertised", group="fields", needs=("exports",),
    sentence="getFieldNames() advertises every attribute that createPlugin() reads, and says the same each time.",
    belief="The parser hands over every attribute of the node.",
    source="NvInferRuntime.h 10.14, IPluginCreatorV3One::getFieldNames: the fields that createPlugin() needs for a "
    "build; NVIDIA/TensorRT#1615",
)  # fmt: skip
def fields_advertised(bench: Bench, rng) -> Finding:
    session = bench.session()
    creator = _creator(bench)
    if creator.fields is None:
        return failed("getFieldNames() returns null: return a collection, with nbFields 0 where there are none.")
    names = [each.name for each in creator.fields]
    if None in names:
        return failed(f"Field {names.index(None)} of getFieldNames() has a null name: the parser looks names up.")
    again = [each.name for each in session.creator(creator.number).fields or ()]
    if names != again:
        return failed(
            f"getFieldNames() gives {len(names)} fields at first and {len(again)} when called again: fill the list in "
            f"the constructor."
        )
    missing = [each.name for each in bench.spec.attributes if each.name not in names]
    if missing:
        near = did_you_mean(missing[0], names)
        return failed(
            f"The spec has {shown(missing)}, which getFieldNames() does not advertise{near}. TensorRT's ONNX parser "
            f"passes advertised attributes only and drops the others silently."
        )
    return passed()


@rule(
    "fields-null", group="fields",
    sentence="createPlugin() survives a null collection, an empty one, and fields whose data is null.",
    belief="A field that is there has data.",
    source="Recommended: no document says that data is there, and it is null by default (NvInferPluginBase.h 10.14, "
    "PluginField); who passes on what getFieldNames() gave passes null data, NVIDIA/TensorRT#2302; NVIDIA's "
    "roiAlignPlugin and others do not look",
)  # fmt: skip
def fields_null(bench: Bench, rng) -> Finding:
    """Null or a plugin is right in each case: an attribute without data may count as one that is missing."""
    session = bench.fresh()
    for what, fields in _without_data(bench, session):
        try:
            _use(_made(bench, fields, session))
        except PluginEnded as ended:
            if ended.words.kind != "crash" or ended.method == "getFieldsToSerialize":
                raise
            return failed(
                f"Given {what}, {ended.words.sentence} Compare a pointer with nullptr before you use it.",
                state=ended.outcome.state,
            )
    return passed()


def _without_data(bench: Bench, session: Session) -> Iterator[tuple[str, list[Field] | None]]:
    yield "no fields", []
    if advertised := _creator(bench, session).fields:
        yield "the fields that it advertises, with null data", [replace(each, data=None) for each in advertised]
    fields = attribute_fields(bench.spec)
    for index, field in enumerate(fields):
        for length in dict.fromkeys((field.length, 0)):
            changed = [*fields]
            changed[index] = replace(field, data=None, length=length)
            yield f"null data for {field.name!r}", changed
    yield "a null collection", None


@rule(
    "fields-unknown", group="fields",
    sentence="Fields are found by their names: strangers among them, or another order, change no value.",
    belief="Fields come in the order in which they were advertised.",
    source="NvInferPluginBase.h 10.14, PluginField::name: no order is documented for a build, and TensorRT's ONNX "
    "parser leaves out what a node has not",
)  # fmt: skip
def fields_unknown(bench: Bench, rng) -> Finding:
    """A creator may refuse strangers; if it takes them, they must not matter."""
    fields = attribute_fields(bench.spec)
    if not fields:
        _use(_made(bench, [_stranger("stranger", None)]))
        return passed("The plugin has no attributes.")
    steady(bench)
    right = _kept_of(bench, fields)
    for what, changed in _with_strangers(bench, fields):
        plugin = _made(bench, changed)
        if plugin is None:
            if what == "in another order":
                return failed("createPlugin() refuses the attributes in another order: find each by its name.")
            continue
        if (found := kept(bench, plugin)) != right:
            how = difference(right, found, "is", "becomes")
            return failed(f"With fields {what}, {how}: compare whole names, and do not count on positions.")
    return passed()


def _with_strangers(bench: Bench, fields: list[Field]) -> Iterator[tuple[str, list[Field]]]:
    if len(fields) > 1:
        yield "in another order", fields[::-1]
    first = bench.spec.attributes[0]
    stranger = _stranger("stranger", attribute_field(first, other_value(first)))
    yield "of which the first is unknown", [stranger, *fields]
    yield "of which the last is unknown", [*fields, stranger]
    for each in bench.spec.attributes:
        other = attribute_field(each, other_value(each))
        for name in (each.name + "_", "_" + each.name, each.name[:-1]):
            if name and name not in {field.name for field in fields}:
                yield f"of which one is called {name!r}", [*fields, replace(other, name=name)]


def _stranger(name: str, like: Field | None) -> Field:
    return replace(like, name=name) if like else Field(name, TYPES["int32"].field, 1, bytes(4))


def _kept_of(bench: Bench, fields: list[Field]) -> Kept:
    plugin = _made(bench, fields)
    if plugin is None:
        raise life.LifeProblem("createPlugin", "createPlugin() returned null for the attributes of the spec.")
    return kept(bench, plugin)


# What an attribute's data is passed as, instead.
_WRONG_TYPES = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "char")


@rule(
    "fields-type", group="fields",
    sentence="A field of another type than the attribute's is refused with a null plugin, or means the same value.",
    belief="The data of a field has the type that I expect.",
    source="Recommended: TensorRT's ONNX parser types a field as the node's attribute is typed, so 1 comes as INT32 "
    "where 1.0 comes as FLOAT32; NvInferPluginBase.h 10.14, PluginField::type; NVIDIA/TensorRT#2432",
)  # fmt: skip
def fields_type(bench: Bench, rng) -> Finding:
    steady(bench)
    for attribute in bench.spec.attributes:
        for kind in _WRONG_TYPES:
            if kind == attribute.type or attribute.type in ("unknown", "dims") and kind == "char":
                continue
            try:
                problem = _taken_as(bench, attribute, kind)
            except PluginEnded as ended:
                if ended.words.kind != "past-end":
                    raise
                ending = f"With {attribute.name!r} of type {kind}, {ended.words.sentence}"
                return failed(f"{ending} Look at PluginField::type before you read.", state=ended.outcome.state)
            if problem:
                return failed(problem)
    return passed("" if bench.spec.attributes else "The plugin has no attributes.")


def _taken_as(bench: Bench, attribute: Attribute, kind: str) -> str | None:
    """What is wrong where the attribute is passed as another type: None where it is refused, or means the same."""
    value, wrong = _as_type(attribute, kind)
    plugin = _made(bench, _with(bench, attribute, wrong))
    if plugin is None:
        return None
    if value is not None:
        right = _made(bench, _with(bench, attribute, attribute_field(attribute, value)))
        if right is None or _same(bench, right, plugin):
            return None
    else:
        _use(plugin)
    return (
        f"createPlugin() takes the attribute {attribute.name!r}, a {attribute.type}, as {kind} and makes another value "
        f"of it: look at PluginField::type, and return a null plugin for one that you do not read."
    )


def _same(bench: Bench, first: Plugin, second: Plugin) -> bool:
    return kept_now(configured(bench, first)) == kept_now(configured(bench, second))


def _as_type(attribute: Attribute, kind: str) -> tuple[object, Field]:
    """A value that both types hold (None where there is none), and the field that passes it as ``kind``."""
    if attribute.type in ("char", "dims", "unknown") or kind == "char":
        size = max(1, TYPES[kind].size)
        return None, Field(attribute.name, TYPES[kind].field, 1, bytes(range(1, 1 + size)))
    values = np.atleast_1d(np.asarray(attribute.value, np.float64))
    whole = np.clip(np.rint(values), -100, 100)
    value = tuple(whole.astype(int).tolist()) if isinstance(attribute.value, tuple) else int(whole[0])
    wrong = attribute_field(Attribute(attribute.name, kind, value), value)
    return rounded(np.asarray(value), attribute.type).tolist() if isinstance(value, int) else value, wrong


def _with(bench: Bench, attribute: Attribute, field: Field) -> list[Field]:
    return [field if each.name == attribute.name else each for each in attribute_fields(bench.spec)]


@rule(
    "fields-length", group="fields",
    sentence="createPlugin() reads no more elements than a field has, and keeps no more than there is room for.",
    belief="A field has the number of elements that I expect.",
    source="NvInferPluginBase.h 10.14, PluginField::length: the number of entries. Recommended: a list where one "
    "number is meant is refused, since taking its first hides the mistake",
)  # fmt: skip
def fields_length(bench: Bench, rng) -> Finding:
    """More elements than one for an attribute that the spec gives as one number are refused."""
    session = bench.fresh()
    if _made(bench, attribute_fields(bench.spec), session) is None:
        raise life.LifeProblem("createPlugin", "createPlugin() returned null for the attributes of the spec.")
    for attribute in bench.spec.attributes:
        field = attribute_field(attribute, attribute.value)
        size = len(field.data) // field.length if field.length else 1
        for length in sorted({0, 1, field.length // 2, field.length - 1} - {field.length}):
            if problem := _past_the_end(bench, attribute, _cut(field, size, length), session):
                return problem
        for length in (field.length + 1, max(64, 4 * field.length), _HUGE // size):
            plugin = _made(bench, _with(bench, attribute, _cut(field, size, length)), session)
            _use(plugin)
            if plugin is not None and _is_one_number(bench, attribute):
                return failed(
                    f"createPlugin() takes {length} values for {attribute.name!r}, which is one number: return a null "
                    f"plugin where PluginField::length is not what you read."
                )
    return passed("" if bench.spec.attributes else "The plugin has no attributes.")


def _past_the_end(bench: Bench, attribute: Attribute, field: Field, session: Session) -> Finding | None:
    """What to say where a plugin reads more of a field than it has."""
    try:
        _use(_made(bench, _with(bench, attribute, field), session))
    except PluginEnded as ended:
        if ended.words.kind != "past-end":
            raise
        return failed(
            f"With {attribute.name!r} of length {field.length}, {ended.words.sentence} Look at PluginField::length "
            f"before you read, and return a null plugin where it is not what you need.",
            state=ended.outcome.state,
        )
    return None


def _is_one_number(bench: Bench, attribute: Attribute) -> bool:
    """Whether the user said so; where attributes are guessed, a list may be legal."""
    return not bench.guessed and isinstance(attribute.value, (int, float))


def _cut(field: Field, size: int, length: int) -> Field:
    """The field with so many elements, the first ones repeated."""
    data = (field.data or b"\0") * (1 + size * length // max(1, len(field.data or b"\0")))
    return replace(field, length=length, data=data[: size * length])


@rule(
    "fields-lifetime", group="fields", needs=("creators", "capabilities"),
    sentence="Whatever a plugin needs of its fields it copies: their memory is gone when createPlugin() returns.",
    belief="The parser keeps the attributes alive as long as the network.",
    source="NvInferRuntime.h 10.14, IPluginCreatorV3One::createPlugin: it does not say that fields live longer than "
    "the call, and in TensorRT's ONNX parser they do not; NVIDIA/TensorRT#1595 (suspected)",
)  # fmt: skip
def fields_lifetime(bench: Bench, rng) -> Finding:
    """Runs after the others and looks at what they met, too: any method may be the first to use such memory."""
    from grader.checks.conformance.owners import field_memory

    plugin = bench.plugin()
    kept(bench, plugin)
    plugin.identity()
    for ended in bench.ended:
        if field_memory(ended):
            return failed(ended.words.sentence)
    return passed()


@rule(
    "fields-per-object", group="fields",
    sentence="Two plugins with different attributes keep their own, whoever was created last and whoever is gone.",
    belief="There is one layer of this kind, so a static variable can hold its attributes.",
    source="NvInfer.h 10.14, INetworkDefinition::addPluginV3: a plugin for each layer; "
    "NVIDIA/retinanet-examples#136 (a static value that models share)",
)  # fmt: skip
def fields_per_object(bench: Bench, rng) -> Finding:
    """Each plugin is asked once, since what it serializes may grow with each call: that is another rule."""
    steady(bench)
    control, bare = kept_now(configured(bench, bench.plugin())), _without_attributes(bench)
    for attribute in bench.spec.attributes:
        changed = _with(bench, attribute, attribute_field(attribute, other_value(attribute)))
        for gone in (False, True):
            first = bench.plugin()
            second = _made(bench, changed)
            if second is None:  # a value that the grader made up may not be legal
                break
            kept_now(configured(bench, second))
            if gone:
                second.end()
            if (after := kept_now(configured(bench, first))) != control:
                return failed(
                    f"After a second plugin {'is gone' if gone else 'was created'}, {difference(control, after)} in "
                    f"the first: attributes belong into members, not into static variables or the creator."
                )
    if (after := _without_attributes(bench)) != bare:
        return failed(
            f"A plugin that is created without attributes differs once others were created: {difference(bare, after)}. "
            f"Begin each createPlugin() with the defaults."
        )
    return passed("" if bench.spec.attributes else "The plugin has no attributes.")


def _without_attributes(bench: Bench) -> Kept:
    plugin = _made(bench, [])
    if plugin is None:
        return Kept()
    return kept_now(plugin if plugin.creator.is_v3 else configured(bench, plugin))
