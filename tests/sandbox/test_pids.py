import os

import pytest

from grader.sandbox import Limits, pids, run
from grader.verdict.records import State


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """A folder that stands for a control group of the kernel's."""
    monkeypatch.setattr(pids, "_parent", lambda: tmp_path)
    return tmp_path


def test_a_group_holds_the_process_and_a_limit(groups):
    group = pids.PidsGroup.make(4321, 10)
    (folder,) = groups.iterdir()
    assert (folder / "cgroup.procs").read_text() == "4321" and group.members() == {4321}
    assert 10 < int((folder / "pids.max").read_text()) < 10 + 64 + 5 * os.cpu_count()


def test_a_killed_group_starts_nothing_more(groups, monkeypatch):
    killed = []
    monkeypatch.setattr(pids.os, "kill", lambda pid, number: killed.append(pid))
    group = pids.PidsGroup.make(4321, 10)
    (folder,) = groups.iterdir()
    (folder / "cgroup.procs").write_text("0\n77\n78\n")
    group.kill()
    assert (folder / "pids.max").read_text() == "0" and sorted(killed) == [77, 78]


def test_without_the_right_to_make_one_there_is_none(tmp_path, monkeypatch):
    monkeypatch.setattr(pids, "_parent", lambda: tmp_path / "missing")
    assert pids.PidsGroup.make(4321, 10) is None
    monkeypatch.setattr(pids, "_parent", lambda: None)
    assert pids.PidsGroup.make(4321, 10) is None


def test_groups_of_graders_that_were_killed_are_removed(tmp_path):
    mine, dead = tmp_path / f"grader-{os.getpid()}-1", tmp_path / "grader-999999999-2"
    mine.mkdir()
    dead.mkdir()
    pids._tidy(tmp_path)
    assert mine.exists() and not dead.exists()


def test_programs_run_the_same_without_groups(program, monkeypatch):
    monkeypatch.setattr(pids, "_parent", lambda: None)
    assert run(program("prints")).stdout == "to stdout\n"
    outcome = run(program("fork_bomb"), limits=Limits(wall_seconds=30.0, processes=10))
    assert outcome.state is State.ERROR and "more than 10 processes" in outcome.message


@pytest.mark.skipif(pids._parent() is None, reason="no control group can be made here")
def test_a_bomb_that_leaves_its_session_is_stopped(program):
    outcome = run(program("scattering_fork_bomb"), limits=Limits(wall_seconds=30.0, processes=10))
    assert outcome.state is State.ERROR and "more than 10 processes" in outcome.message
    assert not list(pids._parent().glob(f"grader-{os.getpid()}-*"))
