"""The rules on a class-based Python plugin: a right one passes all that can be asked here, wrong ones are caught."""

from pathlib import Path

import pytest

from grader.checks.conformance.run import conform
from grader.plugin import python_plugins
from grader.plugin.spec import load_spec
from grader.verdict import State

pytestmark = pytest.mark.skipif(python_plugins.available() is not None, reason="NVIDIA's lean bindings are not here")

SCALE = Path(__file__).parents[2] / "plugin" / "python" / "scale.py"
SPEC = load_spec(SCALE.with_suffix(".toml"))


def states(file: Path) -> dict[str, State]:
    return {result.check: result.state for result in conform(file, SPEC).results}


def test_a_right_python_plugin_passes_what_can_be_asked_here():
    report = conform(SCALE, SPEC)
    assert not report.failed
    passed = {result.check for result in report.results if result.state is State.PASS}
    assert {"loads", "creators", "formats-complete", "formats-peek", "shapes", "shapes-wildcard", "configure"} <= passed
    assert report.level == "L0" and "needs a GPU" in report.reason


def test_a_plugin_that_computes_with_cupy_passes_without_cupy_but_for_its_enqueue():
    file = SCALE.with_name("cupy_scale.py")
    assert not conform(file, load_spec(file.with_suffix(".toml"))).failed


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("builder.operation(trt.DimensionOperation.PROD, inputs[0][0], builder.constant(2))", "builder.constant(8)",
         "shapes-wildcard"),
        ("builder.operation(trt.DimensionOperation.PROD, inputs[0][0], builder.constant(2))", "inputs[0][0]", "shapes"),
        (" or field.size != 1", "", "fields-length"),
        ("return [input_types[0]]", "return [trt.int32]", "output-types"),
        ("in_out[0].desc.type in (trt.float32, trt.float16)", "in_out[0].desc.type == trt.float32", "formats-complete"),
        ("linear = in_out[pos].desc.format == trt.TensorFormat.LINEAR",
         "linear = all(one.desc.format == trt.TensorFormat.LINEAR for one in in_out)", "formats-peek"),
    ],
)  # fmt: skip
def test_a_wrong_python_plugin_is_caught(tmp_path, old, new, rule):
    text = SCALE.read_text()
    assert old in text
    (tmp_path / "scale.py").write_text(text.replace(old, new))
    assert states(tmp_path / "scale.py")[rule] is State.FAIL


def test_a_file_with_an_error_fails_to_load_with_its_line(tmp_path):
    (tmp_path / "scale.py").write_text("import tensorrt as trt\nnothing\n")
    results = {result.check: result for result in conform(tmp_path / "scale.py", SPEC).results}
    assert results["loads"].state is State.FAIL
    assert "scale.py, line 2: NameError" in results["loads"].message
