"""What the registry of TensorRT 11.4 makes of libraries that were built with headers of 10.x."""

from pathlib import Path

import pytest

from grader.plugin.build import build
from grader.plugin.second_registry import Creator, ask, remark
from grader.toolchain import tensorrt
from grader.verdict import State

DOUBLE = Path(__file__).parent / "libraries" / "double"
FLOAT32 = 1  # PluginFieldType


@pytest.fixture(scope="module")
def lean():
    path = tensorrt.lean_library(11)
    if path is None:
        pytest.skip("the registry of TensorRT 11.4 is not here: run grader plugin-lane")
    return path


def library(*flags: str) -> Path:
    return build(DOUBLE, shared=True, flags=flags)


def test_a_library_with_get_creators_loads_and_its_creator_is_found(lean):
    answer = ask(library(), lean=lean)
    assert answer.state is State.PASS, answer.sentence
    assert answer.tensorrt.startswith("11.4")
    interface = "PLUGIN CREATOR_V3ONE 1.0"
    assert answer.creators == (
        Creator(interface, "Double", "1", "", (("scale", FLOAT32, 1),), found=True, creates=True),
    )


def test_a_library_that_registers_itself_crashes_and_is_told_to_rebuild(lean):
    answer = ask(library("-DSELF_REGISTERING"), lean=lean)
    assert answer.state is State.CRASH
    assert "REGISTER_TENSORRT_PLUGIN" in answer.sentence and "headers of TensorRT 11" in answer.sentence


@pytest.mark.parametrize(
    ("flag", "name"), [("-DNO_CREATORS", "getCreators"), ("-DNO_LOGGER_FINDER", "setLoggerFinder")]
)
def test_a_missing_export_is_named(lean, flag, name):
    answer = ask(library(flag), lean=lean)
    assert answer.state is State.FAIL
    assert f"only if it exports {name}:" in answer.sentence


def test_a_library_that_does_not_load_is_told_why(lean, tmp_path):
    (tmp_path / "broken.so").write_bytes(b"not a library" * 9)
    answer = ask(tmp_path / "broken.so", lean=lean)
    assert answer.state is State.FAIL and "invalid ELF header" in answer.sentence
    assert "cannot open shared object file" in ask(tmp_path / "none.so", lean=lean).sentence


def test_a_library_that_ends_the_process_is_no_pass(lean):
    answer = ask(library("-DEXITS"), lean=lean)
    assert answer.state is State.ERROR and "loaded the library" in answer.sentence
    assert "REGISTER" not in answer.sentence


def test_another_library_in_the_place_of_the_registry_is_the_graders_fault(lean):
    ten = tensorrt.lean_library()
    assert ask(library(), lean=ten).state is State.GRADER_FAULT
    assert ask(library(), lean=library()).state is State.GRADER_FAULT


def test_a_library_that_is_linked_with_another_tensorrt_is_told(tmp_path, lean):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "empty.cpp").write_text("")
    other = tmp_path / "libnvinfer.so.10"
    other.write_bytes(build(tmp_path / "empty", shared=True, flags=["-Wl,-soname,libnvinfer.so.10"]).read_bytes())
    linked = build(DOUBLE, shared=True, flags=["-Wl,--no-as-needed", str(other)])
    answer = ask(linked, lean=lean)
    assert answer.state is State.FAIL and "is linked with libnvinfer.so.10" in answer.sentence


def test_what_a_report_says_of_the_way_to_11(lean):
    assert remark(library()) == "", "nothing is in its way"
    assert remark(library("-DSELF_REGISTERING")).startswith("On the way to TensorRT 11: ")
