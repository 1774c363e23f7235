"""`grader check`: exit status, text, JSON, progress."""

import dataclasses
import json
import os

import pytest

from grader.gpu.counters import LOAD_REQUESTS, LOAD_SECTORS, STORE_SECTORS
from grader.verdict import State, Verdict

SLUG = "masked-gelu-forward"


@pytest.mark.parametrize(
    "values, bounds, status",
    [
        (State.PASS, State.PASS, 0),
        (State.PASS, State.UNSUPPORTED_HERE, 0),
        (State.UNSUPPORTED_HERE, State.UNSUPPORTED_HERE, 1),  # nothing ran: no pass
        (State.FAIL, State.PASS, 1),
        (State.ERROR, State.PASS, 1),
        (State.CRASH, State.PASS, 1),
        (State.TIMEOUT, State.PASS, 1),
        (State.OUT_OF_MEMORY, State.PASS, 1),
        (State.FAIL, State.UNSUPPORTED_HERE, 1),
        (State.GRADER_FAULT, State.PASS, 3),
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_exit_status(run, started, judged, verdict, values, bounds, status, form):
    judged(verdict(values, bounds))
    assert run("check", SLUG, *form).exit_code == status


def test_json_is_the_verdict_alone(run, started, judged, verdict):
    right = verdict(seed=5)
    judged(right)
    result = run("check", SLUG, "--json")
    assert Verdict.from_json(result.stdout).exercise == SLUG
    assert json.loads(result.stdout) == json.loads(right.to_json())


def test_fresh_random_cases_are_asked_for(run, started, judged, verdict):
    calls = judged(verdict(seed=7))
    result = run("check", "10.forward", "--seed", "7")
    assert calls == [(SLUG, started, {"seed": 7, "hidden": True, "reveal": True})]
    assert "seed 7" in result.stdout and result.exit_code == 0
    run("check", SLUG)
    run("check", SLUG)
    assert len({call[2]["seed"] for call in calls}) == 3


def test_a_hidden_failure_counts_and_can_be_made_again(run, started, judged, verdict, squeeze):
    judged(verdict(State.FAIL, hidden=True, seed=7))
    result = run("check", SLUG)
    assert result.exit_code == 1
    assert f"grader check {SLUG} --seed 7" in squeeze(result.stdout)


def test_what_went_wrong_is_shown(run, started, judged, verdict, squeeze):
    judged(
        verdict(
            State.FAIL,
            case={
                "label": "n = 4",
                "output": "y",
                "index": 3,
                "got": "0.5",
                "expected": "0.25",
                "block": 0,
                "thread": 3,
                "wrong": 1,
                "of": 4,
            },
            fault={
                "kernel": "k",
                "block": [0, 0, 0],
                "thread": [3, 0, 0],
                "file": "masked_gelu.cu",
                "line": 3,
                "buffer": "x",
                "offset": 12,
                "buffer_bytes": 12,
            },
            diagnostics=[
                {
                    "message": 'identifier "y" is undefined',
                    "severity": "error",
                    "file": "masked_gelu.cu",
                    "line": 3,
                    "column": 22,
                }
            ],
        )  # fmt: skip
    )
    result = run("check", SLUG)
    shown = squeeze(result.stdout)
    for words in ("Values agree.", "y[3] is 0.5, expected 0.25.", "case n = 4", "element y[3]", "got 0.5",
                  "expected 0.25",
                  "thread 3 of block 0", "buffer x, byte 12 of 12", "masked_gelu.cu:3:22",
                  'error: identifier "y" is undefined', "Multiplying is choosing.",
                  "contract: special values",
                  "4 of 10 points", f"grader hint {SLUG}"):  # fmt: skip
        assert words in shown
    lines = result.stdout.splitlines()
    at = next(i for i, line in enumerate(lines) if "> " in line and "x[threadIdx.x] = y;" in line)
    assert lines[at + 1].index("^") == lines[at].index("y;")


def test_only_the_first_open_check_shows_all_unless_asked(run, started, judged, verdict, squeeze):
    both = verdict(State.FAIL, State.FAIL, case={"label": "n = 4"})
    second = dataclasses.replace(
        both.checks[1], message="Read past the end.", detail={"case": {"label": "n = 5"}}
    )
    judged(dataclasses.replace(both, checks=(both.checks[0], second)))
    short, full = (squeeze(run("check", SLUG, *more).stdout) for more in ([], ["--full"]))
    assert "case n = 4" in short and "Read past the end." in short and "case n = 5" not in short
    assert "case n = 4" in full and "case n = 5" in full


def test_a_learners_bytes_do_not_steer_the_terminal(run, started, judged, verdict):
    (started / "masked_gelu.cu").write_text("// \x1b[2J\x07 [bold]x[/bold]\n")
    judged(
        verdict(
            State.FAIL, diagnostics=[{"message": "\x1b]0;title\x07", "file": "masked_gelu.cu", "line": 1}]
        )
    )
    result = run("check", SLUG)
    assert "\x1b" not in result.stdout and "\x07" not in result.stdout
    assert "[bold]x[/bold]" in result.stdout


def test_counters_are_shown_as_ratios(run, started, judged, verdict, squeeze):
    counted = dataclasses.replace(
        verdict(), counters={"k": {LOAD_REQUESTS: 2, LOAD_SECTORS: 8}, "other": {STORE_SECTORS: 3}}
    )
    judged(counted)
    text = squeeze(run("check", SLUG).stdout)
    assert "kernel load sectors per request bytes loaded bytes stored k 4 256 other 96" in text
    assert "load sectors per request: 32-byte sectors" in text


def test_what_passed_is_counted_while_something_is_open(run, started, judged, verdict, squeeze):
    counted = {"k": {LOAD_REQUESTS: 2, LOAD_SECTORS: 8}}
    judged(dataclasses.replace(verdict(State.PASS, State.FAIL), counters=counted))
    short, full = (squeeze(run("check", SLUG, *more).stdout) for more in ([], ["--full"]))
    assert "1 check passed" in short and "Values agree." not in short and "What the kernels did" not in short
    assert "passed Values agree." in full and "What the kernels did" in full and "1 check passed" not in full
    assert short.index("Nothing is read past the end.") < short.index("1 check passed")


def test_what_cannot_be_checked_here_folds_nothing(run, started, judged, verdict, squeeze):
    counted = {"k": {LOAD_REQUESTS: 2, LOAD_SECTORS: 8}}
    judged(dataclasses.replace(verdict(State.PASS, State.UNSUPPORTED_HERE), counters=counted))
    text = squeeze(run("check", SLUG).stdout)
    assert "Values agree." in text and "What the kernels did" in text


def test_a_belief_is_offered_as_one(run, started, clone, judged, verdict, squeeze):
    path = clone / "course" / "10_masked_gelu" / "chapter.toml"
    belief = "The formula takes care of infinities. (It gives NaN.)"
    path.write_text(path.read_text().replace("Multiplying is choosing.", belief))
    judged(verdict(State.FAIL))
    text = squeeze(run("check", SLUG).stdout)
    assert "You may have thought: “The formula takes care of infinities.” In fact: It gives NaN." in text


def test_checks_that_wait_are_counted_and_named_on_demand(run, started, judged, verdict, squeeze):
    both = verdict(State.FAIL, State.ERROR)
    second = dataclasses.replace(both.checks[1], blocked_by="values", message="Not run.")
    judged(dataclasses.replace(both, checks=(both.checks[0], second)))
    short, full = (squeeze(run("check", SLUG, *more).stdout) for more in ([], ["--full"]))
    assert "1 more check waits" in short and "Nothing is read past the end." not in short
    assert "not run Nothing is read past the end." in full


def test_pending_is_said_aloud(run, started, judged, verdict, squeeze):
    judged(verdict(State.PASS, State.UNSUPPORTED_HERE))
    text = squeeze(run("check", SLUG).stdout)
    assert "4 points are pending" in text and "No GPU here." in text and "6 of 6 points" in text
    assert "pending" in run("check", SLUG, "--json").stderr


def test_attempts_are_remembered(run, started, judged, verdict):
    judged(verdict(State.FAIL))
    run("check", SLUG)
    assert "4 of 10, 1 try" in run("list").stdout
    judged(verdict())
    run("check", SLUG)
    assert "passed, 2 tries" in run("list").stdout


def test_a_corrupt_record_is_told_and_costs_nothing(run, started, judged, verdict):
    (started.parent / ".grader" / "progress.json").write_text("{")
    judged(verdict())
    result = run("check", SLUG)
    assert result.exit_code == 0 and "could not be read" in result.stderr


def test_another_folder(run, started, judged, verdict, tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    calls = judged(verdict())
    run("check", SLUG, "--dir", str(other))
    assert calls[0][1] == other
    (other / "masked_gelu.cu").write_text("x")
    monkeypatch.chdir(other)
    run("check", SLUG)
    assert calls[-1][1] == other


def test_wrong_use_is_a_sentence_and_2(run, clone, judged, verdict):
    judged(verdict())
    for arguments, words in [
        (["check", "masked-gelu-foward"], 'did you mean "masked-gelu-forward"'),
        (["check", SLUG], "grader start 10"),
        (["check", SLUG, "--dir", "nowhere"], "no folder"),
        (["check"], "EXERCISE"),
        (["chekc"], "chekc"),
        (["reset", "zzz"], 'no chapter "zzz"'),
        (["reset", "10"], "grader start 10"),
        (["start"], "grader start --all"),
        (["start", "11"], "no chapter"),
        (["update"], "grader start 0"),
        (["hint", "nope"], "grader list"),
    ]:
        result = run(*arguments)
        assert (result.exit_code, result.stdout) == (2, "") or "Usage" in result.stdout + result.stderr
        assert result.exit_code == 2
        assert words in result.stderr and "Traceback" not in result.stderr


def test_a_broken_chapter_file_names_the_field(run, clone):
    path = clone / "course" / "10_masked_gelu" / "chapter.toml"
    path.write_text(path.read_text().replace("points = 10", "points = 12"))
    result = run("list")
    assert result.exit_code == 2
    assert '10_masked_gelu/chapter.toml: exercise "masked-gelu-forward": field "points"' in result.stderr


def test_an_internal_error_is_3_with_a_log(run, started, monkeypatch, tmp_path):
    def broken(*_, **__):
        raise RuntimeError("the wheel came off")

    monkeypatch.setattr("grader.exercises.check", broken)
    result = run("check", SLUG)
    assert result.exit_code == 3
    assert "not in your work" in result.stderr and "Traceback" not in result.stderr + result.stdout
    [log] = (tmp_path / "cache" / "log").iterdir()
    assert str(log) in result.stderr
    assert "the wheel came off" in log.read_text() and "Traceback" in log.read_text()


def test_what_the_runner_logs_is_kept(run, started, judged, verdict, monkeypatch, tmp_path):
    import logging

    def faulty(*_, **__):
        logging.getLogger("grader.exercises.runner").error("inside story")
        return verdict(State.GRADER_FAULT)

    monkeypatch.setattr("grader.exercises.check", faulty)
    result = run("check", SLUG)
    [log] = (tmp_path / "cache" / "log").iterdir()
    assert "inside story" in log.read_text() and str(log) in result.stderr


def test_a_device_that_is_not_there_is_wrong_use(run, started, judged, verdict, monkeypatch):
    judged(verdict())
    monkeypatch.setenv("GRADER_DEVICE", "quantum")
    result = run("check", SLUG)
    assert result.exit_code == 2 and "'quantum'; it can be 'simulated' or 'cuda'" in result.stderr


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: os.mkfifo(path)], ids=["folder", "pipe"])
def test_something_else_in_place_of_a_file_is_told(run, started, make):
    path = started / "masked_gelu.cu"
    path.unlink()
    make(path)
    for command in ("reset", "update"):
        result = run(command, *(["10"] if command == "reset" else []))
        assert result.exit_code == 2 and "masked_gelu.cu: " in result.stderr, result.stderr
