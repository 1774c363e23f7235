import multiprocessing
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from grader.sandbox import Limits, python_child, run
from grader.verdict import State

SHORT = Limits(wall_seconds=1.0)
LONG = Limits(wall_seconds=30.0)


def test_a_child_that_exits_with_0_passes(program):
    outcome = run(program("prints"), limits=LONG)
    assert outcome.state is State.PASS and outcome.exit_code == 0 and outcome.signal is None
    assert (outcome.stdout, outcome.stderr, outcome.message) == ("to stdout\n", "to stderr\n", "")
    assert outcome.header is None and outcome.seconds > 0


def test_the_last_frame_is_kept(program):
    outcome = run(program("twice"), limits=LONG)
    assert (outcome.state, outcome.header, outcome.payload) == (State.PASS, {"answer": 2}, b"last")


def test_one_request_one_reply(program):
    outcome = run(program("echo"), header={"a": 1}, payload=b"abc", limits=LONG)
    assert (outcome.state, outcome.header, outcome.payload) == (State.PASS, {"echo": {"a": 1}}, b"cba")


@pytest.mark.parametrize(
    "name, state, signal, exit_code, words",
    [
        ("exits_with_3", State.ERROR, None, 3, "exit code 3"),
        ("segfaults", State.CRASH, "SIGSEGV", None, "SIGSEGV"),
        ("aborts", State.CRASH, "SIGABRT", None, "SIGABRT"),
        ("sleeps", State.TIMEOUT, "SIGKILL", None, "after 1 second:"),
        ("ignores_sigterm", State.TIMEOUT, "SIGKILL", None, "after 1 second:"),
        ("closes_channel", State.TIMEOUT, "SIGKILL", None, "after 1 second:"),
    ],
)
def test_other_ends_have_their_state(program, name, state, signal, exit_code, words):
    outcome = run(program(name), limits=SHORT)
    assert (outcome.state, outcome.signal, outcome.exit_code) == (state, signal, exit_code)
    assert words in outcome.message


@pytest.mark.parametrize(
    "name",
    [
        "sends_garbage",
        "sends_terabyte_length",
        "sends_half_a_frame",
        "sends_a_list",
        "sends_bad_json",
        "sends_deep_json",
    ],
)
def test_a_malformed_answer_is_an_error(program, name):
    outcome = run(program(name), limits=LONG)
    assert outcome.state is State.ERROR and outcome.header is None
    assert "malformed" in outcome.message


def test_a_crash_says_more_than_the_frame_it_cut_short(program):
    assert run(program("sends_garbage_and_crashes"), limits=LONG).state is State.CRASH


def test_no_answer_to_a_request_is_no_pass(program):
    outcome = run(program("exits_at_once"), header={"a": 1}, limits=LONG)
    assert (outcome.state, outcome.exit_code) == (State.ERROR, 0)
    assert outcome.message == "ended without an answer"
    assert run(program("exits_at_once"), limits=LONG).state is State.PASS


def test_a_request_larger_than_the_buffers_to_a_child_that_never_reads(program):
    outcome = run(program("sleeps"), header={}, payload=bytes(64 << 20), limits=SHORT)
    assert outcome.state is State.TIMEOUT


def test_a_command_that_does_not_exist_is_an_error():
    outcome = run(["/nonexistent/program"], limits=LONG)
    assert outcome.state is State.ERROR and "not found" in outcome.stderr


def test_a_working_folder_that_does_not_exist_is_a_grader_fault(program, tmp_path):
    outcome = run(program("prints"), cwd=tmp_path / "missing")
    assert outcome.state is State.GRADER_FAULT and "could not be started" in outcome.message


def test_a_machine_without_a_spare_thread_or_descriptor(program, monkeypatch, descriptors):
    before = descriptors()

    def refuse(*_, **__):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr("threading.Thread.start", refuse)
        outcome = run(program("sleeps"))
    assert outcome.state is State.GRADER_FAULT and "can't start new thread" in outcome.message
    with monkeypatch.context() as patch:
        patch.setattr("os.eventfd", lambda *_: os.open(os.devnull + "/missing", 0))
        assert run(program("sleeps")).state is State.GRADER_FAULT
    assert descriptors() == before and not _named("sleeps")


def test_an_exit_status_that_somebody_else_took_is_a_grader_fault(program, monkeypatch):
    """As where SIGCHLD is ignored: an unknown end is not taken for a good one."""

    def taken(*_):
        raise ChildProcessError

    with monkeypatch.context() as patch:
        patch.setattr("os.waitpid", taken)
        assert run(program("exits_at_once"), limits=LONG).state is State.GRADER_FAULT
    os.waitpid(-1, os.WNOHANG)  # it is a zombie now


def test_endless_printing_keeps_head_and_tail(program):
    outcome = run(program("prints_for_ever"), limits=Limits(wall_seconds=1.0, output_bytes=1000))
    assert outcome.state is State.TIMEOUT
    assert outcome.stdout.startswith("first line\n") and outcome.stdout.endswith("x")
    assert "bytes left out" in outcome.stdout and len(outcome.stdout) < 1100 and len(outcome.stderr) < 1100


@pytest.mark.parametrize("name", ["allocates", "grandchild_allocates"])
def test_too_much_memory_is_stopped(program, name):
    outcome = run(program(name), limits=Limits(wall_seconds=30.0, memory_bytes=300 << 20))
    assert outcome.state is State.OUT_OF_MEMORY and outcome.header is None
    assert "300 MB" in outcome.message


def test_reserved_memory_does_not_count(program):
    outcome = run(program("reserves_much"), limits=Limits(wall_seconds=30.0, memory_bytes=300 << 20))
    assert outcome.header == {"ok": True}


