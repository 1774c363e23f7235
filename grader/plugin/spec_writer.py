"""A spec to begin with, written from what a library says and from what its plugin was found to take.

It is TOML that ``load_spec`` reads. What is guessed is said in a comment; what only a person can know is left open.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from grader.plugin import life
from grader.plugin.arguments import attribute_fields
from grader.plugin.guess import Guess, guess_attributes
from grader.plugin.guess_inputs import guess_inputs
from grader.plugin.records import Creator, Shapes
from grader.plugin.session import HostProblem, PluginEnded, Session
from grader.plugin.spec_records import Combination, Extent, Spec
from grader.plugin.types import TYPES, field_type

_OTHER_PLUGINS = "# The library has more plugins, each with a spec of its own: {}."
_REFERENCE = """
# What is right, without which no results are judged. In reference.py, beside this file:
#
#     import numpy as np
#     def reference(inputs, attributes):   # NumPy arrays; a dictionary
#         return [...]                     # an array for each output; compute in float64
#
# [reference]
# file = "reference.py"
"""


@dataclass(frozen=True)
class Guessed:
    """``spec`` with inputs; ``combination`` and ``shapes``: what the plugin makes of them first."""

    spec: Spec
    combination: Combination
    shapes: Shapes
    unrun: str = ""  # why no run of it is known to go well, a sentence


def write_spec(start: Callable[[], Session], spec: Spec, device=None) -> str:
    """The text. ``spec`` names the creator, and has the attributes where they are known already; what is guessed is
    tried on ``device``.

    ``LifeProblem`` where the library has no such creator, ``PluginEnded`` where it ends the process before that.
    """
    with start() as session:
        creator = life.find_creator(session, spec)
        others = dict.fromkeys(each.name for each in session.creators() if each.name not in (None, creator.name))
    guess = Guess(spec) if spec.attributes else guess_attributes(start, spec)
    guessed = None if guess.unmade else _guessed(start, guess.spec, device)
    lines = ["# A spec to begin with: look at what is guessed. All keys: docs/plugin_spec.md", "", *_plugin(creator)]
    if others:
        lines[2:2] = [_OTHER_PLUGINS.format(", ".join(others))]
    lines += _attributes(creator, guess)
    lines += _tensors(guessed) if guessed else _no_tensors(guess)
    return "\n".join(lines) + "\n" + _REFERENCE


def _guessed(start: Callable[[], Session], spec: Spec, device) -> Guessed | None:
    with_inputs, unrun = guess_inputs(start, spec, device)
    if not with_inputs.inputs:
        return None
    try:
        with start() as session:
            plugin = session.create(life.find_creator(session, spec), attribute_fields(spec))
            combination = life.with_outputs(plugin, with_inputs, with_inputs.combinations()[0])
            return Guessed(with_inputs, combination, life.output_shapes(plugin, with_inputs), unrun)
    except (PluginEnded, life.LifeProblem, HostProblem):
        return None


def _plugin(creator: Creator) -> list[str]:
    lines = ["[plugin]", f"name = {_text(creator.name)}", f"version = {_text(creator.version)}"]
    return [*lines, f"namespace = {_text(creator.namespace)}"] if creator.namespace else lines


def _attributes(creator: Creator, guess: Guess) -> list[str]:
    advertised = [each for each in creator.fields or () if each.name]
    known = {each.name: each for each in guess.spec.attributes}
    lines = []
    if guess.unmade:
        lines += ["", *_comment(guess.unmade), "# Put right values here, then run `grader plugin spec` with --spec and"]
        lines += ["# this file: it goes on from there and finds the inputs."]
    elif advertised or known:
        lines += ["", "# Attributes, as getFieldNames() advertises them. The values are guessed: put those of your"]
        lines += ["# use, and with other = … a second legal value."]
    if not advertised and not known:
        lines += ["", "# The creator advertises no attributes. If createPlugin() reads some, name them so:"]
        lines += ["# [[attribute]]", '# name = "scale"', '# type = "float32"', "# value = 1.0"]
    for field in advertised:
        lines += _attribute(field.name, field_type(field.type), field.length, known.pop(field.name, None))
    for each in known.values():
        lines += _attribute(each.name, each.type, 1, each)
    return lines


def _attribute(name: str, kind: str | None, length: int, known) -> list[str]:
    if known is not None:
        lines = ["", "[[attribute]]", f"name = {_text(name)}", f'type = "{known.type}"']
        lines.append(f"value = {_value(known.value, known.type)}")
        return lines if known.other is None else [*lines, f"other = {_value(known.other, known.type)}"]
    if kind is None or TYPES[kind].dtype is None:
        return ["", f"# {_text(name)} is of a type whose values cannot be written here yet."]
    value = {"char": '"text"', "dims": "[1, 1]", "unknown": "[0]"}.get(kind, "1")
    value = f"[{', '.join([value] * min(length, 64))}]" if length > 1 and kind not in ("char", "dims") else value
    lines = ["[[attribute]]", f"name = {_text(name)}", f'type = "{kind}"', f"value = {value}"]
    return ["", *(lines if kind != "unknown" else [f"# {each}" for each in lines])]


def _no_tensors(guess: Guess) -> list[str]:
    why = "are not known yet" if guess.unmade else "could not be found out by trying"
    return [
        "", f"# The inputs {why}. One table for each, in the plugin's order:", "# [[input]]", '# name = "x"',
        '# types = ["float32", "float16"]', '# shape = ["N", 3, "H", "W"]', "# [[output]]", '# name = "y"',
        '# type = "x"',
    ]  # fmt: skip


def _tensors(guessed: Guessed) -> list[str]:
    spec, shapes = guessed.spec, guessed.shapes
    rows = [each.types for each in spec.given] or [guessed.combination.types]
    lines = ["", "# The inputs are guessed: the plugin took these when they were tried, and may take others too. Put"]
    lines += ["# the shapes of your use, numbers for what is fixed, names for what is dynamic, and the right values."]
    if guessed.unrun:
        lines += [
            "# NO RUN WITH THEM SUCCEEDED: enqueue() failed, or a kernel did. So they are what the plugin accepts, and"
        ]
        lines += ["# not what it needs: number, shapes, types or values of some inputs must be others."]
    for index, each in enumerate(spec.inputs):
        lines += ["", "[[input]]", f"name = {_text(each.name)}", f"types = {_input_types(spec, rows, index)}"]
        lines += [f"shape = [{', '.join(map(json.dumps, each.shape))}]", "# range = [-4, 4]"]
    sizes = {each.output for each in shapes.size_tensors()}
    aliases = {index: each.aliases for index, each in enumerate(spec.outputs)}
    for index, kind in enumerate(guessed.combination.types[len(spec.inputs) :]):
        lines += ["", "[[output]]", f'name = "output{index}"', f"type = {_output_type(spec, rows, index, kind)}"]
        lines += ["size_tensor = true"] if index in sizes else [f"# its shape is {_shape(shapes, index)}"]
        lines += _rows(shapes, index)
        lines += [f"aliases = {_text(aliases[index])}"] if aliases.get(index) else []
    lines += ["", "[extents]  # the profile; zero = true where 0 is legal at run time"]
    lines += map(_extent, spec.extents.values())
    return lines + _combinations(spec, rows)


def _extent(each: Extent) -> str:
    multiple = f", multiple = {each.multiple}" if each.multiple > 1 else ""
    return f"{each.name} = {{ min = {each.min}, opt = {each.opt}, max = {each.max}{multiple} }}"


def _input_types(spec: Spec, rows: list[tuple[str, ...]], index: int) -> str:
    """The types of an input, or the earlier input whose type it always has."""
    for earlier in range(index):
        if len(rows) > 1 and all(row[index] == row[earlier] for row in rows):
            return _text(spec.inputs[earlier].name)
    return json.dumps(list(dict.fromkeys(row[index] for row in rows)))


def _output_type(spec: Spec, rows: list[tuple[str, ...]], index: int, kind: str) -> str:
    """The type of an output: an input's, or one of its own where that never changes."""
    at = len(spec.inputs) + index
    for earlier, each in enumerate(spec.inputs):
        if all(len(row) > at and row[at] == row[earlier] for row in rows):
            return _text(each.name)
    return _text(kind)


def _shape(shapes: Shapes, index: int) -> str:
    return "[" + ", ".join(map(shapes.text, shapes.outputs[index] or ())) + "]"


def _rows(shapes: Shapes, index: int) -> list[str]:
    """The size tensor that counts an output's leading rows."""
    row = shapes.outputs[index]
    size = shapes.size_tensor_of(row[0]) if row else None
    return [] if size is None or size.output == index else [f'rows = "output{size.output}"', '# order = "any"']


def _combinations(spec: Spec, rows: list[tuple[str, ...]]) -> list[str]:
    """The combinations by name, where they are not every choice of the inputs' types."""
    count, free = len(spec.inputs), 1
    for index in range(count):
        if _input_types(spec, rows, index).startswith("["):
            free *= len({row[index] for row in rows})
    if free == len({row[:count] for row in rows}) == len(rows):
        return []
    return ["", "# The types go together so:", *(f"[[combination]]\ntypes = {json.dumps(list(row))}" for row in rows)]


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in text.splitlines()]


def _text(text: str | None) -> str:
    return json.dumps(text or "")


def _value(value, kind: str) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_value(each, kind) for each in value)}]"
    return json.dumps(float(value) if TYPES[kind].floating else value)
