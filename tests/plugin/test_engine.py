"""`grader plugin engine` without TensorRT: the refusal, and the parent's side against a process that answers for it."""

import copy
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from grader.plugin.build import build
from grader.plugin.engine import command, report
from grader.plugin.engine.command import build_request, run_engine
from grader.plugin.engine.compare import compare
from grader.plugin.engine.order import outline, rules
from grader.plugin.spec import load_spec

HERE = Path(__file__).parent
SCALE_SHIFT = load_spec(HERE / "plugins" / "scale_shift" / "scale_shift.toml")


@pytest.fixture(scope="module")
def library():
    return build(HERE / "libraries" / "double", shared=True)


def played(monkeypatch, library, mode: str, spec=SCALE_SHIFT) -> dict:
    child = [sys.executable, str(HERE / "fake_engine_child.py"), mode]
    monkeypatch.setattr(command, "python_child", lambda module: child)
    told = run_engine(library, spec)
    assert report.problems(json.loads(json.dumps(told))) == []
    return told


@pytest.fixture(scope="module")
def whole(library):
    with pytest.MonkeyPatch.context() as patch:
        return played(patch, library, "well")


def test_without_tensorrt_or_a_gpu_it_says_what_is_missing(library):
    told = run_engine(library, SCALE_SHIFT)
    assert told["state"] == "unsupported_here"
    assert "TensorRT's Python package is not installed" in told["sentence"] or "GPU" in told["sentence"]
    assert report.problems(told) == [] and told["combinations"] == []


def test_a_whole_run(whole, library):
    told = whole
    assert (told["state"], told["sentence"], told["trace"]) == ("pass", "", "")
    assert told["machine"]["gpu"] == "NVIDIA H200" and told["library"]["file"] == library.name
    assert [one["types"] for one in told["combinations"]] == [["float32", "float32"], ["float16", "float16"]]
    one = told["combinations"][0]
    assert one["build"] == {"seconds": 0.5, "plan_bytes": 6, "interface": "IPluginV3"}
    assert [(r["at"], r["extents"]["N"], r["outputs"][0]["state"]) for r in one["runs"]] == [
        ("min", 1, "pass"), ("opt", 4, "pass"), ("max", 16, "pass"),
    ]  # fmt: skip
    assert one["layers"] == ["ScaleShift"]
    assert one["outline"] == ["ScaleShift#1 attachToContext", "ScaleShift#2 onShapeChange", "ScaleShift#2 enqueue"]
    held = {rule["rule"]: rule["held"] for rule in one["order"]}
    assert held["enqueue-after-attach"] is True and held["enqueue-after-tactic"] is False
    assert str(HERE) not in json.dumps(told) and "/tmp" not in json.dumps(told)


def test_wrong_values_are_named_by_output_and_point(monkeypatch, library):
    told = played(monkeypatch, library, "wrong")
    assert told["state"] == "fail"
    assert told["sentence"] == "With float32, float32: Wrong values: y at opt."
    assert told["combinations"][0]["runs"][1]["outputs"][0]["largest_error"] == pytest.approx(0.25, abs=1e-5)


def test_an_engine_that_is_not_built_leaves_tensorrts_words(monkeypatch, library):
    told = played(monkeypatch, library, "no-engine")
    assert told["state"] == "fail"
    assert "TensorRT built no engine with the plugin. TensorRT said: ERROR: no formats" in told["sentence"]
    assert told["combinations"][0]["messages"] == ["ERROR: no formats"] and told["combinations"][0]["build"] is None


@pytest.mark.parametrize("mode", ["crash-build", "crash-run"])
def test_a_crash_of_tensorrts_process_is_told(monkeypatch, library, mode):
    told = played(monkeypatch, library, mode)
    assert told["state"] == "crash" and "SIGSEGV" in told["sentence"]


def test_another_major_version_than_the_headers_runs_without_a_trace(monkeypatch, library):
    told = played(monkeypatch, library, "eleven")
    assert told["state"] == "pass" and told["combinations"][0]["calls"] == []
    assert told["trace"].startswith("no call trace: the headers of TensorRT 11 are not here")


@pytest.mark.parametrize(("text", "words"), [("", "[plugin] name"), ('[plugin]\nname = "A"\n', "inputs with shapes")])
def test_a_spec_that_says_too_little_is_told(monkeypatch, library, tmp_path, text, words):
    (tmp_path / "spec.toml").write_text(text)
    told = played(monkeypatch, library, "well", load_spec(tmp_path / "spec.toml"))
    assert told["state"] == "error" and words in told["sentence"]


def test_the_request_says_the_network_in_plain_data():
    request = build_request(SCALE_SHIFT, SCALE_SHIFT.combinations()[1], Path("/x/liba.so"))
    assert request["plugin"] == ["ScaleShift", "1", ""]
    assert request["fields"][0] == {"name": "scale", "type": "float32", "data": np.float32(2).tobytes().hex()}
    assert request["inputs"] == [
        {"name": "x", "type": "float16", "shape": [-1, 3, -1], "values": None,
         "profile": [[1, 3, 1], [4, 3, 100], [16, 3, 700]]},
    ]  # fmt: skip
    assert json.loads(json.dumps(request)) == request


