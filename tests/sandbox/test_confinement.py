"""Each promise of confinement, attacked by a real child, in every kind that works on this machine."""

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from grader.sandbox import Child, ChildEnded, Limits, bubblewrap, confinement, run, tidy
from grader.sandbox.view import PACKAGE, view
from grader.verdict import State

HERE = Path(__file__).parent
SOURCE = "\n".join((HERE / name).read_text() for name in ("attacks.py", "attacks_on_others.py"))
ENDLESS_SOURCE = (HERE / "endless.py").read_text()
ENDLESS = {  # what the supervisor stops, with a word of what it says
    "fills_its_home": "of files", "fills_with_removed_files": "", "fills_with_mapped_files": "",
    "makes_a_million_files": "files", "digs": "files", "hides_files": "files", "makes_page_tables": "memory",
    "forks_without_end": "processes", "starts_threads_without_end": "",
}  # fmt: skip
NOT_ATTACKS = {"main", "refused_if", "syscall"}
ATTACKS = [
    line.split("(")[0].removeprefix("def ") for line in SOURCE.splitlines()
    if line.startswith("def ") and line.split("(")[0].removeprefix("def ") not in NOT_ATTACKS
]  # fmt: skip


@pytest.fixture(scope="module", params=confinement.KINDS)
def kind(request):
    found = confinement.probe(request.param)
    if not found.works:
        pytest.skip(f"{request.param} does not work here: {found.found}")
    confinement.use(request.param)
    yield request.param
    confinement.use(None)


@pytest.fixture(scope="module")
def hostile(kind):
    """The command of a child that runs ``attacks.py``; the package is found as for every child."""
    package = confinement.roof() if kind == "landlock" else str(PACKAGE.parent)
    return [
        sys.executable,
        "-I",
        "-c",
        f"import sys; sys.path.insert(0, {package!r})\n{SOURCE}\n{ENDLESS_SOURCE}\nmain()",
    ]


@pytest.fixture
def folder():
    """One that everybody may enter and write to, unlike pytest's."""
    with tempfile.TemporaryDirectory(prefix="grader-test-") as path:
        os.chmod(path, 0o777)
        yield Path(path)


@pytest.fixture(scope="module")
def given():
    """What the attacks aim at, all of it alive and open to everybody."""
    with tempfile.TemporaryDirectory(prefix="grader-test-") as path:
        yield from _given(Path(path))


def _given(folder: Path):
    canary, home = folder / "canary", Path.home()
    canary.write_text("secret")
    canary.chmod(0o644)
    folder.chmod(0o777)
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as abstract, \
            socket.socket(socket.AF_UNIX) as unix, subprocess.Popen(["sleep", "1000"]) as sibling:  # fmt: skip
        abstract.bind(name := f"\0grader-test-{os.getpid()}")
        unix.bind(str(folder / "socket"))
        for each in (abstract, unix):
            each.listen()
        os.chmod(folder / "socket", 0o777)
        seen = view()  # a folder that leads to something seen is there, and empty but for that
        paths = [Path(path) for path in (*seen.read, *seen.again)]
        shown = [path.relative_to(top).parts[0] for path in paths for top in (home, "/tmp") if path.is_relative_to(top)]
        yield {
            "port": server.getsockname()[1], "abstract": name,
            "unix": str(folder / "socket"), "canary": str(canary), "open": str(folder), "home": str(home),
            "shown": shown, "package": str(PACKAGE), "parent": os.getpid(),
            "sibling": sibling.pid, "other": str(canary),
        }  # fmt: skip
        assert sibling.poll() is None
        sibling.kill()
    assert canary.read_text() == "secret" and not os.stat(canary).st_mode & 0o002


def test_nothing_is_within_reach(kind, hostile, given, monkeypatch):
    monkeypatch.setenv("CLASS_SECRET", "do not tell")
    neighbour = "import time; open('canary', 'w').write('x'); time.sleep(60)"
    with Child([sys.executable, "-I", "-S", "-c", neighbour]) as other:
        mine = {**given, "sibling": other._supervisor._process.pid, "attacks": ATTACKS}
        mine["other"] = str(Path(other._supervisor._process.home, "canary"))
        outcome = run(hostile, header=mine, limits=Limits(wall_seconds=60.0))
        assert other.outcome is None  # nobody killed it
    assert outcome.header is not None, outcome
    allowed = {"sees_processes"} if kind == "bubblewrap" else set()  # its own alone: the launcher
    assert set(outcome.header["worked"]) <= allowed, outcome.header["worked"]
    assert "CLASS_SECRET" not in outcome.header["environment"]
    assert not [path for path in ("/tmp/written", "/dev/shm/written", "/written") if os.path.exists(path)]
    assert sorted(os.listdir(given["open"])) == ["canary", "socket"]


@pytest.mark.parametrize("attack", ENDLESS)
def test_what_never_ends_is_stopped(kind, hostile, given, attack):
    limits = Limits(
        wall_seconds=1.5 if attack == "starts_threads_without_end" else 20.0, memory_bytes=300 << 20, processes=8,
        file_bytes=64 << 20, home_bytes=64 << 20,
        home_files=500,
    )  # fmt: skip
    outcome = run(hostile, header={**given, "attacks": [attack]}, limits=limits)
    if outcome.state is State.PASS:  # its file system in memory was full before it was looked at
        assert kind == "bubblewrap" and attack.startswith("fills") and not outcome.header["worked"], outcome
    else:
        assert ENDLESS[attack] in outcome.message, outcome
        assert outcome.state is not State.TIMEOUT or attack == "starts_threads_without_end"


