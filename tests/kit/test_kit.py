"""The kit that plugins of the course are built on: compiled against TensorRT's headers, driven by the plugin host."""

import struct
import subprocess
from pathlib import Path

import pytest

from grader.checks.conformance.run import conform
from grader.plugin.records import Field
from grader.plugin.session import BUILD, RUNTIME, Session
from grader.plugin.spec import load_spec
from grader.toolchain import Source, compile_library, lane, locate
from grader.toolchain.elf import read_elf
from grader.verdict import State

pytestmark = pytest.mark.skipif(not lane.state().ready, reason=lane.state().sentence)
HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
KIT, CHAPTER = ROOT / "plugin_skeletons" / "common", ROOT / "plugin_skeletons" / "05_build_and_load"
SPEC = ROOT / "tests" / "plugin" / "plugins" / "scale_shift" / "scale_shift.toml"
FLOAT32, FLOAT64, INT32, CHAR, INT64 = 1, 2, 5, 6, 10  # PluginFieldType


def built(main: Path, *given: Path) -> Path:
    files = {f"common/{header.name}": header.read_bytes() for header in KIT.glob("*.h")}
    files |= {path.name: path.read_bytes() for path in (main, *given)}
    library = compile_library(Source(files, main.name))
    assert library.state is State.PASS, f"{library.message}\n{library.log}"
    assert not library.diagnostics
    return library.path


# A right plugin


@pytest.fixture(scope="module")
def scale_shift():
    names = ("scale_shift.h", "scale_shift.cpp", "scale_shift_kernel.h", "scale_shift_kernel.cu")
    return built(HERE / "registration.cpp", *(CHAPTER / name for name in names))


def test_a_plugin_on_the_kit_passes_all_rules_in_fp32_and_fp16(scale_shift):
    report = conform(scale_shift, load_spec(SPEC), seed=5)
    assert report.level == "L1"
    assert {"values", "status", "fields-null", "fields-type", "exceptions"} <= {each.check for each in report.results}
    others = [each for each in report.results if each.state is not State.PASS]
    assert [(each.check, each.message) for each in others if each.message != "Not run: it is about V2 plugins."] == []


def test_the_kit_exports_two_entry_points_and_nothing_of_its_own(scale_shift):
    names = {name for name in read_elf(scale_shift).exports if "3kit" in name or not name.startswith("_Z")}
    assert names - {"kIDENTITY"} == {"getCreators", "setLoggerFinder"}


# The field reader


@pytest.fixture(scope="module")
def session():
    with Session(built(HERE / "field_probe.cpp")) as running:
        yield running


@pytest.fixture
def read(session):
    """read(fields, ...) -> what was read, as text by name, and what was wrong."""

    def run(*fields, phase=BUILD, collection=True):
        (creator,) = session.creators()
        before = len(session.messages)
        assert session.create(creator, list(fields) if collection else None, phase) is None
        said, *problems = [text for _, text in session.messages[before:]]
        return dict(part.split("=", 1) for part in said.split(" ")), problems

    return run


def floats(name, *values, type=FLOAT32):
    return Field(name, type, len(values), struct.pack(f"={len(values)}f", *values))


def ints(name, *values, type=INT32):
    return Field(name, type, len(values), struct.pack(f"={len(values)}i", *values))


def test_each_kind_of_value_is_read_by_its_name(read):
    got, problems = read(
        ints("wholes", 1, 2, 3), floats("number", 1.25), floats("numbers", 1, -2), ints("whole", -6),
        floats("three", 5, 6, 7), ints("two", 8, 9), Field("text", CHAR, 4, b"erf\0"),
    )  # fmt: skip
    assert not problems
    assert got == {
        "number": "1.250000", "whole": "-6", "three": "5.000000,7.000000", "two": "9",
        "numbers": "2:1.000000:-2.000000", "wholes": "3", "text": "[erf]",
    }  # fmt: skip


def test_what_is_missing_keeps_its_default(read):
    got, problems = read()
    assert not problems
    assert (got["number"], got["whole"], got["numbers"], got["text"]) == ("0.500000", "7", "1:9.000000", "[none]")


