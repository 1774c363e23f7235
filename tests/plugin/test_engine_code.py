"""The engine's code that uses TensorRT, on a stand-in for what the lean bindings lack, and against the type stubs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from grader.plugin import python_plugins
from grader.plugin.build import build as compiled
from grader.plugin.engine.command import _draw, build_request, run_request
from grader.plugin.inputs import extents_at
from grader.plugin.spec import load_spec
from grader.plugin.tracing import read_journal, stand_for

HERE = Path(__file__).parent
ENGINE = HERE.parents[1] / "grader" / "plugin" / "engine"
SPEC = """
[plugin]
name = "Double"
[[attribute]]
name = "scale"
type = "float32"
value = 2.5
[[input]]
name = "x"
shape = ["N", 3]
[[output]]
name = "y"
type = "x"
[extents]
N = { min = 1, opt = 2, max = 4 }
"""
SCENE = """
import json, sys
from pathlib import Path
sys.path.insert(0, {here!r})
import tensorrt_lean_bindings as bindings
import fake_tensorrt as fake
trt = fake.install(bindings)
from grader.plugin.engine import network
from grader.plugin.engine.execution import Execution
request, run, payload = eval(Path({request!r}).read_text())
log = network.Log()
"""

needs_bindings = pytest.mark.skipif(
    python_plugins.available() is not None, reason="NVIDIA's lean bindings are not here"
)


@pytest.fixture
def spec(tmp_path):
    (tmp_path / "double.toml").write_text(SPEC)
    return load_spec(tmp_path / "double.toml")


def play(tmp_path, request, run, payload, text: str) -> subprocess.CompletedProcess:
    """Run some lines in a process where ``tensorrt`` is the stand-in."""
    (tmp_path / "request").write_text(repr((request, run, payload)))
    scene = SCENE.format(here=str(HERE), request=str(tmp_path / "request")) + text
    return subprocess.run([sys.executable, "-c", scene], capture_output=True, text=True, cwd=HERE.parents[1])


@needs_bindings
def test_the_network_gets_the_real_plugin_with_the_specs_fields(tmp_path, spec):
    library = stand_for(compiled(HERE / "libraries" / "double", shared=True), tmp_path / "journal", tmp_path)
    request = build_request(spec, spec.combinations()[0], library)
    text = """
kept = network.load(request["library"])
plan, facts = network.build(request, log)
one = fake.Builder.last
inputs, shape_inputs, plugin = one.network.added
assert (plan, facts["interface"], one.network.flags) == (b"plan", "IPluginV3", 1), (plan, facts)
assert [(t.name, t.dtype, t.shape) for t in inputs] == [("x", trt.float32, (-1, 3))] and shape_inputs == []
assert one.config.profiles[0].shapes == {"x": ((1, 3), (2, 3), (4, 3))} and one.config.preview == {}
assert one.network.marked == ["y"]
print("well")
"""
    done = play(tmp_path, request, {}, b"", text)
    assert done.stdout == "well\n", done.stderr
    created = next(call for call in read_journal(tmp_path / "journal") if call["method"] == "createPlugin")
    assert created["arguments"]["fields"] == [["scale", 1, 1, np.float32(2.5).tobytes().hex()]]
    assert created["arguments"]["phase"] == "build"


@needs_bindings
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"plugin": ["Other", "1", ""]}, "finds no creator Other, version 1"),
        ({"fields": [{"name": "strange", "type": "int32", "data": "00000000"}]}, "made no plugin"),
        ({"outputs": ["y", "z"]}, "has 1 outputs, the spec 2"),
    ],
)
def test_what_does_not_fit_is_said(tmp_path, spec, change, words):
    request = build_request(spec, spec.combinations()[0], compiled(HERE / "libraries" / "double", shared=True)) | change
    done = play(tmp_path, request, {}, b"", 'network.load(request["library"])\nnetwork.build(request, log)')
    assert "CannotBuild" in done.stderr and words in done.stderr


@needs_bindings
def test_a_python_plugin_goes_into_the_network_too(tmp_path):
    file = HERE / "python" / "scale.py"
    spec = load_spec(file.with_suffix(".toml"))
    text = """
