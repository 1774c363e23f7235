"""Inputs that nobody described are guessed from the plugin's own answers, so that rules that need no reference run."""

import building
import pytest

from grader.plugin.guess import guess_attributes
from grader.plugin.guess_inputs import guess_inputs
from grader.plugin.session import Session
from grader.plugin.spec_records import Spec
from grader.simulator.runtime.client import RuntimeDevice


@pytest.fixture(scope="module")
def device():
    with RuntimeDevice.start() as device:
        yield device


def guessed(name, device):
    def start():
        return Session(building.built(name), device=device)

    spec = guess_attributes(start, Spec(path=building.built(name))).spec
    return guess_inputs(start, spec, device)


def test_one_input_of_any_shape(device):
    spec, problem = guessed("scale_shift", device)
    assert problem == ""
    assert [(each.types, each.shape) for each in spec.inputs] == [(("float32", "float16"), ("N", "C", "H", "W"))]
    assert [each.types for each in spec.given] == [("float32", "float32"), ("float16", "float16")]
    assert "guessed from what the plugin accepts: input0 (N, C, H, W) float32 or float16" in spec.notes[-1]


def test_an_extent_that_an_attribute_fixes(device):
    spec, problem = guessed("prelu", device)  # one slope is guessed, so there is one channel
    assert (problem, spec.inputs[0].shape) == ("", ("N", 1, "H", "W"))


def test_inputs_of_several_ranks_and_an_output_in_place(device):
    spec, problem = guessed("kv_cache_append", device)
    assert problem == ""
    assert [each.shape for each in spec.inputs] == [("N", "C", "W"), ("N", "C", "W"), ("N",)]
    assert spec.aliased == ("input0",)


def test_what_cannot_be_guessed_is_left_alone(device):
    spec, problem = guessed("relative_position_bias", device)
    assert (spec.inputs, problem) == ((), "")