def test_nothing_is_left_and_the_next_child_finds_nothing(kind, hostile, given):
    leave = "import os; os.mkdir('shut', 0); open('left', 'w').write('x'); print(os.getcwd())"
    first = run([sys.executable, "-I", "-S", "-c", leave])
    assert first.state is State.PASS and not os.path.exists(first.stdout.strip())
    second = run(hostile, header={**given, "attacks": []})
    assert second.header["files"] == []
    if os.getuid() == 0 and kind == "bubblewrap":
        third = run(hostile, header={**given, "attacks": []})
        assert 0 not in (second.header["user"], third.header["user"]) and second.header["user"] != third.header["user"]


def test_a_daemon_does_not_outlive_its_child(is_alive):
    source = "import os, time\nif os.fork() == 0:\n  os.fork() or time.sleep(1000)\n  os._exit(0)\nprint(os.getpid())"
    outcome = run([sys.executable, "-I", "-S", "-c", source], env={"GRADER_MARK_OF_TEST": "daemon"})
    assert outcome.state is State.PASS
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            environment = Path("/proc", name, "environ").read_bytes()
        except OSError:
            continue
        assert b"GRADER_MARK_OF_TEST=daemon" not in environment or not is_alive(int(name))


def test_native_code_is_confined_too(kind, folder):
    program = folder / "hostile"
    if subprocess.run(["g++", "-O1", "-o", str(program), str(HERE / "hostile.cpp")], capture_output=True).returncode:
        pytest.skip("g++ is not installed")
    outcome = run([str(program), str(os.getpid())], reads=[program], limits=Limits(wall_seconds=10.0))
    assert outcome.state is State.PASS and outcome.stdout == "", outcome
    if os.uname().machine == "x86_64":  # the numbers of 32-bit programs are others, and no filter knows them
        outcome = run([str(program), "int80"], reads=[program], limits=Limits(wall_seconds=10.0))
        assert (outcome.state, outcome.signal) == (State.CRASH, "SIGSYS")
        outcome = run([str(program), "x32"], reads=[program], limits=Limits(wall_seconds=10.0))
        assert (outcome.state, outcome.signal) == (State.CRASH, "SIGSYS")


ENDS = {
    "pass": (0, None), "raise SystemExit(3)": (3, None), "raise SystemExit(139)": (139, None),
    "import os; os.abort()": (None, "SIGABRT"), "import os; os.kill(os.getpid(), 11)": (None, "SIGSEGV"),
    "import os; os.kill(os.getpid(), 9)": (None, "SIGKILL"),
}  # fmt: skip


@pytest.mark.parametrize("source", ENDS)
def test_a_child_ends_as_it_would_unconfined(kind, source):
    outcome = run([sys.executable, "-I", "-S", "-c", source])
    assert (outcome.exit_code, outcome.signal) == ENDS[source]
    assert outcome.state is (State.PASS if ENDS[source][0] == 0 else State.CRASH if ENDS[source][1] else State.ERROR)


def test_what_the_caller_names_is_read(kind, folder):
    (folder / "class" / "submitted").mkdir(parents=True)
    (folder / "class" / "submitted" / "mine").write_text("another's")
    (folder / "seen").write_text("seen")
    (folder / "alias").symlink_to("class")
    (folder / "way").symlink_to(folder)
    look = (
        f"top = {str(folder)!r}\nfor name in ('/seen', '/class/submitted/mine', '/alias/submitted/mine'):\n"
        "  try: print(open(top + name).read())\n"
        "  except OSError: print('no')"
    )
    command = [sys.executable, "-I", "-S", "-c", look]
    assert run(command).stdout == "no\nno\nno\n"
    assert run(command, reads=[folder]).stdout == "seen\nanother's\nanother's\n"


def test_a_child_that_cannot_be_confined_never_runs(kind, monkeypatch, tmp_path):
    written = tmp_path / "written"
    command = ["/bin/sh", "-c", f"echo x > {written}"]
    if kind == "bubblewrap":
        monkeypatch.setattr(bubblewrap, "program", lambda: "/bin/false")
    else:
        monkeypatch.setattr("grader.sandbox.launcher.__file__", "/nonexistent/launcher.py")
    outcome = run(command)
    assert outcome.state is State.GRADER_FAULT and "could not be confined" in outcome.message
    assert not written.exists()
    with pytest.raises(ChildEnded), Child(command) as child:
        child.call({})


def test_what_every_child_sees_is_known(tmp_path):
    (tmp_path / "way").symlink_to("/usr/share")
    assert confinement.exposed("/usr/share/class") == confinement.exposed(tmp_path / "way" / "class") == "/usr"
    assert confinement.exposed(Path(sys.prefix) / "class")
    assert confinement.exposed(tmp_path / "class") is None and confinement.exposed("/usrs") is None


def test_what_a_clone_keeps_for_itself_is_hidden_wherever_it_lies(kind):
    """As where the clone lies in /usr/local/src, which every child sees."""
    clone = PACKAGE.parent
    names = ("README.md", "solutions/00_warm_up/bounds_guard.cu", "tests/test_house.py")
    code = "import sys\ntry: print(open(sys.argv[1]).read(1))\nexcept OSError: print('refused')"
    told = [run([sys.executable, "-I", "-c", code, str(clone / name)], reads=[clone]).stdout for name in names]
    assert [one.strip() == "refused" for one in told] == [False, True, True], told


def test_a_kind_that_there_is_not():
    with pytest.raises(ValueError, match="there are bubblewrap, landlock"):
        confinement.use("chroot")


def test_removing_a_deep_tree_with_shut_folders(tmp_path):
    top = tmp_path / "top"
    top.mkdir()
    here = os.open(top, os.O_RDONLY)
    for _ in range(1050):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.fchmod(here, 0)
    os.close(here)
    tidy.remove(str(top))
    assert not top.exists()
