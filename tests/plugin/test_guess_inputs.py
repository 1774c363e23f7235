"""Inputs that nobody described are guessed from the plugin's own answers, so that rules that need no reference run."""

import building
import pytest

from grader.checks.conformance.run import conform
from grader.plugin.guess import guess_attributes
from grader.plugin.guess_inputs import guess_inputs
from grader.plugin.session import Session
from grader.plugin.spec_records import Spec
from grader.plugin.spec_writer import write_spec
from grader.simulator.runtime.client import RuntimeDevice


@pytest.fixture(scope="module")
def device():
    with RuntimeDevice.start() as device:
        yield device


def guessed(name, device):
    return guessed_of(building.built(name), device)


def guessed_of(library, device):
    def start():
        return Session(library, device=device)

    spec = guess_attributes(start, Spec(path=library)).spec
    return guess_inputs(start, spec, device)


def otherwise(name, old, new):
    """The library of a right plugin with one change in its ``enqueue``."""
    files = building.sources(building.PLUGINS / name)
    asked, runs = files[f"{name}.cpp"].split(b"int32_t enqueue(")
    assert old in runs
    files[f"{name}.cpp"] = asked + b"int32_t enqueue(" + runs.replace(old, new)
    return building.compiled(files, f"{name}.cpp")


TRAP = b"scaleShift", b"__builtin_trap(), scaleShift"


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


def test_the_number_of_inputs_that_it_reads_and_does_not_ask_about(device):
    spec, problem = guessed_of(otherwise("hard_swish", b"inputs[0]", b"inputs[1]"), device)
    assert (problem, len(spec.inputs)) == ("", 2)


def test_a_plugin_is_not_blamed_for_a_run_on_inputs_that_it_may_not_take():
    report = conform(otherwise("scale_shift", *TRAP))
    assert [each.check for each in report.failed] == []
    assert any("No run with guessed inputs" in each.message for each in report.results)


def test_a_spec_of_which_no_run_succeeded_says_so(device):
    def written(library):
        return write_spec(lambda: Session(library, device=device), Spec(path=library), device)

    assert "NO RUN WITH THEM SUCCEEDED" in written(otherwise("scale_shift", *TRAP))
    assert "NO RUN" not in written(building.built("scale_shift"))
