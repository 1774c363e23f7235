"""Reads the spec of a plugin, a small TOML file (``docs/plugin_spec.md``); every wrong field is named.

``load_spec`` is what callers want; the records are those of ``spec_records``.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from types import MappingProxyType

from grader.course.table import did_you_mean, first_twice
from grader.plugin import expressions
from grader.plugin.spec_records import (
    FORMATS,
    Attribute,
    Combination,
    Extent,
    Input,
    Output,
    Reference,
    Spec,
    Tolerance,
)
from grader.plugin.spec_table import SpecError, SpecTable
from grader.plugin.types import FIELD_TYPES, TENSOR_TYPES, TYPES

__all__ = ["Attribute", "Combination", "Extent", "Input", "Output", "Reference", "Spec", "SpecError", "Tolerance",
           "load_spec"]  # fmt: skip

LARGEST_FILE = 1 << 20  # bytes
MAX_RANK = 8  # nvinfer1::Dims::MAX_DIMS


def load_spec(path: str | Path) -> Spec:
    """The spec in this file; ``SpecError`` names file, table and key, and says what to do."""
    path = Path(path)
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise SpecError(f"{path}: is larger than {LARGEST_FILE >> 20} MB; a spec is a small TOML file")
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SpecError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise SpecError(f"{path}: is not UTF-8 text; a spec is a TOML file") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SpecError(f"{path}: is no valid TOML: {error}") from None
    return _spec(SpecTable(data, str(path)), path)


def _spec(top: SpecTable, path: Path) -> Spec:
    plugin = top.part("plugin")
    attributes = tuple(_attribute(each) for each in top.parts("attribute"))
    inputs: list[Input] = []
    for table in top.parts("input"):
        inputs.append(_input(table, inputs))
    outputs = _outputs(top.parts("output"), inputs)
    _all_different(top, "attribute", attributes)
    _all_different(top, "input", (*inputs, *outputs))
    extents, notes = _extents(top.part("extents"), inputs, outputs)
    spec = Spec(
        path=path,
        name=plugin.text_or("name", None),
        version=plugin.text_or("version", "1"),
        namespace=plugin.text_or("namespace", "", empty=True),
        attributes=attributes,
        inputs=tuple(inputs),
        outputs=outputs,
        extents=MappingProxyType(extents),
        given=tuple(_combination(each, inputs, outputs) for each in top.parts("combination", None)),
        tolerances=MappingProxyType(_tolerances(top.part("tolerance"))),
        reference=_reference(top.part("reference"), path) if top.has("reference") else None,
        notes=notes,
    )
    plugin.end()
    top.end()
    return spec


def _attribute(table: SpecTable) -> Attribute:
    name = table.text("name")
    kind = table.choice("type", FIELD_TYPES)
    if not TYPES[kind].dtype:
        raise table.fail("type", f"{kind} can be named, but values of it are not supported yet")
    value = table.attribute_value("value", kind)
    other = table.attribute_value("other", kind) if table.has("other") else None
    if other is not None and other == value:
        raise table.fail("other", "is the same as value; give another legal value, or leave it out")
    default = table.attribute_value("default", kind) if table.has("default") else None
    table.end()
    return Attribute(name, kind, value, other, default)


def _input(table: SpecTable, earlier: list[Input]) -> Input:
    name = table.name("name")
    types, same = ("float32",), None
    if table.is_text("types"):
        same = table.text("types")
        if same not in (known := [each.name for each in earlier if not each.shape_input]):
            raise table.fail("types", f"{same!r} is no earlier input; give a list of types, or an input of {known}")
        types = next(each.types for each in earlier if each.name == same)
    elif table.has("types"):
        types = table.type_names("types", TENSOR_TYPES)
    shape_input = table.flag("shape_input")
    if shape_input and not set(types) <= {"int32", "int64"}:
        raise table.fail("types", 'of a shape input must be ["int32"] or ["int64"]')
    made = Input(
        name=name, types=types, same=same, shape=table.shape("shape"), range=table.bounds("range"),
        choices=table.numbers("choices"), special=table.flag("special"), shape_input=shape_input,
        value=table.shape_value("value"),
    )  # fmt: skip
    if made.range and made.choices:
        raise table.fail("choices", "and range exclude each other; keep one of them")
    if shape_input and (made.value is None or made.shape is not None):
        raise table.fail("value", 'is what a shape input needs, in place of shape: "H", or a list ["H", "2 * W"]')
    if made.value is not None and not shape_input:
        raise table.fail("value", "is for shape inputs; write shape_input = true, or use range or choices")
    table.end()
    return made


def _outputs(tables: list[SpecTable], inputs: list[Input]) -> tuple[Output, ...]:
    tensors = {each.name: each for each in inputs if not each.shape_input}
    found = []
    for table in tables:
        name = table.name("name")
        size_tensor = table.flag("size_tensor")
        fallback = "int32" if size_tensor else next(iter(tensors), None)
        kind = table.text("type") if table.has("type") or fallback is None else fallback
        if kind not in tensors and kind not in TENSOR_TYPES:
            raise table.fail(
                "type", f"{kind!r} is no input and no tensor type" + did_you_mean(kind, [*tensors, *TYPES])
            )
        if size_tensor and kind not in ("int32", "int64"):
            raise table.fail("type", "of a size tensor must be int32 (TensorRT's guide also allows int64)")
        made = Output(
            name=name, type=kind, shape=() if size_tensor else table.shape("shape"), size_tensor=size_tensor,
            rows=table.text_or("rows", None), any_order=table.text_or("order", "given") == "any",
            aliases=table.text_or("aliases", None),
        )  # fmt: skip
        if table.text_or("order", "given") not in ("given", "any"):
            raise table.fail("order", 'must be "given" or "any"')
        if made.aliases is not None and made.aliases not in tensors:
            raise table.fail("aliases", f"{made.aliases!r} is no input" + did_you_mean(made.aliases, tensors))
        found.append((table, made))
        table.end()
    counts = {made.name for _, made in found if made.size_tensor}
    for table, made in found:
        if made.rows is not None and made.rows not in counts:
            raise table.fail(
                "rows", f"{made.rows!r} is no output with size_tensor = true" + did_you_mean(made.rows, counts)
            )
    if (twice := first_twice(made.aliases for _, made in found if made.aliases)) is not None:
        raise found[-1][0].fail("aliases", f"{twice!r} is aliased twice; one input may go with one output at most")
    return tuple(made for _, made in found)


def _extents(table: SpecTable, inputs, outputs) -> tuple[dict[str, Extent], tuple[str, ...]]:
    used: dict[str, str] = {}
    for each in (*inputs, *outputs):
        parts = (*(each.shape or ()), *(getattr(each, "range", None) or ()))
        value = getattr(each, "value", None)
        for part in (*parts, *(value if isinstance(value, tuple) else () if value is None else (value,))):
            used |= dict.fromkeys(expressions.names(part), each.name)
    found = {name: _extent(table.table(name), name) for name in table.keys()}
    for name in found:
        if name not in used:
            raise table.fail(name, "is used by no input or output" + did_you_mean(name, used))
    notes = []
    for name in sorted(set(used) - set(found)):
        found[name] = e = Extent(name, declared=False)
        notes.append(
            f'The extent {name} of "{used[name]}" is not declared under [extents]; '
            f"it is taken from {e.min} to {e.max}, {e.opt} at best, and never 0."
        )
    return found, tuple(notes)


def _extent(table: SpecTable, name: str) -> Extent:
    low = table.whole("min", least=0) if table.has("min") else None
    high = table.whole("max", least=0) if table.has("max") else None
    opt = table.whole("opt", least=0) if table.has("opt") else None
    multiple = table.whole("multiple", least=1) if table.has("multiple") else 1
    low = low if low is not None else min([n for n in (multiple, opt, high) if n is not None])
    high = high if high is not None else max(low, opt if opt is not None else 0, 16 * multiple)
    opt = opt if opt is not None else min(high, max(low, 4 * multiple))
    if not low <= opt <= high:
        raise table.fail("opt", f"min <= opt <= max must hold, but they are {low}, {opt}, {high}")
    for key, number in (("min", low), ("opt", opt), ("max", high)):
        if number % multiple:
            raise table.fail(key, f"{number} is no multiple of {multiple}")
    zero = table.flag("zero") or low == 0
    table.end()
    return Extent(name, low, opt, high, zero, multiple)


def _combination(table: SpecTable, inputs, outputs) -> Combination:
    tensors = [each for each in inputs if not each.shape_input]
    names = [each.name for each in tensors] + [each.name for each in outputs]
    types = table.type_names("types", TENSOR_TYPES, twice=True)
    formats = table.type_names("formats", FORMATS, twice=True) if table.has("formats") else ("linear",) * len(types)
    for key, row in (("types", types), ("formats", formats)):
        if len(row) != len(names):
            raise table.fail(key, f"has {len(row)} entries; it needs {len(names)}, for {', '.join(names)}")
    expected = dict(zip(names, types, strict=True))
    for each in outputs:
        if expected[each.name] != expected.get(each.type, each.type):
            raise table.fail("types", f"output {each.name} is {expected[each.name]}, but its own type says {each.type}")
    table.end()
    return Combination(types, formats)


def _tolerances(table: SpecTable) -> dict[str, Tolerance]:
    found = {}
    for name in table.keys():
        if name not in TENSOR_TYPES:
            raise table.fail(name, "is no tensor type" + did_you_mean(name, TENSOR_TYPES))
        each = table.table(name)
        found[name] = Tolerance(each.at_least_zero("absolute"), each.at_least_zero("relative"))
        each.end()
    return found


def _reference(table: SpecTable, path: Path) -> Reference:
    file = path.parent / table.text("file")
    if not file.is_file():
        raise table.fail("file", f"{file} does not exist; it is looked for beside the spec")
    function = table.text_or("function", "reference")
    if not function.isidentifier():
        raise table.fail("function", f"{function!r} is no name of a Python function")
    table.end()
    return Reference(file, function)


def _all_different(top: SpecTable, field: str, records) -> None:
    if (twice := first_twice(each.name for each in records)) is not None:
        raise top.fail(field, f"the name {twice!r} stands twice; give each its own")
