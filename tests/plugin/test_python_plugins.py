"""Class-based Python plugins through NVIDIA's bindings, the same host and the same session as C++ libraries."""

import struct
from pathlib import Path

import pytest

from grader.plugin import python_plugins
from grader.plugin.python_plugins import python_session
from grader.plugin.records import Descriptor, Field
from grader.plugin.session import RUNTIME, HostProblem, PluginEnded

pytestmark = pytest.mark.skipif(python_plugins.available() is not None, reason="NVIDIA's lean bindings are not here")

SCALE = Path(__file__).parent / "python" / "scale.py"
FLOAT, HALF, INT8 = 0, 1, 2  # DataType
LINEAR, CHW2 = 0, 1  # TensorFormat
MATRIX = Descriptor(FLOAT, (-1, 3), min=(1, 3), opt=(2, 3), max=(4, 3))


def scale_of(value: float) -> Field:
    return Field("scale", 1, 1, struct.pack("f", value))


@pytest.fixture
def session():
    with python_session(SCALE) as one:
        yield one


def test_the_creator_is_found_though_the_file_does_not_register_it(session):
    (creator,) = session.creators()
    assert creator.kind == "PLUGIN CREATOR_V3ONE"
    assert (creator.name, creator.version, creator.namespace) == ("PyScale", "1", "")
    assert [(field.name, field.type, field.length) for field in creator.fields] == [("scale", 1, 0)]
    assert session.loaded.taken and session.look_up("PyScale", "1", "") == creator.number


def test_types_shapes_and_configuration_go_through_the_real_bindings(session):
    plugin = session.create(session.creators()[0], [scale_of(2.5)])
    assert plugin.identity() == ("PyScale", "1", "")
    assert plugin.output_types([HALF], 1) == (0, [HALF])
    shapes = plugin.output_shapes([["N", 3]], 1)
    assert shapes.status == 0 and [shapes.text(node) for node in shapes.outputs[0]] == ["N * 2", "3"]
    assert plugin.configure([MATRIX], [MATRIX]) == 0
    assert plugin.tactics() == (2, 0, [1, 2])
    assert plugin.workspace_size([MATRIX], [MATRIX]) == 0
    assert plugin.format_limit() == 100 and plugin.timing_cache_id() is None


def test_formats_are_read_from_the_real_descriptors(session):
    plugin = session.create(session.creators()[0], [])
    candidates = [[(FLOAT, LINEAR), (HALF, LINEAR), (HALF, CHW2), (INT8, LINEAR)]] * 2
    found, whole = plugin.combinations([MATRIX, MATRIX], 1, candidates)
    assert found == [((FLOAT, LINEAR), (FLOAT, LINEAR)), ((HALF, LINEAR), (HALF, LINEAR))] and whole


def test_fields_survive_into_a_second_process(session):
    kept = session.create(session.creators()[0], [scale_of(-0.5)]).serialized()
    assert kept == (scale_of(-0.5),)
    with python_session(SCALE) as second:
        rebuilt = second.create(second.creators()[0], kept, phase=RUNTIME)
        assert rebuilt.serialized() == kept
        assert rebuilt.clone().serialized() == kept
        assert rebuilt.attach().serialized() == kept


def test_what_the_creator_refuses_is_null(session):
    creator = session.creators()[0]
    assert session.create(creator, [Field("other", 1, 1, bytes(4))]) is None
    assert session.create(creator, [Field("scale", 5, 1, bytes(4))]) is None
    assert session.create(creator, None) is None  # the file's TypeError stays in the bindings


def test_the_bindings_hide_a_null_pointer_behind_memory_of_their_own(session):
    """So that no Python plugin can refuse it, and the check of null fields is not for Python plugins."""
    assert session.create(session.creators()[0], [Field("scale", 1, 1, None)]) is not None
    assert "fields-null" in python_plugins.UNSUPPORTED


def test_an_exception_becomes_a_status(session):
    context = session.create(session.creators()[0], []).attach()
    assert context.set_tactic(0) == 0
    assert context.shape_change([MATRIX], [MATRIX]) == 0
    flat = Descriptor(FLOAT, (3,))
    assert context.shape_change([flat], [flat]) != 0
    assert context.enqueue([flat], [flat], [None], [None], 0, 0) != 0


def test_the_life_is_in_the_trace(session):
    session.create(session.creators()[0], []).clone().end()
    assert [call.method for call in session.trace.calls][-3:] == ["createPlugin", "clone", "~IPluginV3"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import tensorrt as trt\n\nprint(undefined)\n", "plugin.py, line 3: NameError"),
        ("def broken(:\n", "plugin.py, line 1: SyntaxError"),
        ("import tensorrt as trt\ntrt.Builder(trt.Logger())\n", "tensorrt.Builder is not here"),
        ("import sys\nsys.exit(0)\n", "SystemExit"),
        ("import tensorrt as trt\n", "defines no plugin creator"),
    ],
)
def test_a_file_that_does_not_work_is_told_with_its_line(tmp_path, text, words):
    (tmp_path / "plugin.py").write_text(text)
    with pytest.raises(HostProblem, match="plugin.py") as problem, python_session(tmp_path / "plugin.py"):
        pass
    assert words in str(problem.value)


HEAD = """
import cupy as cp
import torch
import triton
from cupy.cuda import UnownedMemory
from torch.utils.dlpack import from_dlpack
from numba import cuda


@triton.jit
def kernel(x, n: triton.language.constexpr):
    pass


class Model(torch.nn.Module):
    pass


RAW = cp.RawKernel("code", "name")
with cp.cuda.Stream() as stream:
    RAW((1,), (1,), (cp.zeros(3, dtype=cp.float32)[0],))
"""


def test_packages_for_a_gpu_that_are_not_here_do_not_keep_a_file_from_loading(tmp_path):
    (tmp_path / "plugin.py").write_text(HEAD + SCALE.read_text())
    with python_session(tmp_path / "plugin.py") as session:
        assert session.create(session.creators()[0], []).serialized() == (scale_of(1.0),)


@pytest.mark.parametrize("value", ["7", "[]", "None", "self.get_output_data_types(input_types)"])
def test_a_result_of_another_type_is_a_status(tmp_path, value):
    (tmp_path / "plugin.py").write_text(SCALE.read_text().replace("[input_types[0]]", value))
    with python_session(tmp_path / "plugin.py") as session:
        assert session.create(session.creators()[0], []).output_types([FLOAT], 1) == (-1, [-1])


def test_other_packages_that_are_not_here_are_told(tmp_path):
    (tmp_path / "plugin.py").write_text("import no_such_package\n")
    with pytest.raises(HostProblem, match="No module named 'no_such_package'"), python_session(tmp_path / "plugin.py"):
        pass


@pytest.mark.parametrize(
    "deed",
    [
        "import os; os._exit(0)",
        "import ctypes; ctypes.string_at(0)",
        "import os, sys; os.write(int(sys.argv[-1].split('=')[1]), bytes(64)); return [input_types[0]]",
        "import os, sys; os.close(int(sys.argv[-1].split('=')[1])); return [input_types[0]]",
    ],
    ids=["exits", "crashes", "forges", "closes"],
)
def test_a_process_that_ends_in_a_method_is_no_pass(tmp_path, deed):
    (tmp_path / "plugin.py").write_text(SCALE.read_text().replace("return [input_types[0]]", deed))
    with python_session(tmp_path / "plugin.py") as session:
        plugin = session.create(session.creators()[0], [])
        with pytest.raises(PluginEnded, match="getOutputDataTypes"):
            plugin.output_types([FLOAT], 1)
