"""The record of a learner's progress."""

import json
import threading

import pytest

from grader import course
from grader.verdict import CheckResult, Group, State, Verdict
from grader.workspace import load, record, start, take_hint


@pytest.fixture
def started(tree, warm_up, workspace):
    start(warm_up, workspace, tree)
    return workspace


def verdict(exercise, *states):
    checks = [CheckResult(check=f"c{i}", state=s, sentence="", group=f"g{i}") for i, s in enumerate(states)]
    groups = [Group(id=f"g{i}", title="", points=2) for i in range(len(states))]
    return Verdict.of(exercise=exercise.slug, revision=exercise.revision, checks=checks, groups=groups)


def test_best_and_last_attempt(tree, warm_up, started):
    exercise, folder = warm_up.exercises[0], started.chapter(warm_up)
    for states in ([State.FAIL, State.FAIL], [State.PASS, State.FAIL], [State.PASS, State.CRASH]):
        assert record(verdict(exercise, *states), folder) is None
    entry = load(started).of(exercise)
    assert (entry.attempts, entry.best_state, entry.best_earned, entry.last_state) == (3, "fail", 2, "crash")
    assert entry.first_pass is None and not entry.passed
    record(verdict(exercise, State.PASS, State.PASS), folder)
    first = load(started).of(exercise).first_pass
    record(verdict(exercise, State.FAIL, State.FAIL), folder)
    entry = load(started).of(exercise)
    assert entry.passed and entry.last_state == "fail" and entry.first_pass == first is not None


def test_a_new_revision_starts_afresh(tree, warm_up, started):
    exercise = warm_up.exercises[0]
    record(verdict(exercise, State.PASS), started.chapter(warm_up))
    path = tree.course / "00_warm_up" / "chapter.toml"
    path.write_text(path.read_text().replace("revision = 1", "revision = 2", 1))
    newer = course.find("index", tree)
    assert load(started).of(exercise).passed
    assert not load(started).of(newer).passed


def test_hints_are_counted_up_to_the_last(warm_up, started):
    taken = [take_hint(warm_up.exercises[0], started)[0] for _ in range(6)]
    assert taken == [1, 2, 3, 4, 4, 4]


def test_outside_a_workspace_nothing_is_written(warm_up, tmp_path):
    outside = tmp_path / "submitted"
    outside.mkdir()
    assert record(verdict(warm_up.exercises[0], State.PASS), outside) is None
    assert list(outside.iterdir()) == []


CORRUPT = [
    b"",
    b"{",
    b"\xff\xfe",
    b"[]",
    b'{"schema": 2, "exercises": {}}',
    b'{"schema": 1, "exercises": {"index": 3}}',
    b'{"schema": 1, "exercises": {"index": {"1": {"attempts": "many"}}}}',
    b'{"schema": 1, "exercises": {"index": {"one": {}}}}',
    b'{"schema": 1, "exercises": {"index": {"1": {"unknown": 1}}}}',
    b"[" * 100_000,
]


@pytest.mark.parametrize("data", CORRUPT)
def test_a_corrupt_file_is_moved_aside_and_told(warm_up, started, data):
    started.progress_file.write_bytes(data)
    notice = record(verdict(warm_up.exercises[0], State.PASS), started.chapter(warm_up))
    assert "could not be read" in notice
    [aside] = (started.records / "progress.json.unreadable").iterdir()
    assert aside.read_bytes() == data and str(aside) in notice
    assert load(started).of(warm_up.exercises[0]).passed
    assert load(started).notice is None


def test_a_folder_that_cannot_be_written_costs_no_verdict(warm_up, started):
    (started.records / "progress.lock").mkdir()
    assert "could not be recorded" in record(
        verdict(warm_up.exercises[0], State.PASS), started.chapter(warm_up)
    )


def test_two_writers_lose_nothing(warm_up, started):
    exercise, folder = warm_up.exercises[0], started.chapter(warm_up)

    def work():
        for _ in range(10):
            record(verdict(exercise, State.FAIL), folder)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert load(started).of(exercise).attempts == 40


def test_the_file_is_plain_json(warm_up, started):
    record(verdict(warm_up.exercises[0], State.PASS), started.chapter(warm_up))
    data = json.loads(started.progress_file.read_bytes())
    assert data["exercises"]["index"]["1"]["best_state"] == "pass"