kept = network.load(request["library"])
plan, facts = network.build(request, log)
inputs, shape_inputs, plugin = fake.Builder.last.network.added
print(facts["interface"], type(plugin).__name__, plugin.scale)
"""
    done = play(tmp_path, build_request(spec, spec.combinations()[0], file), {}, b"", text)
    assert done.stdout == "IPluginV3 Scale [2.5]\n", done.stderr


@needs_bindings
def test_a_field_has_the_length_that_its_bytes_say(tmp_path):
    text = """
import numpy as np
for kind, (name, dtype) in network.FIELDS.items():
    data = network.field_array(kind, bytes(3 * np.dtype(dtype).itemsize))
    field = trt.PluginField("a", data, getattr(trt.PluginFieldType, name))
    assert field.size == 3, (kind, field.size)
print("well")
"""
    done = play(tmp_path, {}, {}, b"", text)
    assert done.stdout == "well\n", done.stderr


@needs_bindings
@pytest.mark.parametrize("dependent", [False, True])
def test_a_plan_runs_and_its_outputs_are_read(tmp_path, spec, dependent):
    combination = spec.combinations()[0]
    drawn = [_draw(spec, combination, extents_at(spec, "opt"))]
    request, payload = run_request(spec, combination, tmp_path / "unused.so", b"plan", drawn)
    text = f"""
import numpy as np
def compute(shapes, data):
    x = None if data is None else 2.5 * np.frombuffer(data["x"], np.float32)
    return {{"y": (shapes["x"], b"" if x is None else x.astype(np.float32).tobytes())}}
fake.Behaviour.compute = compute
fake.Behaviour.data_dependent = ("y",) if {dependent} else ()
driver = fake.Driver()
fake.Engine.driver = driver
execution = Execution(payload[: run["plan"]], driver, log, run["aliases"])
x = payload[run["plan"] :]
((shape, data),), times = execution.run([(run["runs"][0]["inputs"][0], x)], run["outputs"], run["repeats"])
assert shape == (2, 3)
assert np.array_equal(np.frombuffer(data, np.float32), np.float32(2.5) * np.frombuffer(x, np.float32))
assert times == [0.25] * 20 and driver.memory == {{}}, driver.memory
assert json.loads(execution.layers())["Layers"][0] == "plugin"
print("well")
"""
    done = play(tmp_path, {}, request, payload, text)
    assert done.stdout == "well\n", done.stderr


def _type_checker() -> tuple[str, Path] | None:
    """mypy and the folder with the stubs: of this environment, or of the one that GRADER_TYPE_CHECKER names."""
    if chosen := os.environ.get("GRADER_TYPE_CHECKER"):
        places = list(Path(chosen).glob("lib/python*/site-packages"))
        command = shutil.which("mypy", path=f"{chosen}/bin")
    else:
        places, command = [Path(entry) for entry in sys.path], shutil.which("mypy")
    stubs = next((place for place in places if (place / "tensorrt_bindings" / "tensorrt.pyi").is_file()), None)
    return (command, stubs) if command and stubs else None


def test_the_code_fits_the_type_stubs_of_tensorrt(tmp_path):
    found = _type_checker()
    if found is None:
        pytest.skip("mypy and tensorrt-stubs==10.13.0.35.1 (without its dependencies) are not installed")
    command, stubs = found
    for name in ("tensorrt", "tensorrt_bindings"):
        shutil.copytree(stubs / name, tmp_path / name, ignore=lambda folder, names: {n for n in names if ".so" in n})
    text = (tmp_path / "tensorrt_bindings" / "tensorrt.pyi").read_text()
    text = re.sub(r"\bin: ", "in_: ", text)  # the generator took parameters' names as they are
    text = text.replace("channel_axis: int) -> IScaleLayer", "channel_axis: int = 0) -> IScaleLayer")
    (tmp_path / "tensorrt_bindings" / "tensorrt.pyi").write_text(text)
    options = ["--python-version=3.11", "--follow-imports=silent", "--check-untyped-defs", "--ignore-missing-imports",
               f"--cache-dir={tmp_path / 'cache'}"]  # fmt: skip
    done = subprocess.run([command, *options, *map(str, sorted(ENGINE.glob("*.py")))], capture_output=True, text=True,
                          cwd=ENGINE.parents[2], env=os.environ | {"MYPYPATH": str(tmp_path)})  # fmt: skip
    wrong = [line for line in done.stdout.splitlines() if line.startswith("grader")]
    assert not wrong and "checked" in done.stdout, done.stdout[-2000:] + done.stderr[-2000:]
