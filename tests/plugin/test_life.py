"""The order of calls is one that the headers of TensorRT 10.14 document."""

import building
import pytest

from grader.plugin import life
from grader.plugin.arguments import at_build, at_run
from grader.plugin.inputs import extents_at
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
        yield device


def lived(name: str, device):
    """The calls of a plugin's life: built in one process, run in another."""
    spec = building.spec(name)
    with Session(building.built(name), device=device) as session:
        plugin = life.create(session, spec)
        stored = life.build(plugin, spec)
        plugin.end()
    with Session(building.built(name), device=device, trace=session.trace) as later:
        rebuilt = life.revive(later, stored)
        context = life.attach(rebuilt)
        tensors = at_run(spec, stored.combination, stored.shapes, extents_at(spec, "opt"))
        context.shape_change(tensors.inputs, tensors.outputs)
        life.end(context, rebuilt)
    return session.trace.calls


def in_order(methods: list[str], *expected: str) -> bool:
    """Whether the methods come in this order, with others between them."""
    rest = iter(methods)
    return all(each in rest for each in expected)


def test_v3(device):
    calls = lived("scale_shift", device)
    build, run = ([call.method for call in calls if call.process == number] for number in (1, 2))
    assert in_order(build, "createPlugin", "getOutputDataTypes", "getOutputShapes", "supportsFormatCombination",
                    "configurePlugin", "getWorkspaceSize", "getNbTactics", "getValidTactics", "getFieldsToSerialize",
                    "~IPluginV3")  # fmt: skip
    assert in_order(run, "createPlugin", "setTactic", "attachToContext", "onShapeChange", "~IPluginV3", "~IPluginV3")
    assert run.count("setTactic") == 1
    assert [call.object for call in calls if call.method == "~IPluginV3"][1:] == ["context 1", "runtime plugin 1"]


def test_v2(device):
    """Initialized once, between the two phases of configurePlugin; never on a context's clone."""
    calls = lived("channel_bias_v2", device)
    build, run = ([call.method for call in calls if call.process == number] for number in (1, 2))
    assert in_order(build, "createPlugin", "getOutputDimensions", "supportsFormatCombination", "configurePlugin",
                    "initialize", "configurePlugin", "getWorkspaceSize", "serialize", "terminate",
                    "destroy")  # fmt: skip
    assert in_order(run, "deserializePlugin", "initialize", "clone", "attachToContext", "configurePlugin",
                    "detachFromContext", "destroy", "terminate", "destroy")  # fmt: skip
    assert build.count("initialize") == run.count("initialize") == 1
    initialized = {call.object for call in calls if call.method == "initialize"}
    assert not {call.object for call in calls if call.method == "attachToContext"} & initialized


def test_unknown_extents_stand_beside_their_bounds():
    spec = building.spec("non_zero")
    with Session(building.built("non_zero")) as session:
        plugin = life.create(session, spec)
        stored = life.build(plugin, spec)
    built = at_build(spec, stored.combination, stored.shapes)
    for each in built.all:
        for at, (low, usual, high) in enumerate(zip(each.min, each.opt, each.max, strict=True)):
            assert low <= usual <= high
            assert each.dims[at] == -1 or each.dims[at] == low == high
    [(output, found)] = [
        (output, at) for output, row in enumerate(stored.shapes.outputs) for at, node in enumerate(row)
        if stored.shapes.size_tensor_of(node)
    ]  # fmt: skip
    assert built.outputs[output].min[found] == 0  # nothing may be found
    ran = at_run(spec, stored.combination, stored.shapes, extents_at(spec, "max"))
    assert ran.outputs[output].dims[found] == -1
