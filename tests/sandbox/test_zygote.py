"""Children forked from a prepared process: they end as others do, and one knows nothing of another."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from grader.sandbox import Child, ChildEnded, Limits, confinement, landlock, python_child, run, zygote
from grader.verdict import State

MODULE = "grader.exercises.python_child"  # runs any Python that it is sent
LONG = Limits(wall_seconds=30.0)
SHORT = Limits(wall_seconds=0.5)

pytestmark = pytest.mark.skipif(not landlock.version(), reason="the kernel has no Landlock, which keeps forks apart")


@pytest.fixture(autouse=True, params=confinement.KINDS)
def confined(request):
    if not (probe := confinement.probe(request.param)).works:
        pytest.skip(f"{request.param} does not work here: {probe.found}")
    confinement.use(request.param)
    yield
    confinement.use(None)


@pytest.fixture(scope="module", autouse=True)
def ended():
    yield
    zygote.close_all()
    assert not zygote._zygotes


def answer(source: str, *, limits=LONG, warm: dict | None = {}):  # noqa: B006
    """What becomes of ``f()``."""
    header = {"source": source, "function": "f", "calls": [[]]}
    return run(python_child(MODULE), header=header, limits=limits, warm=warm)


def returned(source: str):
    outcome = answer(source)
    assert outcome.state is State.PASS and "values" in outcome.header, outcome
    return outcome.header["values"][0]


def the_zygote() -> zygote.Zygote:
    (only,) = (each for key, each in zygote._zygotes.items() if MODULE in key and confinement.current() in key)
    return only


def processes() -> list[int]:
    """Of the zygote: what bubblewrap puts around it, itself, its fork."""
    parents: dict[int, int] = {}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                parents[int(file.read().rpartition(")")[2].split()[1])] = int(name)
        except OSError:
            pass
    line = [the_zygote()._supervisor._process.pid]
    while line[-1] in parents:
        line.append(parents[line[-1]])
    return line


ENDS = {
    "an answer": ("def f(): return 'a'", LONG),
    "an exception": ("def f(): return 1 / 0", LONG),
    "no function": ("g = 1", LONG),
    "sys.exit": ("import sys\ndef f(): sys.exit(3)", LONG),
    "os._exit": ("import os\ndef f(): os._exit(3)", LONG),
    "a segmentation fault": ("import ctypes\ndef f(): ctypes.string_at(0)", LONG),
    "an abort": ("import os\ndef f(): os.abort()", LONG),
    "a signal to itself": ("import os, signal\ndef f(): os.kill(os.getpid(), signal.SIGFPE)", LONG),
    "too deep": ("def f(): return f()", LONG),
    "an endless loop": ("def f():\n  while True: pass", SHORT),
    "a sleeper that ignores signals": (
        "import signal, time\ndef f():\n  signal.signal(signal.SIGTERM, signal.SIG_IGN)\n  time.sleep(1000)", SHORT,
    ),
    "too much memory": (
        "def f():\n  hold = []\n  while True: hold.append(bytearray(b'1' * (10 << 20)))",
        Limits(wall_seconds=30.0, memory_bytes=300 << 20),
    ),
    "a flood of output": (
        "import os\ndef f():\n  os.write(1, b'first')\n  while True: os.write(1, b'x' * 65536)",
        Limits(wall_seconds=0.5, output_bytes=1000),
    ),
    "words": ("import sys\ndef f():\n  print('out'); print('err', file=sys.stderr)", LONG),
    "threads": (
        "import threading\ndef f():\n  t = threading.Thread(target=print, args=('x',)); t.start(); t.join()", LONG,
    ),
    "lazy imports": ("import numpy as np, decimal\ndef f(): return np.fft.fft([1.0]).real", LONG),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_a_fork_ends_as_a_program_of_its_own_does(name):
    source, limits = ENDS[name]
    warm, cold = (answer(source, limits=limits, warm=way) for way in ({}, None))
    for part in ("state", "exit_code", "signal", "header", "payload", "message"):
        assert getattr(warm, part) == getattr(cold, part), part
    if name != "a flood of output":
        assert (warm.stdout, warm.stderr) == (cold.stdout, cold.stderr)
    assert len(warm.stdout) < 1100


def test_the_fork_is_confined_and_stands_alone(tmp_path):
    secret = tmp_path / "open"
    held = (
        "import os, stat\ndef f():\n  held = []\n  for n in range(256):\n    try: mode = os.fstat(n).st_mode\n"
        "    except OSError: continue\n    held.append('socket' if stat.S_ISSOCK(mode) else str(n))\n  return held"
    )
    assert returned(held) == ["0", "1", "2", "socket"]  # its channel, and nothing of the zygote's
    for attempt in (
        f"open({str(secret)!r}, 'w')", "open('mine', 'w')", "os.mkdir('/dev/shm/x')", "os.fork()",
        "os.execv('/bin/true', ['true'])", "subprocess.run(['/bin/true'])", "socket.socket()", "socket.socketpair()",
        "os.kill(os.getppid(), 0)", "os.kill(os.getppid(), 9)",
        "open(f'/proc/{os.getppid()}/mem', 'rb')", "open(f'/proc/{os.getppid()}/environ').read()",
        "os.readlink(f'/proc/{os.getppid()}/fd/0')", "os.setuid(0) or os.setresuid(1, 1, 1)", "os.setsid()",
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 40, 1 << 40))",
        "resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1))",
    ):  # fmt: skip
        modules = "import os, socket, subprocess, resource\n"
        outcome = answer(
            f"{modules}def f():\n  try: {attempt}\n  except (OSError, ValueError): return 'no'\n  return 'yes'"
        )
        assert outcome.header == {"values": ["no"]}, attempt
    assert not secret.exists() and the_zygote()._supervisor.outcome is None


def test_nothing_passes_from_one_fork_to_the_next():
    returned("import builtins, os, numpy\ndef f(): builtins.left = numpy.left = 1; os.environ['LEFT'] = '1'")
    look = "[hasattr(builtins, 'left'), hasattr(numpy, 'left'), 'LEFT' in os.environ]"
    assert returned(f"import builtins, os, numpy\ndef f(): return {look}") == [False, False, False]


def test_the_limits_are_those_of_the_child_and_the_last_signs_of_life_are_kept():
    limits = "[str(resource.getrlimit(kind)) for kind in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE)]"
    outcome = answer(f"import resource\ndef f(): return {limits}", limits=Limits(wall_seconds=30.0, file_bytes=123456))
    assert outcome.header == {"values": [["(0, 0)", "(123456, 123456)"]]}
    assert answer("import os\ndef f(): print('words', flush=True); os.abort()").stdout == "words\n"


def test_a_crowd_of_threads_is_stopped():
    source = "import threading, time\ndef f():\n  while True: threading.Thread(target=time.sleep, args=(60,)).start()"
    outcome = answer(source, limits=Limits(wall_seconds=30.0, processes=4))
    assert outcome.state is State.ERROR and "more than 4 processes" in outcome.message


def test_a_zygote_that_was_killed_is_started_anew():
    assert returned("def f(): return 'well'") == "well"
    before = the_zygote()
    os.kill(processes()[-1], signal.SIGKILL)
    assert returned("def f(): return 'well'") == "well" and the_zygote() is not before


def test_a_zygote_killed_in_the_middle_takes_its_forks_along_and_costs_no_verdict(is_alive):
    assert returned("def f(): return 'well'") == "well"
    alone = len(processes())
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(answer, "import time\ndef f(): time.sleep(1000)")
        until = time.monotonic() + 20
        while len(line := processes()) == alone:
            assert time.monotonic() < until
        *_, parent, fork = line
        os.kill(parent, signal.SIGKILL)
        outcome = running.result(timeout=20)
    assert outcome.state is State.GRADER_FAULT and not is_alive(fork)
    assert returned("def f(): return 'well'") == "well"


def test_a_fork_that_crashes_costs_the_next_nothing_and_many_run_at_once():
    sources = ["import os\ndef f(): os.abort()", "def f(): return 'well'"] * 6
    with ThreadPoolExecutor(4) as pool:
        states = [outcome.state for outcome in pool.map(answer, sources)]
    assert states == [State.CRASH, State.PASS] * 6


def test_a_warm_child_answers_again_and_again_and_leaves_nothing(descriptors, is_alive):
    from grader.simulator import Device

    with Device.simulated():
        pass
    before = descriptors()
    for _ in range(3):
        with Device.simulated() as device:
            process = device._transport._supervisor._process
            assert isinstance(process, zygote.Forked) and is_alive(process.pid)
            address = device.alloc(16, name="x")
            device.write(address, b"x" * 16)
            assert device.read(address, 16) == b"x" * 16
        assert not is_alive(process.pid) and device._transport.outcome.state is State.PASS
    assert descriptors() == before


def test_a_warm_child_that_is_killed_is_told_as_any_other():
    with Child(python_child(MODULE), warm={}) as child:
        os.kill(child._supervisor._process.pid, signal.SIGKILL)
        with pytest.raises(ChildEnded) as ended:
            child.call({})
    assert (ended.value.outcome.state, ended.value.outcome.signal) == (State.CRASH, "SIGKILL")


def test_children_are_not_warm_where_nothing_confines_them():
    zygote.close_all()
    confinement.use(None)
    assert answer("def f(): return 'a'").header == {"values": ["a"]} and not zygote._zygotes


def test_a_module_that_cannot_be_prepared_costs_no_child(caplog):
    before = dict(zygote._zygotes)
    outcome = answer("def f(): return 'a'", warm={"unknown": 1})
    assert outcome.header == {"values": ["a"]} and zygote._zygotes == before
    assert "start the slow way" in caplog.text
