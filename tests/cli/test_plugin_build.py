"""`grader plugin build`: the library, the commands that make the same one in a shell, errors at their lines."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader.cli.main import app
from grader.toolchain import lane
from grader.toolchain.elf import read_elf
from grader.toolchain.levels import reach

sys.path.append(str(Path(__file__).parents[1] / "plugin"))  # building
import building

pytestmark = pytest.mark.skipif(not lane.state().ready, reason=lane.state().sentence)


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """A folder with ScaleShift's files, in which the test stands."""
    for name, data in building.sources(building.PLUGINS / "scale_shift").items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def build(*arguments):
    return CliRunner().invoke(app, ["plugin", "build", *map(str, arguments)])


def test_a_library_is_built_and_the_commands_build_it_in_a_shell(plugin):
    result = build("scale_shift.cpp", "scale_shift_kernel.cu", "-o", "libmine.so")
    assert result.exit_code == 0, result.output
    assert "libmine.so is built. Its kernels can run on the simulated GPU." in result.output
    commands = [line for line in result.output.splitlines() if line.startswith("/")]
    assert len(commands) == 4 and commands[-1].endswith("-o libmine.so")
    mine = read_elf(plugin / "libmine.so")
    (plugin / "libmine.so").unlink()
    subprocess.run(" && ".join(commands), shell=True, check=True, cwd=plugin, capture_output=True)
    assert reach(plugin / "libmine.so").level == "L1"
    assert read_elf(plugin / "libmine.so").exports == mine.exports


def test_an_error_is_told_at_its_line_with_its_lesson(plugin):
    file = plugin / "scale_shift.cpp"
    file.write_text(file.read_text().replace("onShapeChange(PluginTensorDesc const*, int32_t, P",
                                             "onShapeChange(PluginTensorDesc const*, int64_t, P", 1))  # fmt: skip
    result = build("scale_shift.cpp", "scale_shift_kernel.cu", "-o", "libmine.so")
    text = " ".join(result.output.split())
    assert result.exit_code == 1 and not (plugin / "libmine.so").exists()
    assert "scale_shift.cpp:101:13 error: onShapeChange does not override TensorRT's method" in text
    assert text.endswith("Not built.")


def test_machine_code_is_built_and_does_not_run_on_the_simulated_gpu(plugin):
    result = build("scale_shift.cpp", "scale_shift_kernel.cu", "-o", "libmine.so", "--arch", "sm_90")
    assert result.exit_code == 0 and "machine code" in result.output and "compute_80" in result.output


@pytest.mark.parametrize(
    "arguments, word",
    [
        (["none.cpp", "-o", "x.so"], "there is no file none.cpp"),
        (["scale_shift_kernel.h", "-o", "x.so"], "nothing to compile"),
        (["scale_shift.cpp", "-o", "x.o"], "-o names the library"),
        (["scale_shift.cpp", "-o", "no/x.so"], "there is no folder no"),
        (["scale_shift.cpp", "-o", "x.so", "--arch", "volta"], "--arch is"),
        (["scale_shift.cpp", "-o", "x.so", "--headers", "."], "--headers"),
        (["scale_shift.cpp", "other/scale_shift.cpp", "-o", "x.so"], "have one name"),
    ],
)
def test_wrong_use_is_told_with_exit_status_2(plugin, arguments, word):
    (plugin / "other").mkdir()
    shutil.copy(plugin / "scale_shift_kernel.cu", plugin / "other" / "scale_shift.cpp")
    result = build(*arguments)
    assert result.exit_code == 2 and word in result.output
