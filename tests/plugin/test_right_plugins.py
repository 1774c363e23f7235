"""The right plugins are right: rebuilt in a new process, they compute what their references say.

The first run after a change of a plugin compiles it (two seconds each). The rules of conformance try every combination,
point and order: ``make prove`` runs them on all of these.
"""

import re

import building
import numpy as np
import pytest

from grader.plugin import life
from grader.plugin.execute import Runner, make_case
from grader.plugin.inputs import extents_at, prime_extents, zero_extents
from grader.plugin.reference import ReferenceRunner
from grader.plugin.session import Session
from grader.simulator.runtime.client import RuntimeDevice
from grader.toolchain import tensorrt

pytestmark = pytest.mark.skipif(
    tensorrt.lean_library() is None or tensorrt.tensorrt_include() is None,
    reason="the plugin lane is not installed: grader plugin-lane",
)


@pytest.fixture(scope="module")
def device():
    with RuntimeDevice.start() as device:
        device.order("others-first")
        yield device


def differs(got, expected, tolerance) -> bool:
    """Whether an output is not the reference's, within the tolerance of its type."""
    if got is None or got.shape != expected.shape:
        return True
    return not np.allclose(got, expected, rtol=tolerance.relative, atol=tolerance.absolute, equal_nan=True)


def points(spec):
    yield prime_extents(spec)
    yield extents_at(spec, "max")
    for _, extents in zero_extents(spec):
        yield extents


def lives(spec, library, device):
    """A context of every tactic, of two combinations, of the attributes' second values too, with what it came from."""
    others = {each.name: each.other for each in spec.attributes if each.other is not None}
    combinations = spec.combinations()
    for combination in dict.fromkeys((combinations[0], combinations[-1])):
        for changed in (None, others) if others and combination is combinations[0] else (None,):
            with Session(library, device=device) as first:
                plugin = life.create(first, spec, changed)
                tactics = plugin.tactics()[2] if plugin.creator.is_v3 else ()
                stored = [life.build(plugin, spec, combination, tactic) for tactic in (tactics or (0,))]
            for each in stored:
                with Session(library, device=device) as second:
                    plugin = life.revive(second, each)
                    context = life.attach(plugin)
                    yield context, each, changed
                    life.end(context, plugin)
                    device.synchronize()  # memory may have been given back in the order of a stream
                    held = device.live()
                    assert not any(held[what] for what in ("allocations", "streams", "events", "graphs"))


@pytest.mark.parametrize("name", building.names())
def test_it_computes_what_its_reference_says(name, device):
    spec = building.spec(name)
    with ReferenceRunner(spec) as reference:
        for context, stored, changed in lives(spec, building.built(name), device):
            runner = Runner(device, spec, stored.shapes, stored.workspace)
            for number, extents in enumerate(points(spec)):
                rng = np.random.default_rng(number)
                case = make_case(spec, stored.combination, extents, rng, special=True)
                expected = reference(case.inputs, changed)
                run = runner.run(context, case)
                assert run.well, f"{case.name}: {run}"
                kinds = stored.combination.types[len(spec.tensors) :]
                for output, got, wanted, kind in zip(spec.outputs, run.outputs, expected, kinds, strict=True):
                    assert not differs(got, wanted, spec.tolerance(kind)), f"{output.name}; {case.name}; {changed}"
                assert not runner.changed_inputs(run, case)


def test_there_are_enough_of_them():
    names = building.names()
    assert len(names) >= 12
    for needed in ("relu", "prelu", "masked_gelu", "relative_position_bias", "gather_nd", "adaptive_avg_pool",
                   "voxel_feature_encoder", "scale_shift", "kv_cache_append", "top1", "channel_bias_v2",
                   "channel_bias_v3"):  # fmt: skip
        assert needed in names


def test_each_is_on_the_list():
    listed = re.findall(r"^\| `(\w+)` \|", (building.PLUGINS / "README.md").read_text(), re.M)
    assert sorted(listed) == building.names()