def test_comparing_counts_shape_tolerance_and_nan():
    combination = SCALE_SHIFT.combinations()[0]
    right = [np.array([1.0, np.nan, np.inf, 4.0])]
    good = np.array([1.0, np.nan, np.inf, 4.00001], np.float32)
    one = compare(SCALE_SHIFT, combination, 0, (4,), good.tobytes(), right)
    assert one["state"] == "pass" and one["largest_error"] == pytest.approx(1e-5, rel=0.1)
    for bad in ([1, 0, np.inf, 4], [1, np.nan, -np.inf, 4], [1, np.nan, np.inf, 4.1]):
        data = np.array(bad, np.float32).tobytes()
        assert compare(SCALE_SHIFT, combination, 0, (4,), data, right)["state"] == "fail"
    assert compare(SCALE_SHIFT, combination, 0, (2, 2), good.tobytes(), right)["state"] == "fail"
    assert compare(SCALE_SHIFT, combination, 0, (4,), good.tobytes(), None)["state"] == "not compared"


def call(seq, name, method, result=0, interface="IPluginV3OneRuntime"):
    return {"seq": seq, "object": name, "interface": interface, "method": method, "arguments": {}, "result": result,
            "seconds": 0.0}  # fmt: skip


def test_what_an_object_comes_from_counts_as_its_own_past():
    calls = [
        call(1, "a#1", "configurePlugin", interface="IPluginV3OneBuild"),
        call(2, "a#1", "clone", "a#2", interface="IPluginV3"),
        call(3, "a#2", "getValidTactics", interface="IPluginV3OneBuild"),
        call(4, "a#2", "setTactic"),
        call(5, "a#2", "attachToContext", "a#3"),
        call(6, "a#3", "enqueue"),
    ]
    held = {rule["rule"]: rule["held"] for rule in rules(calls)}
    assert held == {
        "tactics-after-configure": True, "enqueue-after-shape-change": False, "enqueue-after-tactic": True,
        "enqueue-after-attach": True, "workspace-after-configure": None, "v2-enqueue-after-initialize": None,
        "v2-enqueue-after-configure": None,
    }  # fmt: skip
    assert {rule["rule"]: rule["held"] for rule in rules([call(1, "b#1", "enqueue")])}["enqueue-after-attach"] is False


def test_equal_neighbours_are_told_once():
    calls = [call(2, "a", "x"), call(1, "a", "x"), call(3, "a", "y"), call(4, "a", "x")]
    assert outline(calls) == ["a x x 2", "a y", "a x"]


def test_a_report_goes_to_a_file_and_back(tmp_path, whole, capsys):
    report.write(whole, tmp_path / "report.json")
    assert report.read(tmp_path / "report.json") == whole
    assert report.main([str(tmp_path / "report.json")]) == 0
    assert "a report of ScaleShift, pass" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda r: r.update(kind="other"), "is no report"),
        (lambda r: r.update(schema=7), "schema 7"),
        (lambda r: r.update(state="fine"), "state: fine is no state"),
        (lambda r: r.pop("machine"), "machine: is missing"),
        (
            lambda r: r["combinations"][0]["runs"][0].update(at=3),
            r"combinations[0].runs[0].at: has the wrong type, int",
        ),
        (lambda r: r["combinations"].append(4), "combinations[2]: must be an object"),
        (lambda r: r["combinations"][0].update(calls={}), "combinations[0].calls: must be a list"),
        (lambda r: r["combinations"][0]["calls"][0].update(seq=True), "wrong type, bool"),
    ],
)
def test_what_is_no_report_is_told_with_its_place(whole, tmp_path, change, words):
    told = copy.deepcopy(whole)
    change(told)
    (tmp_path / "report.json").write_text(json.dumps(told))
    with pytest.raises(ValueError) as problem:
        report.read(tmp_path / "report.json")
    assert words in str(problem.value)


@pytest.mark.parametrize("text", ["", "nonsense", "[" * 100000, "[]", "null"])
def test_other_files_are_no_reports(tmp_path, text, capsys):
    (tmp_path / "file").write_text(text)
    assert report.main([str(tmp_path / "file")]) == 1
    assert "It is no" in capsys.readouterr().out


def test_the_command_prints_and_writes(library, tmp_path, capsys):
    from grader.cli.engine import run

    assert run(library, SCALE_SHIFT.path, tmp_path / "report.json", False) == 1
    assert "The real engine cannot run here." in " ".join(capsys.readouterr().out.split())
    assert report.read(tmp_path / "report.json")["state"] == "unsupported_here"
    assert run(library, SCALE_SHIFT.path, None, True) == 1
    assert json.loads(capsys.readouterr().out)["kind"] == report.KIND