@pytest.mark.parametrize("data", [b"erf", b"erf\0", b"erf\0trash"])
def test_text_ends_with_its_length_or_its_nul(read, data):
    assert read(Field("text", CHAR, len(data), data))[0]["text"] == "[erf]"


def test_lists_may_be_empty(read):
    got, problems = read(Field("numbers", FLOAT32, 0, None), Field("text", CHAR, 0, b""))
    assert not problems and (got["numbers"], got["text"]) == ("0", "[]")


@pytest.mark.parametrize(("whole", "taken"), [(2, True), (-(2**24), True), (2**24 + 1, False), (2**31 - 1, False)])
def test_a_whole_number_is_a_float_if_a_float_is_that_number(read, whole, taken):
    got, problems = read(ints("number", whole))
    assert problems == ([] if taken else [f"number: no float is exactly {whole}"])
    assert float(got["number"]) == (whole if taken else 0.5)


@pytest.mark.parametrize(
    ("field", "problem"),
    [
        (Field("number", FLOAT32, 1, None), "number: its data is null"),
        (Field("numbers", FLOAT32, 3, None), "numbers: its data is null"),
        (Field("text", CHAR, 3, None), "text: its data is null"),
        (Field("numbers", FLOAT32, -1, b"1234"), "numbers: its length is -1"),
        (Field("number", FLOAT64, 1, bytes(8)), "number: its type is PluginFieldType 2, not 1"),
        (ints("text", 1), "text: its type is PluginFieldType 5, not 6"),
        (floats("whole", 1), "whole: its type is PluginFieldType 1, not 5"),
        (Field("whole", INT64, 1, bytes(8)), "whole: its type is PluginFieldType 10, not 5"),
        (floats("number", 1, 2), "number: it has 2 elements, not 1"),
        (floats("number"), "number: it has 0 elements, not 1"),
        (floats("three", 1, 2), "three: it has 2 elements, not 3"),
        (floats("numbre", 1), "numbre: there is no such attribute"),
        (Field(None, FLOAT32, 1, bytes(4)), "a field: it has no name"),
        (floats("x" * 900, 1), "x" * 60 + ": there is no such attribute"),
    ],
)
def test_what_is_wrong_with_a_field_is_said_and_changes_nothing(read, field, problem):
    got, problems = read(field)
    assert problems == [problem]
    assert got == read()[0]


def test_the_first_problem_is_the_one_that_is_told(read):
    assert read(floats("number", 1, 2), ints("text", 1))[1] == ["number: it has 2 elements, not 1"]


def test_a_field_that_is_there_twice_is_refused(read):
    got, problems = read(floats("number", 1), floats("number", 2))
    assert problems == ["number: it is there twice"] and got["number"] == "0.500000"


def test_a_required_field_that_is_missing(read):
    assert read(phase=RUNTIME)[1] == ["must: it is missing, and there is no default"]
    assert read(ints("must", 3), phase=RUNTIME)[1] == []
    assert read(floats("must", 3), phase=RUNTIME)[1] == ["must: its type is PluginFieldType 1, not 5"]


def test_no_collection_is_no_reason_to_end(read):
    assert read(collection=False)[1] == ["the fields: there is no collection"]


def test_an_exception_inside_a_method_becomes_null(read):
    assert read(ints("whole", 1234))[1] == []
    assert read()[1] == [], "the process goes on"


# Statuses


def test_statuses_of_launches_and_of_what_throws(tmp_path):
    folders = [part for folder in (*locate.toolkit().folders, KIT.parent) for part in ("-isystem", str(folder))]
    command = [str(locate.gxx()), "-std=c++17", "-Wall", "-Wextra", *folders, str(HERE / "status_probe.cpp")]
    subprocess.run([*command, "-o", str(tmp_path / "probe")], check=True)
    said = subprocess.run([tmp_path / "probe"], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["9", "0", "2", "-1", "3", "1", "1", "0"]