@pytest.mark.parametrize("name", ["starts_many", "fork_bomb"])
def test_too_many_processes_are_stopped(program, name):
    outcome = run(program(name), limits=Limits(wall_seconds=30.0, processes=10))
    assert outcome.state is State.ERROR and "more than 10 processes" in outcome.message
    assert not _named(name)


def test_a_file_cannot_grow_without_end(program):
    outcome = run(program("writes_a_large_file"), limits=Limits(wall_seconds=30.0, file_bytes=1 << 20))
    assert outcome.state is State.ERROR and "File too large" in outcome.stderr


def test_nothing_outlives_its_child(program, is_alive):
    assert run(program("forks_a_sleeper"), limits=LONG).state is State.PASS
    assert not _named("forks_a_sleeper")
    outcome = run(program("leaves_a_daemon"), limits=LONG)
    assert outcome.state is State.PASS and not is_alive(outcome.header["daemon"])


def test_the_environment_is_clean(program, monkeypatch):
    monkeypatch.setenv("CLASS_SECRET", "do not tell")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
    seen = run(program("environment"), limits=LONG, env={"EXTRA": "1"}).header
    assert "CLASS_SECRET" not in seen["environment"]
    assert seen["environment"]["CUDA_VISIBLE_DEVICES"] == "3" and seen["environment"]["EXTRA"] == "1"
    home = seen["environment"]["HOME"]
    assert home == seen["cwd"] == seen["environment"]["TMPDIR"] != os.environ.get("HOME")
    assert not os.path.exists(home) and seen["files"] == []
    assert seen["stdin"] == "/dev/null" and seen["session"] == seen["pid"] != os.getsid(0)


def test_the_kernel_limits_hold(program):
    seen = run(program("limits"), limits=Limits(wall_seconds=30.0, file_bytes=123456)).header
    assert seen == {"core": [0, 0], "file": [123456, 123456]}


def test_a_working_folder_can_be_given(program, tmp_path):
    assert run(program("environment"), cwd=tmp_path, limits=LONG).header["cwd"] == str(tmp_path)
    assert tmp_path.is_dir()


def test_runs_from_many_threads(program):
    with ThreadPoolExecutor(8) as pool:
        outcomes = pool.map(lambda n: run(program("echo"), header={"n": n}, limits=LONG), range(24))
    assert [outcome.header for outcome in outcomes] == [{"echo": {"n": n}} for n in range(24)]


def test_no_descriptor_thread_folder_or_zombie_is_left_after_200_runs(descriptors):
    command = ["/bin/echo", "x"]
    run(command)
    before = descriptors(), threading.active_count()
    with ThreadPoolExecutor(4) as pool:
        states = {outcome.state for outcome in pool.map(lambda _: run(command, limits=LONG), range(200))}
    assert states == {State.PASS}
    assert _settles(lambda: (descriptors(), threading.active_count()) == before)
    assert not [child for child in _children() if child["state"] == "Z"]


def _echo(command: list[str], number: int) -> dict | None:
    return run(command, header={"n": number}, limits=LONG).header


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_runs_from_worker_processes(program, method):
    run(program("prints"), limits=LONG)  # so that a fork inherits what a grader holds
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        headers = list(pool.map(_echo, [program("echo")] * 6, range(6), timeout=60))
    assert headers == [{"echo": {"n": number}} for number in range(6)]


def test_a_killed_grader_takes_its_children_along(program, is_alive, tmp_path):
    """The parent here is a process of its own, killed in the middle of a run."""
    script = tmp_path / "grader_process.py"
    script.write_text(
        "import sys, threading, time, os\n"
        "from grader.sandbox import Child, Limits\n"
        f"child = Child({program('echo')!r})\n"
        "child.call({})\n"
        "print(child._supervisor._process.pid, flush=True)\n"
        f"sleeper = Child({program('sleeps')!r})\n"
        "print(sleeper._supervisor._process.pid, flush=True)\n"
        "time.sleep(1000)\n"
    )
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as grader:
        pids = [int(grader.stdout.readline()) for _ in range(2)]
        assert all(map(is_alive, pids))
        grader.kill()
    assert _settles(lambda: not any(map(is_alive, pids)))


def test_a_grader_that_ends_takes_its_children_along(program, is_alive, tmp_path):
    script = tmp_path / "grader_process.py"
    script.write_text(
        "from grader.sandbox import Child\n"
        f"child = Child({program('sleeps')!r})\n"
        "print(child._supervisor._process.pid, child._supervisor._process.home, flush=True)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    pid, home = done.stdout.split()
    assert _settles(lambda: not is_alive(int(pid))) and not os.path.exists(home) and done.stderr == ""


def test_python_child_is_isolated():
    assert python_child("some.module") == [sys.executable, "-I", "-m", "some.module"]


def test_a_kernel_without_pidfd(program, monkeypatch):
    def refuse(*_):
        raise OSError("not implemented")

    monkeypatch.setattr("os.pidfd_open", refuse)
    assert run(program("twice"), limits=LONG).header == {"answer": 2}
    assert run(program("sleeps"), limits=SHORT).state is State.TIMEOUT


def _settles(condition) -> bool:
    for _ in range(500):
        if condition():
            return True
        time.sleep(0.01)
    return False


def _named(name: str) -> list[str]:
    """Living processes of the machine with ``name`` among their arguments."""
    found = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if name.encode() in file.read().split(b"\0"):
                    found.append(pid)
        except OSError:
            pass
    return found


def _children() -> list[dict]:
    found = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            found.append({"pid": int(pid), "state": fields[0]})
    return found
