"""The library that stands for another: NVIDIA's registry takes it, calls pass through, each leaves a line."""

import struct
import subprocess
from pathlib import Path

import pytest

from grader.plugin.build import HostUnavailable, build, build_host
from grader.plugin.records import Descriptor, Field
from grader.plugin.session import Session
from grader.plugin.tracing import read_journal, stand_for
from grader.toolchain import tensorrt

LIBRARIES = Path(__file__).parent / "libraries"
LEAN = tensorrt.lean_library()
MATRIX = Descriptor(0, (4, 3))


@pytest.fixture(scope="module", autouse=True)
def possible():
    try:
        build_host()
        build(LIBRARIES / "double", shared=True)
    except HostUnavailable as missing:
        pytest.skip(missing.sentence)
    if LEAN is None:
        pytest.skip("NVIDIA's registry is not here")


def library(*flags: str) -> Path:
    return build(LIBRARIES / "double", shared=True, flags=flags)


def walk(stand: Path) -> subprocess.CompletedProcess:
    return subprocess.run([build(LIBRARIES / "walk"), LEAN, stand], capture_output=True, text=True)


@pytest.mark.parametrize("flags", [(), ("-DSELF_REGISTERING",), ("-DSELF_REGISTERING", "-DNO_CREATORS")])
def test_an_application_that_loads_it_leaves_a_journal(tmp_path, flags):
    done = walk(stand_for(library(*flags), tmp_path / "journal", tmp_path))
    assert done.stdout == "walked\n", done
    calls = read_journal(tmp_path / "journal")
    assert [call["seq"] for call in calls] == list(range(1, len(calls) + 1))
    own = [(call["object"], call["method"]) for call in calls if call["object"] != "creator#1"]
    assert own == [
        ("Double#1", "getCapabilityInterface"),
        ("Double#1", "getCapabilityInterface"),
        ("Double#1", "supportsFormatCombination"),
        ("Double#1", "configurePlugin"),
        ("Double#1", "getFieldsToSerialize"),
        ("Double#1", "attachToContext"),
        ("Double#2", "getCapabilityInterface"),
        ("Double#2", "onShapeChange"),
        ("Double#2", "enqueue"),
        ("Double#2", "~IPluginV3"),
        ("Double#1", "~IPluginV3"),
    ]


def test_arguments_and_results_are_written_in_the_words_of_a_spec(tmp_path):
    walk(stand_for(library(), tmp_path / "journal", tmp_path))
    calls = {call["method"]: call for call in read_journal(tmp_path / "journal")}
    fields = [["scale", 1, 1, struct.pack("f", 2.5).hex()]]
    assert calls["createPlugin"]["arguments"] == {"name": "layer", "fields": fields, "phase": "build"}
    assert calls["getFieldsToSerialize"]["result"] == fields
    wild = {"type": "float32", "format": "linear", "dims": [-1, 3], "min": [4, 3], "opt": [4, 3], "max": [4, 3]}
    assert calls["configurePlugin"]["arguments"] == {"inputs": [wild], "outputs": [wild]}
    matrix = {"type": "float32", "format": "linear", "dims": [4, 3]}
    run = calls["enqueue"]["arguments"]
    assert (run["inputs"], run["outputs"], run["workspace"], run["stream"]) == ([matrix], [matrix], None, 0)
    assert (run["null_inputs"], run["null_outputs"]) == ([False], [True])


def test_our_own_session_drives_it_and_both_tell_the_same_calls(tmp_path):
    field = Field("scale", 1, 1, struct.pack("f", 3.0))
    with Session(stand_for(library(), tmp_path / "journal", tmp_path)) as session:
        plugin = session.create(session.creators()[0], [field])
        assert plugin.serialized() == (field,)
        context = plugin.attach()
        assert context.shape_change([MATRIX], [MATRIX]) == 0
        context.end()
        plugin.end()
    ours = [(call.interface, call.method) for call in session.trace.calls]
    theirs = [(call["interface"], call["method"]) for call in read_journal(tmp_path / "journal")]
    wanted = {"createPlugin", "getFieldsToSerialize", "attachToContext", "onShapeChange", "~IPluginV3"}
    assert [call for call in ours if call[1] in wanted] == [call for call in theirs if call[1] in wanted]


def test_a_v2_plugin_is_recorded_too(tmp_path):
    pytest.importorskip("elftools", reason="libraries are built by the plugin lane")
    from building import built, spec

    from grader.plugin import life

    facts = spec("channel_bias_v2")
    with Session(stand_for(built("channel_bias_v2"), tmp_path / "journal", tmp_path)) as session:
        plugin = life.create(session, facts)
        assert plugin.output_types([0], 1) == (0, [0])
        assert plugin.output_shapes([["N", 5, 7]], 1).status == 0
        size, blob, touched = plugin.serialize()
        assert len(blob) == size and touched == 0
        context = plugin.attach()
        context.detach()
        context.end()
        plugin.end()
        again = session.deserialize(plugin.creator, blob)
        assert again.serialize()[1] == blob
        again.end()
    ours = [call.method for call in session.trace.calls if call.interface == "IPluginV2DynamicExt"]
    calls = read_journal(tmp_path / "journal")
    theirs = [call["method"] for call in calls if call["interface"] == "IPluginV2DynamicExt"]
    wanted = {"getOutputDataType", "getOutputDimensions", "serialize", "clone", "destroy"}
    assert [method for method in ours if method in wanted] == [method for method in theirs if method in wanted]
    made = next(call for call in calls if call["method"] == "deserializePlugin")
    assert made["arguments"]["bytes"] == len(blob) and made["result"].endswith("#3")


def test_a_library_that_does_not_load_has_no_creators(tmp_path):
    (tmp_path / "libbroken.so").write_text("no library")
    with Session(stand_for(tmp_path / "libbroken.so", tmp_path / "journal", tmp_path)) as session:
        assert session.creators() == ()
    assert read_journal(tmp_path / "journal") == []


def test_a_line_that_was_cut_short_is_left_out(tmp_path):
    line = '{"seq": 1, "object": "a", "interface": "b", "method": "c", "arguments": {}, "result": null, "seconds": 0}\n'
    (tmp_path / "journal").write_text(line + line[:40] + "\n[]\n")
    assert [call["method"] for call in read_journal(tmp_path / "journal")] == ["c"]
    assert read_journal(tmp_path / "none") == []


@pytest.mark.parametrize("name", ["kv_cache_append", "non_zero", "channel_bias_v2"])
def test_the_rules_see_no_difference(tmp_path, name):
    """Aliased inputs, size tensors, V2: through the library that stands for it a right plugin is as right."""
    pytest.importorskip("elftools", reason="libraries are built by the plugin lane")
    from building import built, spec

    from grader.checks.conformance.run import conform

    report = conform(stand_for(built(name), tmp_path / "journal", tmp_path), spec(name), level="L0")
    assert [(each.check, each.message) for each in report.failed] == []
    assert len(read_journal(tmp_path / "journal")) > 1000
