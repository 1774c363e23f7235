"""Specs are read whole, or the error names file, table and key and says what to do."""

import re
from pathlib import Path

import numpy as np
import pytest

from grader.plugin import expressions
from grader.plugin.inputs import drawn_extents, extents_at, inputs_for, prime_extents, zero_extents
from grader.plugin.spec import SpecError, load_spec

WHOLE = """
[plugin]
name = "P"
version = "3"
namespace = "n"
[[attribute]]
name = "axis"
type = "int32"
value = 1
other = 2
default = 0
[[attribute]]
name = "mode"
type = "char"
value = "sum"
[[input]]
name = "x"
types = ["float32", "bfloat16"]
shape = ["N", 3, "2 * L"]
range = [-1, 1.5]
special = true
[[input]]
name = "index"
types = ["int32", "int64"]
shape = ["N"]
range = [0, "min(N, L) - 1"]
[[input]]
name = "bias"
types = "x"
shape = []
choices = [0, 1]
[[input]]
name = "size"
types = ["int64"]
shape_input = true
value = ["N", 7]
[[output]]
name = "y"
rows = "count"
order = "any"
[[output]]
name = "count"
size_tensor = true
[[output]]
name = "z"
type = "bias"
aliases = "bias"
[extents]
N = { min = 2, opt = 4, max = 9 }
L = { min = 4, max = 64, multiple = 4, zero = true }
[tolerance]
bfloat16 = { absolute = 0.5 }
[reference]
file = "r.py"
function = "f"
"""


def read(tmp_path, text):
    (tmp_path / "r.py").write_text("def f(inputs, attributes): pass\n")
    (tmp_path / "s.toml").write_text(text)
    return load_spec(tmp_path / "s.toml")


def test_a_whole_spec(tmp_path):
    spec = read(tmp_path, WHOLE)
    assert (spec.name, spec.version, spec.namespace) == ("P", "3", "n")
    assert [(a.name, a.value, a.other, a.default) for a in spec.attributes] == [
        ("axis", 1, 2, 0), ("mode", "sum", None, None)]  # fmt: skip
    assert [each.name for each in spec.tensors] == ["x", "index", "bias"]
    assert [each.name for each in spec.shape_inputs] == ["size"]
    assert [each.type for each in spec.outputs] == ["x", "int32", "bias"]
    assert spec.aliased == ("bias",)
    assert (spec.extents["L"].opt, spec.extents["L"].multiple) == (16, 4)
    assert (spec.tolerance("bfloat16").absolute, spec.tolerance("int32").absolute) == (0.5, 0)
    assert spec.reference.function == "f" and spec.reference.file.name == "r.py"
    assert not spec.notes


def test_an_empty_spec_is_one(tmp_path):
    spec = read(tmp_path, "")
    assert (spec.name, spec.inputs, spec.combinations(), spec.reference) == (None, (), (), None)


def test_combinations_follow_the_types(tmp_path):
    rows = [each.types for each in read(tmp_path, WHOLE).combinations()]
    assert rows[0] == ("float32", "int32", "float32", "float32", "int32", "float32")
    assert len(rows) == 4 and all(row[0] == row[2] == row[3] for row in rows)


def test_given_combinations_replace_them(tmp_path):
    text = '[[input]]\nname = "x"\n[[output]]\nname = "y"\n[[combination]]\ntypes = ["float16", "float16"]\n'
    (one,) = read(tmp_path, text + 'formats = ["chw2", "linear"]\n').combinations()
    assert (one.types, one.formats) == (("float16", "float16"), ("chw2", "linear"))


def test_undeclared_extents_get_a_stated_default(tmp_path):
    spec = read(tmp_path, '[[input]]\nname = "x"\nshape = ["N"]\n')
    assert spec.extents["N"].declared is False
    assert spec.notes == (
        'The extent N of "x" is not declared under [extents]; it is taken from 1 to 16, 4 at best, and never 0.',
    )


