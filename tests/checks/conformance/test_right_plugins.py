"""No false alarm: right plugins pass every rule that needs no kernels, with a spec and without one.

A few of them here; ``make prove`` drives all, kernels too.
"""

from pathlib import Path

import pytest

from grader.checks.conformance.run import conform
from grader.plugin.spec import load_spec
from grader.toolchain import tensorrt
from grader.toolchain.library import compile_library
from grader.toolchain.records import Source
from grader.verdict import State

PLUGINS = Path(__file__).parents[2] / "plugin" / "plugins"
CODE = {".cpp", ".h", ".hpp", ".cu", ".cuh"}

pytestmark = pytest.mark.skipif(tensorrt.lean_library() is None, reason="no plugin registry")


def library(folder: Path) -> Path:
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in CODE}
    made = compile_library(Source(main=f"{folder.name}.cpp", files=files))
    assert made.path is not None, made.message
    return made.path


@pytest.mark.parametrize("described", [True, False], ids=["spec", "no spec"])
@pytest.mark.parametrize("name", ["scale_shift", "prelu", "channel_bias_v2"])
def test_a_right_plugin_passes(name, described):
    folder = PLUGINS / name
    spec = load_spec(folder / f"{name}.toml") if described else None
    report = conform(library(folder), spec, level="L0")
    assert not [(each.check, each.message) for each in report.failed]
    assert {each.state for each in report.results} <= {State.PASS, State.UNSUPPORTED_HERE}
