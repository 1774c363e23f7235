"""Plugins in a notebook: drafts, the panel of a report, one life. The example notebook runs them for real."""

import html
from pathlib import Path

import pytest

from grader.checks.base import failed, passed
from grader.checks.conformance import rules as _all  # noqa: F401  (fills RULES)
from grader.checks.conformance.rule import RULES
from grader.checks.conformance.run import Report
from grader.notebook.conformance import ConformancePanel
from grader.notebook.plugin import Draft, Life, NotBuilt, NotDriven, conform, live
from grader.plugin.build import HostUnavailable
from grader.plugin.trace import Call, Trace
from grader.toolchain import lane
from grader.verdict import State

PLUGINS = Path(__file__).parents[1] / "plugin" / "plugins"
KERNEL = "__global__ void k(float* y)\n{\n    y[threadIdx.x] = 1;\n}\n"


def report(*results, **rest):
    return Report("/tmp/libmine.so", "L1", results, Trace(), 1.25, **rest)


def test_a_report_that_passes():
    panel = ConformancePanel(report(RULES["loads"].result(passed()), RULES["stream"].result(passed())))
    text = panel._repr_html_()
    assert "It keeps the rules" in text and "2 rules passed" in text and "libmine.so" in text
    assert repr(panel).startswith("libmine.so: It keeps the rules, 2 rules passed")


def test_a_report_that_fails_shows_the_line_and_what_waits():
    fault = "The kernel writes past the end of y. (k.cu, line 3; thread 8 of block 0)"
    results = [
        RULES["loads"].result(passed()),
        RULES["bounds"].result(failed(fault)),
        RULES["values"].blocked("bounds", State.FAIL),
        RULES["blob-size"].result(failed("Not run: it is about V2 plugins.", state=State.UNSUPPORTED_HERE)),
    ]
    panel = ConformancePanel(report(*results, notes=("A <note>.",)), {"k.cu": KERNEL})
    text = panel._repr_html_()
    assert "Not conforming: bounds" in text and "1 rule passed, 1 failed" in text
    assert "y[threadIdx.x] = 1;" in text and "this line: " in text
    assert "1 more rule waits for" in text and "0 passed, 1 not run" in text
    assert "A &lt;note&gt;." in text and "<note>" not in text
    assert html.escape(RULES["bounds"].belief) in text and html.escape(RULES["bounds"].source) in text
    plain = repr(panel)
    assert "✗ failed" in plain and fault.split(".")[0] in " ".join(plain.split())


def test_nothing_that_could_run_is_no_success():
    nothing = ConformancePanel(report(RULES["loads"].result(failed("", state=State.UNSUPPORTED_HERE))))
    assert "Nothing could be checked" in nothing._repr_html_()


def test_a_change_must_hit_once():
    draft = Draft({"a.cpp": "int a; int b;", "a.toml": "[plugin]\n"})
    assert draft.changed("int a", "int c").files["a.cpp"] == "int c; int b;"
    for text, times in (("int", 2), ("float", 0)):
        with pytest.raises(ValueError, match=f"{times} times"):
            draft.changed(text, "x")


def test_what_does_not_compile_says_so_in_a_line():
    with pytest.raises(NotBuilt) as error:
        _ = Draft({"a.cpp": '#include "/etc/passwd"\n'}).library
    (line,) = error.value._render_traceback_()
    assert line.startswith("NotBuilt: ") and "a.cpp, line 1" in line


def test_what_cannot_be_driven_is_told():
    with pytest.raises(FileNotFoundError, match="there is no library"):
        conform("/nowhere/libmine.so")
    with pytest.raises(ValueError, match="a plugin needs"):
        Draft({"a.toml": ""})


def test_a_spec_that_is_wrong_is_one_line(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text("[plugn]\n")
    with pytest.raises(NotDriven, match="plugn"):
        conform(tmp_path / "libmine.so", spec=file)


def test_what_is_missing_here_is_one_line(monkeypatch, tmp_path):
    def nothing(*_, **__):
        raise HostUnavailable("The registry is missing.")

    monkeypatch.setattr("grader.checks.conformance.run.conform", nothing)
    (tmp_path / "libmine.so").write_bytes(b"")
    with pytest.raises(NotDriven, match="The registry is missing"):
        conform(tmp_path / "libmine.so")


def test_the_plugin_lane_is_installed_on_first_use(monkeypatch, tmp_path):
    seen = []
    monkeypatch.setattr("grader.toolchain.lane.state", lambda: lane.Lane("absent", 0, 1))
    monkeypatch.setattr("grader.toolchain.lane.install", lambda report: seen.append(report))
    with pytest.raises(FileNotFoundError):
        conform(tmp_path / "libmine.so")
    assert len(seen) == 1


def test_a_life_shows_what_was_found():
    calls = [Call(1, 1, "creator", "IPluginCreatorV3One", "createPlugin", [], "plugin 1", 0.0)]
    life = Life(calls, {"y": "(N, ceil_div(L, 2))"}, {"weight": "float32 0.5"}, 64, problem="enqueue() returned 1.")
    assert "ceil_div(L, 2)" in life._repr_html_() and "enqueue() returned 1." in life._repr_html_()
    assert "the workspace: 64 bytes" in repr(life) and repr(life).endswith("enqueue() returned 1.")


@pytest.mark.parametrize(("name", "kept"), [("relu", set()), ("channel_bias_v2", {"blob"})])
def test_one_life_of_a_right_plugin(name, kept):
    files = {path.name: path.read_text() for path in sorted((PLUGINS / name).iterdir()) if path.is_file()}
    life = live(Draft(files))
    assert life.problem == "" and life.shapes and set(life.kept) >= kept
    assert 1 <= len(life.outputs) <= 3 and any("cudaLaunchKernel: " in line for line in life.cuda)
    assert {call.process for call in life.calls} == {1, 2}
