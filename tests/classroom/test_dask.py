"""Grading by Dask workers: a real scheduler and real worker processes on this machine."""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import classroom_toy as toy
import psutil
import pytest

from grader.classroom import dask_crew, dask_worker, workers
from grader.classroom.dask_crew import DaskCrew
from grader.classroom.errors import ClassroomError
from grader.classroom.task import Task

HERE = str(Path(__file__).parent)
GUIDE = Path(__file__).resolve().parents[2] / "docs" / "instructors_guide.md"


def free_address(scheme="tcp"):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"{scheme}://127.0.0.1:{probe.getsockname()[1]}"


@contextmanager
def programs(*commands, root, log, **settings):
    """Start them with the toy course; end them and what they started."""
    environment = os.environ | {
        "TOY_ROOT": str(root), "PYTHONPATH": HERE, "DASK_DISTRIBUTED__WORKER__PRELOAD": "['dask_toy']",
        "DASK_TEMPORARY_DIRECTORY": str(log.parent / "dask"), **settings,
    }  # fmt: skip
    with log.open("a") as file:
        started = [subprocess.Popen(c, env=environment, stdout=file, stderr=file, preexec_fn=workers.end_with_parent)
                   for c in commands]  # fmt: skip
    try:
        yield started
    finally:
        workers.end(started)


@contextmanager
def worker(address, *, root, log, gpu=False, **settings):
    """One more, without the program that would start it again."""
    [command] = workers.commands(address, scheduler=False, workers=1, gpu=gpu)
    with programs([*command, "--no-nanny"], root=root, log=log, **settings):
        yield


@pytest.fixture(scope="module")
def cluster(toy_root, tmp_path_factory):
    """`grader class workers --scheduler --workers 2`, and its address."""
    address, folder = free_address(), tmp_path_factory.mktemp("cluster")
    grader = [sys.executable, "-c", "from grader.cli.main import app; app()"]
    command = [*grader, "class", "workers", "--address", address[6:], "--scheduler", "--workers", "2"]
    with programs(command, root=toy_root, log=folder / "log"):
        yield address


@pytest.fixture
def toy_course(toy_root, monkeypatch):
    toy.patch(toy_root, monkeypatch.setattr)
    dask_worker.versions.cache_clear()
    monkeypatch.setattr(dask_crew, "LOOK", 0.2)
    yield toy_root
    dask_worker.versions.cache_clear()


def task(number=0, words="right", *, gpu=False):
    seeds = {"toy-cell": number}
    cells = {"toy-cell-answer": words}
    return Task(
        chapter=toy.NAME, exercises=("toy-cell",), files={}, cells=cells, seeds=seeds, confinement=None, gpu=gpu
    )


def do(crew, tasks, meanwhile=lambda number: None):
    """All of them, few at a time, as a batch does it: name -> Done."""
    waiting, done = list(tasks.items()), {}
    while waiting or crew.pending:
        while waiting and crew.room > 0:
            crew.submit(*waiting.pop(0))
        assert crew.pending <= dask_crew.DEPTH * 4
        one = crew.wait()
        assert one.name not in done
        done[one.name] = one
        meanwhile(len(done))
    return done


def points(done):
    return {name: one.answer and one.answer.verdicts["toy-cell"].earned for name, one in done.items()}


def open_crew(address, said=None, **options):
    return DaskCrew(address, confine=options.pop("confine", None), say=(said if said is not None else []).append)


def wait_for_workers(crew, count):
    last = time.monotonic() + 60
    while len(crew._workers) < count:
        assert time.monotonic() < last
        time.sleep(0.1)
        crew._look()


def test_tasks_are_done_few_at_a_time_by_all_workers(cluster, toy_course):
    with open_crew(cluster) as crew:
        wait_for_workers(crew, 2)
        assert crew.room == 2 * dask_crew.DEPTH
        hosts = set()
        done = do(crew, {str(n): task(n, "right" if n % 3 else "wrong") for n in range(12)},
                  lambda _: hosts.update(w.address for w in crew._workers.values() if w.jobs))  # fmt: skip
    assert points(done) == {str(n): 10 if n % 3 else 0 for n in range(12)}
    assert len(hosts) == 2
    assert done["7"].answer.verdicts["toy-cell"].seed == 7


