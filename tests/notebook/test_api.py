import contextlib
import dataclasses
import json

import pytest

from grader import exercises, workspace
from grader.notebook import NotPassed, answer, api
from grader.notebook.api import ExerciseHandle
from grader.notebook.api import exercise as find
from grader.toolchain import lane
from grader.toolchain.lane import Lane
from grader.verdict import State


@pytest.fixture
def judged(monkeypatch, verdict):
    """Stands for the checks: shows the first of ``verdicts``, answers with the last, keeps what it was asked."""

    class Judge:
        verdicts: list = []
        calls: list = []

        def __call__(self, slug, directory, *, on_visible, **options):
            self.calls.append((slug, directory, options))
            on_visible(self.verdicts[0])
            return self.verdicts[-1]

    judge = Judge()
    judge.verdicts, judge.calls = [verdict(), verdict(rest={"seed": 5})], []
    monkeypatch.setattr(exercises, "check", judge)
    return judge


@pytest.fixture
def handle(exercise, tmp_path):
    return ExerciseHandle(exercise, tmp_path)


def test_a_pass_shows_and_raises_nothing(handle, judged, capsys):
    assert handle.check(seed=5) is None
    ((_, _, options),) = judged.calls
    assert options["hidden"] and options["reveal"] and options["seed"] == 5
    out = capsys.readouterr().out
    assert "Passed, 10 of 10 points" in out and out.count("Masked GELU") == 1


def test_the_plugin_lane_is_installed_on_first_use_with_a_bar(handle, judged, monkeypatch):
    states, shown = [Lane("absent", 0, 22), Lane("ready", 22, 22)], []

    def install(report):
        report(Lane("installing", 3, 22, "onnx"))
        states.pop(0)

    class Shown:
        preview = replace = shown.append

    monkeypatch.setattr(lane, "state", lambda: states[0])
    monkeypatch.setattr(lane, "install", install)
    monkeypatch.setattr(api, "show", lambda first: contextlib.nullcontext(Shown))
    handle.record = dataclasses.replace(handle.record, needs=("plugin-lane",))
    handle.check()
    assert repr(shown[0]) == "The plugin lane is being installed, 3 of 22 packages: onnx."
    assert '<progress value="3" max="22"' in shown[0]._repr_html_()
    count = len(shown)
    handle.check()
    assert not isinstance(shown[count], type(shown[0]))  # once


def test_without_a_seed_each_check_draws_a_fresh_one(handle, judged):
    handle.check()
    handle.check()
    seeds = [options["seed"] for _, _, options in judged.calls]
    assert len(seeds) == len(set(seeds)) == 2


def test_a_failure_raises_one_line(handle, judged, verdict, capsys):
    judged.verdicts = [verdict(mask={"state": State.FAIL, "message": "y[0] is nan."})]
    with pytest.raises(NotPassed) as caught:
        handle.check()
    assert len(judged.calls) == 1 and caught.value.verdict is judged.verdicts[0]
    assert caught.value._render_traceback_() == [
        "NotPassed: masked-gelu-forward: 2 of 3 checks passed, 4 of 10 points. The panel above says what to do."
    ]
    assert "y[0] is nan." in capsys.readouterr().out


def test_a_hidden_case_can_fail_a_check(handle, judged, verdict):
    judged.verdicts[1] = verdict(mask={"state": State.FAIL, "hidden": True})
    with pytest.raises(NotPassed):
        handle.check()


@pytest.mark.parametrize("state, passes", [(State.UNSUPPORTED_HERE, True), (State.GRADER_FAULT, False)])
def test_what_cannot_run_here_does_not_fail_and_a_fault_does_not_pass(handle, judged, verdict, state, passes):
    judged.verdicts = [verdict(coalesced={"state": state})]
    if passes:
        handle.check()
    else:
        with pytest.raises(NotPassed):
            handle.check()


def test_nothing_checked_is_no_pass(handle, judged, verdict):
    nothing = {"state": State.UNSUPPORTED_HERE}
    judged.verdicts = [verdict(compiles=nothing, mask=nothing, coalesced=nothing)]
    with pytest.raises(NotPassed):
        handle.check()


def test_an_unknown_exercise_names_the_nearest():
    with pytest.raises(api.UnknownExercise) as caught:
        find("no-such-exercise")
    (line,) = caught.value._render_traceback_()
    assert line.startswith("UnknownExercise: there is no exercise")


@pytest.fixture
def started(tmp_path):
    """A workspace with the chapter's folder in it."""
    (tmp_path / ".grader" / "pristine").mkdir(parents=True)
    folder = tmp_path / "10_masked_gelu"
    folder.mkdir()
    return folder


def test_hints_climb_and_are_remembered(exercise, started):
    for rung in (1, 2, 3, 4, 4):
        page = ExerciseHandle(exercise, started).hint()
        assert page.title == f"“Masked GELU, forward”: hint {rung} of 4"
        assert f"rung {rung}" in page._repr_html_() and f"rung {rung + 1}" not in repr(page)
    assert "last hint" in repr(page)
    assert workspace.load(workspace.containing(started)).of(exercise).hints == 4


def test_hints_outside_a_workspace_are_remembered_in_the_process(handle, monkeypatch):
    monkeypatch.setattr(answer, "_taken", {})
    assert "hint 1 of 4" in handle.hint().title and "hint 2 of 4" in handle.hint().title


def test_the_attempt_is_recorded(exercise, started, judged):
    ExerciseHandle(exercise, started).check()
    entry = workspace.load(workspace.containing(started)).of(exercise)
    assert entry.attempts == 1 and entry.passed


def test_contract_and_files(handle, tmp_path):
    contract = handle.contract()
    assert "<code>mask</code>" in contract._repr_html_() and "special values" in repr(contract)
    assert "masked_gelu.cu: missing" in repr(handle.files())
    (tmp_path / "masked_gelu.cu").write_text("x")
    assert "masked_gelu.cu: there" in repr(handle.files())


def test_the_answer_is_looked_for_where_the_notebook_runs(exercise, started, tmp_path, monkeypatch):
    monkeypatch.chdir(started)
    (started / "masked_gelu.cu").write_text("x")
    assert answer.directory_of(exercise) == started


def write_notebook(folder, source):
    cell = {"cell_type": "code", "source": source, "metadata": {"nbgrader": {"grade_id": "masked-gelu-forward-answer"}}}
    (folder / "10_masked_gelu.ipynb").write_text(json.dumps({"cells": [cell]}))


def test_a_python_answer_is_the_cell_as_last_run(exercise, tmp_path, monkeypatch):
    import dataclasses

    python = dataclasses.replace(exercise, kind="python", files=(), cell="masked-gelu-forward")
    write_notebook(tmp_path, "def cases():\n    return 1")
    monkeypatch.setattr(answer, "_history", lambda: [])
    assert answer.live_cells(python, tmp_path) == (None, "")
    ran = ["def cases():\n    return 2", "def cases():\n    return 3", "cases()", "def other(): pass", "def broken("]
    monkeypatch.setattr(answer, "_history", lambda: ran)
    cells, note = answer.live_cells(python, tmp_path)
    assert cells == {"masked-gelu-forward": ran[1]} and "save it" in note
    assert answer.sources(python, tmp_path, cells) == {"the answer cell": ran[1]}
    write_notebook(tmp_path, ran[1])
    assert answer.live_cells(python, tmp_path) == ({"masked-gelu-forward": ran[1]}, "")
    assert answer.live_cells(exercise, tmp_path) == (None, "")
