"""Attributes of a plugin that nobody described: what its creator advertises, with values that it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from grader.plugin import life
from grader.plugin.arguments import attribute_fields
from grader.plugin.records import Creator
from grader.plugin.session import OtherFamily, PluginEnded, Session
from grader.plugin.spec_records import Attribute, Spec
from grader.plugin.types import TYPES, field_type
from grader.verdict import State

# Values that many attributes may have, tried one after the other: of whole numbers, and of fractions.
_TRIES = ((1, 1), (2, 2), (0, 0), (1, 0.5), (4, 0.5), (8, 0.25))
_LONGEST = 64  # elements; a plugin may advertise any length
_ERROR = 1  # ILogger::Severity::kERROR
HOW_TO_GO_ON = "`grader plugin spec` begins a spec, in which you say the right values."


@dataclass(frozen=True)
class Guess:
    """``spec``: with attributes, where values were found that ``createPlugin`` takes. ``unmade``: why there are none,
    in a sentence; "" where a plugin was made, or nobody could tell."""

    spec: Spec
    unmade: str = ""


def guess_attributes(start: Callable[[], Session], spec: Spec) -> Guess:
    """Attributes by the names and types that ``getFieldNames`` gives. What was done is said in ``notes``.

    ``start`` gives a plugin process, a new one after ``createPlugin`` has ended one. ``PluginEnded`` where the library
    ends the process before that.
    """
    session, why = start(), ""
    try:
        creator = life.find_creator(session, spec)
        for attributes in _tries(creator):
            guessed = replace(spec, attributes=attributes)
            try:
                plugin = session.create(creator, attribute_fields(guessed))
            except PluginEnded as ended:
                why = ended.words.sentence
                if ended.outcome.state is State.TIMEOUT:
                    break
                session.close()
                session = start()
                creator = life.find_creator(session, spec)
                continue
            if plugin is not None:
                plugin.end()
                return Guess(_told(guessed))
            why = "createPlugin() returned null." + _logged(session)
    except (life.LifeProblem, OtherFamily, ValueError):
        return Guess(spec)  # the rules meet the same, and say it
    finally:
        session.close()
    tried = "values of its attributes that were guessed" if any(_tries(creator)) else "no attributes"
    return Guess(spec, f"{creator.name} cannot be made of {tried}: {why} {HOW_TO_GO_ON}")


def _tries(creator: Creator) -> Iterator[tuple[Attribute, ...]]:
    found = []
    for whole, fraction in _TRIES:
        attributes = tuple(filter(None, (_attribute(each, whole, fraction) for each in creator.fields or ())))
        if attributes not in found:
            found.append(attributes)
    yield from found


def _told(spec: Spec) -> Spec:
    if not spec.attributes:
        return spec
    named = ", ".join(f"{each.name} = {each.value}" for each in spec.attributes)
    return replace(spec, notes=(*spec.notes, f"The values of attributes are guessed: {named}."))


def _logged(session: Session) -> str:
    """The plugin's own last word of an error."""
    errors = [text for severity, text in session.messages if severity <= _ERROR]
    return f" It logged: {errors[-1].strip()[:240]}" if errors else ""


def _attribute(field, whole: int, fraction: float) -> Attribute | None:
    kind = field_type(field.type)
    if not field.name or kind is None or kind == "unknown" or TYPES[kind].dtype is None:
        return None
    if kind == "char":
        return Attribute(field.name, kind, "a")
    if kind == "dims":
        return Attribute(field.name, kind, (whole, whole))
    value = fraction if TYPES[kind].floating else whole
    count = min(field.length, _LONGEST)
    return Attribute(field.name, kind, (value,) * count if count > 1 else value)