def test_the_grader_itself_failing_is_a_fault_of_that_exercise_alone(cluster, toy_course):
    with open_crew(cluster) as crew:
        done = do(crew, {"a": task(1, "boom"), "b": task(2)})
    assert done["a"].answer.verdicts["toy-cell"].state.value == "grader_fault" and points(done)["b"] == 10


def test_a_worker_killed_in_the_middle_costs_nothing(cluster, toy_course):
    said = []
    with open_crew(cluster, said) as crew:
        wait_for_workers(crew, 2)
        pids = crew._client.run(os.getpid)
        victim = next(iter(pids.values()))
        judges = []

        def kill(number):
            if number == 2:
                judges.extend(psutil.Process(victim).children(recursive=True))
                os.kill(victim, signal.SIGKILL)

        done = do(crew, {str(n): task(n, "right, slow") for n in range(8)}, kill)
        assert points(done) == {str(n): 10 for n in range(8)}
        assert any("is gone; what it was judging is judged again" in sentence for sentence in said)
        wait_for_workers(crew, 2)  # the one that was started in its place
        assert judges and not psutil.wait_procs(judges, timeout=20)[1]  # a guard ended what it had started


def test_a_submission_that_kills_workers_is_given_up_alone(cluster, toy_course):
    with open_crew(cluster) as crew:
        wait_for_workers(crew, 2)
        tasks = {str(n): task(n) for n in range(10)} | {"poison": task(99, "kill-worker")}
        done = do(crew, tasks)
    assert done["poison"].answer is None and "2 workers died judging it" in done["poison"].problem
    assert points(done) == {str(n): 10 for n in range(10)} | {"poison": None}


def test_hidden_cases_that_people_made_are_part_of_the_version(toy_course):
    """A machine with a class release lacks them, and else holds the very same files."""
    bank, without = toy_course / "solutions" / toy.NAME / "cards.json", dask_worker.versions()
    bank.parent.mkdir(parents=True, exist_ok=True)
    bank.write_text("[]")
    try:
        dask_worker.versions.cache_clear()
        held = dask_worker.versions()
    finally:
        bank.unlink()
    assert {name for name in held if held[name] != without[name]} == {"the hidden cases"}


def test_a_class_is_graded_by_dask_as_it_is_on_one_machine(cluster, classroom):
    """`grader autograde --dask`: the same scores, one writer, and what is done is not done again."""
    dask_worker.versions.cache_clear()
    for student, kernel in {"ada": "right", "bob": "half", "eve": "wrong"}.items():
        classroom.hand_in(student, cu=kernel)
    graded = classroom.grade(dask=cluster)
    assert [g.problem for g in graded.values()] == ["", "", ""]
    assert [classroom.scores(name)["toy-kernel"] for name in ("ada", "bob", "eve")] == [
        (10, False),
        (6, False),
        (0, False),
    ]
    assert all(g.unchanged for g in classroom.grade().values())  # nor on this machine
    dask_worker.versions.cache_clear()


def test_work_for_a_gpu_waits_for_a_worker_that_has_one(cluster, toy_course, tmp_path):
    said = []
    with open_crew(cluster, said) as crew:
        crew.submit("g", task(1, gpu=True))
        crew._look()
        assert said == ["what is left needs a GPU, and no worker has one: start one there with  --resources GPU=1"]
        with worker(cluster, root=toy_course, log=tmp_path / "log", gpu=True):
            done = crew.wait()
            assert [w.gpu for w in crew._workers.values()].count(True) == 1
    assert done.answer.verdicts["toy-cell"].passed


def test_workers_of_another_version_or_unconfined_are_refused_by_name(toy_course, tmp_path, monkeypatch):
    address, said = free_address(), []
    options = {"root": toy_course, "log": tmp_path / "log"}
    [scheduler] = workers.commands(address, scheduler=True, workers=0, gpu=False)
    with programs(scheduler, **options):
        with monkeypatch.context() as patch:
            patch.setattr(dask_crew, "FIRST", 0)
            with pytest.raises(ClassroomError, match="has no worker that can grade: no worker has come"):
                open_crew(address)
        with worker(address, **options, TOY_UNCONFINED="1"):
            with pytest.raises(ClassroomError, match="cannot confine what students handed in: bubblewrap: user names"):
                open_crew(address, confine="auto")
            with open_crew(address, said) as crew:  # its submissions are trusted
                with worker(address, **options, TOY_VERSION="0.0.9"):
                    last = time.monotonic() + 60
                    while not said and time.monotonic() < last:
                        crew._look()
                        time.sleep(0.1)
                    assert len(said) == 1 and "gets no task" in said[0]
                    assert "would grade differently: it has the grader 0.0.9 (" in said[0]
                    assert points(do(crew, {str(n): task(n) for n in range(5)})) == {str(n): 10 for n in range(5)}
                    assert len(crew._workers) == 1


