"""Attributes of a plugin that nobody described: what its creator advertises, with values that it takes."""

from __future__ import annotations

from dataclasses import replace

from grader.plugin import life
from grader.plugin.arguments import attribute_fields
from grader.plugin.session import Session
from grader.plugin.spec_records import Attribute, Spec
from grader.plugin.types import TYPES, field_type

# Values that many attributes may have, tried one after the other for all attributes at once.
_TRIES = (1, 2, 0)
_LONGEST = 64  # elements; a plugin may advertise any length


def guess_attributes(session: Session, spec: Spec) -> Spec:
    """The spec with attributes by the names and types that ``getFieldNames`` gives, where ``createPlugin`` takes them.

    Where it takes none of the values that are tried, the spec as it is. What was done is said in ``notes``.
    ``PluginEnded`` where the plugin ends the process.
    """
    try:
        creator = life.find_creator(session, spec)
        for value in _TRIES:
            attributes = tuple(filter(None, (_attribute(each, value) for each in creator.fields or ())))
            guessed = replace(spec, attributes=attributes)
            if attributes and (plugin := session.create(creator, attribute_fields(guessed))) is not None:
                plugin.end()
                named = ", ".join(f"{each.name} = {each.value}" for each in attributes)
                return replace(guessed, notes=(*spec.notes, f"The values of attributes are guessed: {named}."))
    except (life.LifeProblem, ValueError):
        pass  # the rules meet the same, and say it
    return spec


def _attribute(field, value: int) -> Attribute | None:
    kind = field_type(field.type)
    if not field.name or kind is None or kind == "unknown" or TYPES[kind].dtype is None:
        return None
    if kind == "char":
        return Attribute(field.name, kind, "a")
    if kind == "dims":
        return Attribute(field.name, kind, (value, value))
    count = min(field.length, _LONGEST)
    return Attribute(field.name, kind, (value,) * count if count > 1 else value)
