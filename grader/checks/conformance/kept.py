"""What a plan would keep of a plugin, in a form that can be compared: fields of a V3 plugin, the blob of a V2 one."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.checks.conformance.bench import Bench
from grader.plugin import life
from grader.plugin.life import LifeProblem, Stored
from grader.plugin.objects import Plugin
from grader.plugin.records import Field
from grader.plugin.session import PluginEnded
from grader.plugin.types import DIMS, TYPES, field_type, unpack


@dataclass(frozen=True)
class Kept:
    """``fields`` are in the plugin's order; ``blob`` is None for V3."""

    fields: tuple[Field, ...] = ()
    blob: bytes | None = None

    @property
    def comparable(self) -> object:
        """Equal for what is equal to a plugin: the order of fields, and what ``Dims`` holds past its rank, are not."""
        return sorted((f.name or "", f.type, f.length, _significant(f) or b"") for f in self.fields), self.blob

    def __eq__(self, other) -> bool:
        return isinstance(other, Kept) and self.comparable == other.comparable


def kept(bench: Bench, plugin: Plugin) -> Kept:
    """What it would keep now: configured first, as it always is before, where the spec says for which inputs.

    ``LifeProblem`` where a phase before fails, or what comes cannot be kept.
    """
    return kept_in(life.build(plugin, bench.spec)) if bench.spec.tensors else kept_now(plugin)


def configured(bench: Bench, plugin: Plugin) -> Plugin:
    """The plugin as it is when TensorRT serializes it, as far as it can be configured; another rule says why it cannot.

    Before, a plugin need not know what to keep: QKVToContextPluginDynamic of NVIDIA's plugin library asserts that it
    was configured (getSerializationSize, TensorRT 8.2 to 10).
    """
    if bench.spec.tensors:
        with suppress(LifeProblem):
            life.build(plugin, bench.spec)
    return plugin


def rebuilt_for_runtime(bench: Bench) -> Plugin | None:
    """A plugin as a runtime has it; None where it cannot be had, which the rules of serialization look at."""
    try:
        plugin = bench.plugin()
        return rebuild(bench, plugin, kept_now(configured(bench, plugin)))
    except LifeProblem:
        return None
    except PluginEnded as ended:
        bench.ended.append(ended)
        return None


def kept_in(stored: Stored) -> Kept:
    return checked(Kept(stored.fields or (), stored.blob))


def takes_types(bench: Bench, changed: Mapping[str, Any]) -> bool:
    """Whether a plugin with these attributes changed accepts the types of the spec: an attribute may name the types, as
    ``type_id`` of many plugins does, and such a plugin is not built."""
    if not changed or not bench.spec.tensors:
        return True
    try:
        life.build(bench.plugin(changed=changed), bench.spec)
    except LifeProblem as problem:
        return problem.method != "supportsFormatCombination"
    return True


def kept_now(plugin: Plugin) -> Kept:
    """The same of a plugin that is configured, or rebuilt, already."""
    if not plugin.creator.is_v3:
        return Kept(blob=plugin.serialize()[1])
    fields = plugin.serialized()
    if fields is None:
        raise LifeProblem("getFieldsToSerialize", "getFieldsToSerialize() returned null.")
    return checked(Kept(fields))


def checked(found: Kept) -> Kept:
    for each in found.fields:
        if each.problem is not None:
            raise LifeProblem(
                "getFieldsToSerialize",
                f"getFieldsToSerialize() gives the field {each.name!r} a {each.problem} that makes no sense: type "
                f"{each.type}, length {each.length}.",
            )
        if each.data is None and each.length:
            raise LifeProblem(
                "getFieldsToSerialize",
                f"getFieldsToSerialize() gives the field {each.name!r} null data and the length {each.length}.",
            )
    return found


def steady(bench: Bench) -> None:
    """``LifeProblem`` where plugins of the same attributes keep different things: then nothing can be compared."""
    first, second = bench.once("steady", lambda: [kept_now(configured(bench, bench.plugin())) for _ in range(2)])
    if first != second:
        raise LifeProblem(
            "getFieldsToSerialize",
            f"Two plugins of the same attributes serialize different things: {difference(first, second)}.",
        )


def end_two(bench: Bench) -> None:
    """Removes a plugin and its clone in a process of their own: ``PluginEnded`` where both free the same memory, which
    is another rule's than a list that points into the other's."""
    with bench.fresh(None) as session:
        original = bench.plugin(session)
        clone = original.clone()
        original.end()
        clone.end()


def rebuild(bench: Bench, plugin: Plugin, found: Kept) -> Plugin:
    """The plugin as a runtime makes it from what was kept, in the same process. ``LifeProblem("revive", …)``."""
    session, creator = plugin.session, plugin.creator
    if found.blob is not None:
        made, method = session.deserialize(creator, found.blob), "deserializePlugin"
    else:
        made, method = session.create(creator, found.fields, 1), "createPlugin"
    if made is None:
        raise LifeProblem("revive", f"{method}() returned null for what the plugin itself had serialized.")
    return made


def difference(first: Kept, second: Kept, was: str = "was", now: str = "is") -> str:
    """How two kept states differ, in words: "the field 'scale' was 2.0 and is 1.0"."""
    if first.blob is not None or second.blob is not None:
        one, two = first.blob or b"", second.blob or b""
        if len(one) != len(two):
            return f"the blob {was} {len(one)} bytes long and {now} {len(two)}"
        at = next((i for i in range(len(one)) if one[i] != two[i]), 0)
        return f"byte {at} of the blob {was} {one[at]:#04x} and {now} {two[at]:#04x}"
    names = dict.fromkeys(f.name for f in (*first.fields, *second.fields))
    for name in names:
        one, two = (tuple(f for f in each.fields if f.name == name) for each in (first, second))
        if Kept(one) != Kept(two):
            return f"the field {name!r} {was} {_text(one)} and {now} {_text(two)}"
    return "nothing differs"


def _text(fields: tuple[Field, ...]) -> str:
    return " and ".join(map(value_text, fields)) or "missing"


def value_text(field: Field) -> str:
    """The value of a field for people: "2.0", "[1, 2, 3]", "5 bytes"."""
    kind = field_type(field.type)
    if field.data is None:
        return "without data"
    if kind == "char":
        return repr(field.data.rstrip(b"\0").decode("utf-8", "replace"))
    if kind in (None, "unknown", "dims") or TYPES[kind].dtype is None:
        return f"{len(field.data)} bytes of type {kind or field.type}"
    values = unpack(field.data, kind, (-1,)).tolist()
    shown = values[0] if len(values) == 1 else values[:8]
    more = f" and {len(values) - 8} more" if len(values) > 8 else ""
    return f"{shown}{more} ({kind})"


def _significant(field: Field) -> bytes | None:
    """The data without what ``Dims`` leaves unused: extents past the rank, and padding."""
    if field.data is None or field_type(field.type) != "dims" or len(field.data) % DIMS.itemsize:
        return field.data
    rows = np.frombuffer(field.data, DIMS)
    return b"".join(bytes(row["rank"]) + row["extents"][: max(0, min(8, int(row["rank"])))].tobytes() for row in rows)