def test_a_worker_that_was_replaced_by_another_version_judges_nothing(toy_course):
    assert dask_worker.perform({"the grader": "another"}, task(1).to_bytes()) == (b"", dask_worker.CHANGED)


def certificates(folder):
    """Made by the lines that the instructor's guide gives; what Dask must be told."""
    folder.mkdir()
    guide = GUIDE.read_text()
    lines = re.findall(r"^    (openssl .+)$", guide, re.M)
    assert len(lines) == 3
    for line in lines:
        subprocess.run(shlex.split(line), cwd=folder, check=True, capture_output=True)
    [text] = re.findall(r"^```yaml\n(distributed:.+?)^```", guide, re.M | re.S)
    (folder / "distributed.yaml").write_text(text.replace("/home/me/grading", str(folder)))
    return {"DASK_CONFIG": str(folder)}


def configure(folder):
    """What Dask's own file in `folder` says, in this process."""
    import dask

    return dask.config.set(dask.config.merge(dask.config.config, dask.config.collect([str(folder)], env={})))


def test_tls_keeps_others_out_and_a_lost_scheduler_is_told(toy_course, tmp_path):
    settings = certificates(tmp_path / "tls")
    certificates(tmp_path / "others")
    address = free_address("tls")
    [scheduler, one] = workers.commands(address, scheduler=True, workers=1, gpu=False)
    with programs(scheduler, one, root=toy_course, log=tmp_path / "log", **settings) as started:
        with configure(tmp_path / "tls"), open_crew(address) as crew:
            assert all(name.startswith("tls://") for name in crew._workers)
            assert points(do(crew, {"a": task(1), "b": task(2)})) == {"a": 10, "b": 10}
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(dask_crew, "CONNECT", 2)
                with pytest.raises(ClassroomError, match="no Dask scheduler answers at tls://"):
                    with configure(tmp_path / "others"):
                        open_crew(address)
                with pytest.raises(ClassroomError, match="no Dask scheduler answers at tcp://"):
                    open_crew(address.replace("tls", "tcp"))
            crew.submit("c", task(3, "right, slow"))
            threading.Timer(0.3, started[0].kill).start()
            with pytest.raises(ClassroomError, match="scheduler at .* is lost; what was graded is"):
                crew.wait()


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("", "is not the address"),
        ("localhost", "is not the address"),
        ("ftp://localhost:8786", "is not the address"),
        ("127.0.0.1:eight", "is not the address"),
        ("192.0.2.7:8786", "is reached over a network without TLS"),
        ("tcp://grading.example.org:8786", "is reached over a network without TLS"),
    ],
)
def test_addresses_that_are_none_or_not_to_be_trusted(address, told):
    with pytest.raises(ClassroomError, match=told):
        DaskCrew(address, confine=None)
    with pytest.raises(ClassroomError, match=told):
        workers.commands(address, scheduler=True, workers=1, gpu=False)


def test_no_scheduler_is_told(toy_course, monkeypatch):
    monkeypatch.setattr(dask_crew, "CONNECT", 0.5)
    with pytest.raises(ClassroomError, match="no Dask scheduler answers at"):
        DaskCrew(free_address(), confine=None)


def test_an_environment_without_dask_is_told(classroom, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    classroom.hand_in("ada")
    with pytest.raises(ClassroomError, match="Dask is not installed"):
        classroom.grade(dask="127.0.0.1:8786")
    with pytest.raises(ClassroomError, match="Dask is not installed"):
        workers.run(workers.ADDRESS, scheduler=True, workers=1, gpu=False, say=print)


def test_the_command_has_something_to_start():
    with pytest.raises(ClassroomError, match="nothing to start"):
        workers.run(workers.ADDRESS, scheduler=False, workers=0, gpu=False, say=print)


def test_everything_listens_on_this_machine_alone_unless_told_otherwise():
    for command in workers.commands(workers.ADDRESS, scheduler=True, workers=3, gpu=True):
        assert command[command.index("--host") + 1] == "127.0.0.1"
        assert command[command.index("--dashboard-address") + 1].startswith("127.0.0.1:")
