"""What counts as the reference's result, and what never does."""

import numpy as np
import pytest

from grader.checks.conformance.compare import difference
from grader.plugin.spec import load_spec


@pytest.fixture
def spec(tmp_path):
    (tmp_path / "s.toml").write_text(
        '[[output]]\nname = "y"\ntype = "float32"\n[tolerance]\nfloat32 = { absolute = 0.1, relative = 0.1 }\n'
    )
    return load_spec(tmp_path / "s.toml")


SAME = [(1.0, 1.1), (np.inf, np.inf), (np.nan, np.nan), (0.0, -0.0), (-2.0, -2.2)]
OTHER = [(5.0, np.inf), (np.inf, 5.0), (np.inf, -np.inf), (np.nan, 1.0), (1.0, np.nan), (np.nan, np.inf), (1.0, 2.0)]


@pytest.mark.parametrize("pair, told", [(pair, False) for pair in SAME] + [(pair, True) for pair in OTHER])
def test_numbers(spec, pair, told):
    got, expected = (np.array([each]) for each in pair)
    assert bool(difference(spec, spec.outputs[0], "float32", got.astype(np.float32), expected)) is told


def test_what_overflows_the_type_is_expected_to(spec):
    got = np.array([np.inf], np.float16)
    assert difference(spec, spec.outputs[0], "float16", got, np.array([1e6])) is None


def test_whole_numbers_are_compared_whole(spec):
    big = np.array([2**60], np.int64)
    assert difference(spec, spec.outputs[0], "int64", big, big) is None
    assert difference(spec, spec.outputs[0], "int64", big + 1, big)
    assert difference(spec, spec.outputs[0], "int32", np.array([3], np.int32), np.array([3.0])) is None


def test_shapes_and_nothing(spec):
    assert "shape" in difference(spec, spec.outputs[0], "float32", np.zeros((2, 1)), np.zeros(2))
    assert difference(spec, spec.outputs[0], "float32", None, np.zeros(2))
    assert difference(spec, spec.outputs[0], "float32", np.zeros((0, 3)), np.zeros((0, 3))) is None


def test_a_reference_that_gives_fractions_for_whole_numbers(spec):
    assert difference(spec, spec.outputs[0], "int32", np.array([3], np.int32), np.array([3.5]))
