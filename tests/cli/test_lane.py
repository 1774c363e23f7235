"""`grader plugin-lane`, and what installs it on first use: `grader check`, `grader plugin conform`, a notebook."""

import dataclasses
import io

import pytest
from rich.console import Console

from grader import course
from grader.cli import lane as command
from grader.exercises import runner
from grader.toolchain import lane, tensorrt
from grader.toolchain.lane import Lane
from grader.verdict import State
from grader.workspace import machine, machine_plugins

ABSENT, READY = Lane("absent", 5, 21), Lane("ready", 21, 21)
FAILED = Lane("failed", 0, 21, "the package index cannot be reached")


@pytest.fixture
def at(monkeypatch):
    """The lane as the test wants it: installing tells some progress and ends in the last state given."""

    def be(now, after=None):
        states = [now, after or now]
        calls = []

        def install(report=lambda lane: None):
            calls.append("install")
            for done in (0, 1, 2, 4, 9):
                report(Lane("installing", done, 21, "onnx, 8.9 MB"))
            states[0] = states[1]
            return states[0]

        def background():
            calls.append("background")
            return states[1]

        monkeypatch.setattr(lane, "state", lambda: states[0])
        monkeypatch.setattr(lane, "install", install)
        monkeypatch.setattr(lane, "install_in_background", background)
        return calls

    return be


def test_it_installs_and_says_so(run, at):
    calls = at(ABSENT, READY)
    result = run("plugin-lane")
    assert (calls, result.exit_code) == (["install"], 0)
    lines = result.stdout.splitlines()
    assert [line.partition(",")[2].split(" of")[0].strip() for line in lines[:-1]] == ["0", "4", "9"]
    assert lines[-1] == "The plugin lane is ready."


def test_a_terminal_gets_a_bar(at):
    at(ABSENT, READY)
    screen = io.StringIO()
    assert command.run(console=Console(file=screen, force_terminal=True, width=100)) == 0
    assert "9/21" in screen.getvalue() and "onnx, 8.9 MB" in screen.getvalue()


def test_a_failure_has_a_status_but_does_not_stop_make_course(run, at):
    at(ABSENT, FAILED)
    result = run("plugin-lane")
    assert result.exit_code == 1 and "cannot be reached. Then run `grader plugin-lane` again." in result.stdout
    at(ABSENT, FAILED)
    assert run("plugin-lane", "--background").exit_code == 0


def test_state_and_background_install_nothing_here(run, at):
    calls = at(ABSENT, Lane("installing", 0, 21))
    assert run("plugin-lane", "--state").exit_code == 1 and calls == []
    result = run("plugin-lane", "--background")
    assert "is being installed, 0 of 21 packages." in result.stdout and calls == ["background"]
    at(READY)
    assert run("plugin-lane", "--background").stdout == ""  # each `make course` comes by
    assert run("plugin-lane", "--state").exit_code == 0


def needing(exercise):
    return dataclasses.replace(exercise, needs=("compiler", "plugin-lane"))


def test_a_check_installs_it_on_first_use(run, at, started, judged, verdict, monkeypatch):
    find = course.find
    monkeypatch.setattr(course, "find", lambda *given: needing(find(*given)))
    calls = at(ABSENT, READY)
    judged(verdict())
    result = run("check", "masked-gelu-forward", "--json")
    assert calls == ["install"] and "installed now, once" in result.stderr and result.stdout.startswith("{")
    run("check", "masked-gelu-forward")
    assert calls == ["install"]


def test_an_exercise_that_cannot_have_it_is_pending(at, monkeypatch, tmp_path):
    exercise = needing(course.find("masked-gelu-forward"))
    monkeypatch.setattr(course, "find", lambda slug: exercise)
    at(FAILED)
    verdict = runner.check(exercise.slug, tmp_path)
    assert verdict.state is State.UNSUPPORTED_HERE and verdict.pending == exercise.points
    assert "cannot be reached" in verdict.checks[0].message
    at(READY)
    assert "cannot be reached" not in str(runner.check(exercise.slug, tmp_path).checks[0].message)


def test_conform_asks_for_headers_and_registry_only(run, at, monkeypatch, tmp_path):
    calls = at(ABSENT, FAILED)
    library = tmp_path / "lib.so"
    library.write_bytes(b"")

    def conform(*given, **options):
        raise RuntimeError("reached")

    monkeypatch.setattr("grader.cli.plugin.conform", conform)
    monkeypatch.setattr(tensorrt, "tensorrt_include", lambda: tmp_path)
    monkeypatch.setattr(tensorrt, "lean_library", lambda major=10: tmp_path)
    run("plugin", "conform", str(library))
    assert calls == []
    monkeypatch.setattr(tensorrt, "lean_library", lambda major=10: None)
    run("plugin", "conform", str(library))
    assert calls == ["install"]


def test_doctor_tells_what_of_the_lane_is_missing(at, monkeypatch, tmp_path):
    at(ABSENT)
    monkeypatch.setattr(tensorrt, "find_headers", lambda: (None, ("TENSORRT_ROOT (/x): TensorRT 8.6.1 is older",)))
    monkeypatch.setattr(tensorrt, "lean_library", lambda major=10: None)
    monkeypatch.setattr(machine_plugins.locate, "toolkit", lambda: None)
    whole, nvcc, headers, registry = machine.abilities(["plugin-lane", "nvcc", "tensorrt-headers", "plugin-registry"])
    assert not any(item.ok or item.needed for item in (whole, nvcc, headers, registry))
    assert "is not installed" in whole.found and nvcc.found == "nvcc was not found"
    assert "not used: TENSORRT_ROOT (/x)" in headers.found and "TENSORRT_ROOT" in headers.how
    assert registry.found == "libnvinfer_lean.so.10 is not installed"
    assert all("`grader plugin-lane`" in item.how for item in (whole, nvcc, headers, registry))


@pytest.mark.skipif(tensorrt.lean_library() is None, reason="the plugin lane is not installed: grader plugin-lane")
def test_doctor_tries_the_real_registry():
    (item,) = machine.abilities(["plugin-registry"])
    assert item.ok and "TensorRT 10.16.1 answers" in item.found