INPUT = '[[input]]\nname = "x"\nshape = ["N"]\n'
WRONG = {
    "unknown key": (INPUT + "dtype = 1\n", 'input "x": field "dtype": is unknown; did you mean "types"?'),
    "unknown table": ("[plugins]\n", 'field "plugins": is unknown; did you mean "plugin"?'),
    "type": (INPUT + 'types = ["flaot16"]\n', 'did you mean "float16"?'),
    "no list": (INPUT + "types = 3\n", 'field "types": must be a list'),
    "type twice": (INPUT + 'types = ["int8", "int8"]\n', "twice"),
    "range order": (INPUT + "range = [2, 1]\n", "the lowest, 2, lies above the highest, 1"),
    "range length": (INPUT + "range = [2]\n", "must be [lowest, highest]"),
    "range nan": (INPUT + "range = [0, nan]\n", "must be a whole number"),
    "rank": (f'[[input]]\nname = "x"\nshape = {[1] * 9}\n', "9 extents; a tensor has 8"),
    "extent below zero": ('[[input]]\nname = "x"\nshape = [-1]\n', "an extent cannot be -1; write a name"),
    "expression": ('[[input]]\nname = "x"\nshape = ["N ** 2"]\n', "'N ** 2' is no expression"),
    "code": ('[[input]]\nname = "x"\nshape = ["exit()"]\n', "is no expression"),
    "bounds": (INPUT + "[extents]\nN = { min = 5, opt = 4, max = 9 }\n", "min <= opt <= max must hold"),
    "multiple": (INPUT + "[extents]\nN = { min = 3, multiple = 2 }\n", "3 is no multiple of 2"),
    "unused extent": (INPUT + "[extents]\nM = { min = 1 }\n", 'field "M": is used by no input or output'),
    "names twice": (INPUT + INPUT, "'x' stands twice"),
    "output named as input": (INPUT + '[[output]]\nname = "x"\n', "'x' stands twice"),
    "output type": (INPUT + '[[output]]\nname = "y"\ntype = "z"\n', "'z' is no input and no tensor type"),
    "alias": (INPUT + '[[output]]\nname = "y"\naliases = "xx"\n', "'xx' is no input; did you mean \"x\"?"),
    "alias twice": (INPUT + "".join(f'[[output]]\nname = "{n}"\naliases = "x"\n' for n in "yz"), "aliased twice"),
    "rows": (INPUT + '[[output]]\nname = "y"\nrows = "n"\n', "'n' is no output with size_tensor = true"),
    "order": (INPUT + '[[output]]\nname = "y"\norder = "all"\n', 'must be "given" or "any"'),
    "same as later": (INPUT + 'types = "b"\n', "'b' is no earlier input"),
    "shape input": ('[[input]]\nname = "s"\ntypes = ["int32"]\nshape_input = true\n', "is what a shape input needs"),
    "attribute type": ('[[attribute]]\nname = "a"\ntype = "float"\nvalue = 1\n', "is none of"),
    "attribute value": ('[[attribute]]\nname = "a"\ntype = "int8"\nvalue = 300\n', "300 is no value of type int8"),
    "attribute text": ('[[attribute]]\nname = "a"\ntype = "int8"\nvalue = "1"\n', "'1' is no value of type int8"),
    "attribute missing": ('[[attribute]]\nname = "a"\ntype = "int8"\n', 'field "value": is missing'),
    "attribute other": ('[[attribute]]\nname = "a"\ntype = "int8"\nvalue = 1\nother = 1\n', "the same as value"),
    "dims": ('[[attribute]]\nname = "a"\ntype = "dims"\nvalue = 1\n', "must be a list of extents"),
    "float8": ('[[attribute]]\nname = "a"\ntype = "float8"\nvalue = 1\n', "values of it are not supported"),
    "combination length": (INPUT + '[[combination]]\ntypes = ["int8", "int8"]\n', "has 2 entries; it needs 1, for x"),
    "tolerance": (INPUT + "[tolerance]\nfloat3 = { absolute = 1 }\n", "no tensor type; did you mean \"float32\"?"),
    "tolerance sign": (INPUT + "[tolerance]\nint8 = { absolute = -1 }\n", "at least 0"),
    "reference": ('[reference]\nfile = "missing.py"\n', "does not exist; it is looked for beside the spec"),
    "syntax": ("[plugin\n", "is no valid TOML"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_named(case, tmp_path):
    text, told = WRONG[case]
    with pytest.raises(SpecError) as error:
        read(tmp_path, text)
    assert str(error.value).startswith(str(tmp_path / "s.toml")) and told in str(error.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(SpecError, match="cannot be read: No such file"):
        load_spec(tmp_path / "none.toml")


def test_points_of_the_extents(tmp_path):
    spec = read(tmp_path, WHOLE)
    assert extents_at(spec, "min") == {"N": 2, "L": 4}
    assert list(zero_extents(spec)) == [("L", {"N": 4, "L": 0})]
    primes = prime_extents(spec)
    assert primes == {"N": 5, "L": 12}  # 3 is a constant of the spec; L is a multiple of 4
    for seed in range(20):
        drawn = drawn_extents(spec, np.random.default_rng(seed))
        assert 2 <= drawn["N"] <= 9 and drawn["L"] in range(4, 65, 4)


def test_inputs_keep_to_shape_type_and_range(tmp_path):
    spec = read(tmp_path, WHOLE)
    for combination in spec.combinations():
        types = spec.input_types(combination)
        x, index, bias, size = inputs_for(spec, {"N": 5, "L": 4}, types, np.random.default_rng(1))
        assert (x.shape, index.shape, bias.shape) == ((5, 3, 8), (5,), ())
        assert -1 <= x.values.min() and x.values.max() <= 1.5
        assert set(index.values.tolist()) <= set(range(4))
        assert size.values.tolist() == [5, 7] and size.shape_input
        assert len(x.data) == x.values.size * (4 if types["x"] == "float32" else 2)
        marked = inputs_for(spec, {"N": 5, "L": 4}, types, np.random.default_rng(1), special=True)[0]
        assert np.isnan(marked.values.ravel()[0]) and np.isinf(marked.values.ravel()[1:3]).all()
        assert 0 < marked.values.ravel()[5] < 1e-6


def test_the_same_seed_draws_the_same(tmp_path):
    spec = read(tmp_path, WHOLE)
    types = spec.input_types(spec.combinations()[0])
    twice = [inputs_for(spec, extents_at(spec, "opt"), types, np.random.default_rng(3)) for _ in range(2)]
    assert all((a.values == b.values).all() for a, b in zip(*twice, strict=True))


def test_expressions():
    assert expressions.value("2*H - max(W, 3) // -2", {"H": 5, "W": 4}) == 12
    assert expressions.names("2*H - max(W, 3)") == {"H", "W"}
    with pytest.raises(ValueError, match="division by 0"):
        expressions.value("1 // H", {"H": 0})
    for text in ("", "H.real", "H if H else 1", "1.5", "f(H)", "min()", "min(*H)", "lambda: 1", "(" * 300, "1 < 2"):
        with pytest.raises(ValueError, match="no expression"):
            expressions.names(text)


def test_the_example_of_the_page_is_one(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "plugin_spec.md").read_text()
    spec_text, reference = re.findall(r"```(?:toml|python)\n(.*?)```", page, re.S)
    (tmp_path / "reference.py").write_text(reference)
    (tmp_path / "s.toml").write_text(spec_text)
    spec = load_spec(tmp_path / "s.toml")
    assert (spec.name, spec.attributes[0].default, spec.extents["N"].zero) == ("ScaleShift", 1.0, True)
    assert spec.tolerance("float32").absolute == 1e-5 and not spec.notes


def test_ranges_end_where_the_type_does(tmp_path):
    text = '[[input]]\nname = "x"\ntypes = ["float16", "int8", "int64"]\nshape = [99]\nrange = [-1e300, 1e300]\n'
    spec = read(tmp_path, text)
    for combination in spec.combinations():
        (x,) = inputs_for(spec, {}, spec.input_types(combination), np.random.default_rng(0))
        assert np.isfinite(x.values).all() and x.values.min() < 0 < x.values.max()


@pytest.mark.parametrize("shape", ['"N * N * N * N * N * N * N"', "9999999999, 2", "99999999999999999999"])
def test_more_than_can_be_drawn_is_a_value_error(shape, tmp_path):
    extents = "[extents]\nN = { min = 999 }\n" if "N" in shape else ""
    spec = read(tmp_path, f'[[input]]\nname = "x"\nshape = [{shape}]\n{extents}')
    with pytest.raises(ValueError, match="elements|64 bits"):
        inputs_for(spec, extents_at(spec, "max"), {"x": "float32"}, np.random.default_rng(0))
