"""The plugin lane: its states, two processes at once, interruption, a full disk, what is fetched by hash."""

import fcntl
import hashlib
import importlib
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
import zipfile
from pathlib import Path

import pytest

from grader.toolchain import fetch as fetching
from grader.toolchain import lane, pip, tensorrt
from grader.toolchain.lane import Lane

ROOT = Path(__file__).resolve().parents[2]
LOCKED = """nvidia-cuda-nvcc==13.0.88 ; sys_platform == 'linux' \\
    --hash=sha256:00
onnx==1.23.2 \\
    --hash=sha256:00
onlyonmac==1 ; sys_platform == 'darwin' \\
    --hash=sha256:00
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An environment of its own: notes, a site-packages folder, a cache; a lock of two packages for here."""
    site = tmp_path / "site-packages"
    locks = tmp_path / "locks"
    shutil.copytree(lane.LOCKS, locks)
    (locks / "requirements-plugin.lock").write_text(LOCKED)
    site.mkdir()
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("sys.path", [str(site), *(path for path in sys.path if "site-packages" not in path)])
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    monkeypatch.setattr("sys.executable", "/nonexistent")  # no test installs anything into the real environment
    monkeypatch.setattr(lane, "LOCKS", locks)
    monkeypatch.setattr(lane, "LOCK", locks / "requirements-plugin.lock")
    monkeypatch.setattr(lane, "DISK_MB", 0)
    monkeypatch.setattr(lane.sysconfig, "get_path", lambda name: str(site))
    for name in ("fetch_headers", "fetch_second_lean"):
        monkeypatch.setattr(tensorrt, name, lambda **how: None)
    monkeypatch.setattr(tensorrt, "find_headers", lambda: (object(), ()))
    monkeypatch.setattr(tensorrt, "lean_library", lambda major=10: tmp_path)
    return tmp_path


def put(place, name="onnx", version="1.23.2", whole=True):
    info = place / "site-packages" / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    if whole:
        (info / "RECORD").write_text("")
    os.utime(place / "site-packages", (time.time(), time.time() + len(list(info.parent.iterdir()))))
    importlib.invalidate_caches()


def install_all(place):
    def run(arguments, log, progress, keep_open=()):
        assert "--require-hashes" in arguments and "--no-deps" in arguments
        for name, version in lane.wanted().items():
            progress(name, "")
            progress(name, "61.6 MB")
            put(place, name, version)
        progress("", "")

    return run


def test_from_nothing_to_ready(place, monkeypatch):
    seen = []
    monkeypatch.setattr(lane, "run_pip", install_all(place))
    assert lane.state() == Lane("absent", 2, 4, "nvidia-cuda-nvcc, onnx")
    assert lane.state().sentence == "The plugin lane lacks nvidia-cuda-nvcc, onnx: `grader plugin-lane` adds it."
    with monkeypatch.context() as more:
        more.setattr(tensorrt, "find_headers", lambda: (None, ()))
        more.setattr(tensorrt, "lean_library", lambda major=10: None)
        assert lane.state().sentence.startswith("The plugin lane is not installed: `grader plugin-lane` installs it")

    def report(at):
        assert lane.state() == at or at.ready  # what others see meanwhile
        seen.append((at.phase, at.done, at.detail))

    assert lane.install(report) == Lane("ready", 4, 4)
    assert seen == [
        ("installing", 0, ""),
        ("installing", 0, "nvidia-cuda-nvcc"), ("installing", 0, "nvidia-cuda-nvcc, 61.6 MB"),
        ("installing", 1, "onnx"), ("installing", 1, "onnx, 61.6 MB"),
        ("installing", 2, "unpacking them"),
        ("installing", 2, "TensorRT's headers"), ("installing", 3, "the registry of TensorRT 11"), ("ready", 4, ""),
    ]  # fmt: skip
    assert lane.install(pytest.fail).ready  # and then there is nothing to do


def test_an_environment_that_has_it_all_is_ready_without_us(place):
    put(place, "nvidia-cuda-nvcc", "13.0.88")
    put(place, "onnx", "1.99")  # an environment's own version will do
    assert lane.state().ready
    put(place, "onnx", "1.99", whole=False)
    shutil.rmtree(place / "site-packages" / "nvidia_cuda_nvcc-13.0.88.dist-info")
    put(place, "nvidia-cuda-nvcc", "13.2.1")  # newer PTX is refused by drivers of CUDA 13.0
    assert lane.missing() == ["nvidia-cuda-nvcc"]


def test_a_newer_lock_asks_for_another_installation(place, monkeypatch):
    monkeypatch.setattr(lane, "run_pip", install_all(place))
    lane.install()
    lane.LOCK.write_text(LOCKED.replace("1.23.2", "1.24.0"))
    assert lane.state().phase == "absent"


def test_a_failure_is_told_until_it_works(place, monkeypatch):
    def run(*arguments):
        raise pip.PipFailed("the package index cannot be reached: check the connection to the network")

    monkeypatch.setattr(lane, "run_pip", run)
    assert lane.install().phase == "failed"
    sentence = lane.state().sentence
    assert "cannot be reached" in sentence and "run `grader plugin-lane` again" in sentence
    assert "Kernel exercises work without it." in sentence
    monkeypatch.setattr(lane, "run_pip", install_all(place))
    assert lane.install().ready


def test_interruption_is_told_and_the_next_run_goes_on(place, monkeypatch):
    def stopped(arguments, log, progress, keep_open=()):
        progress("nvidia-cuda-nvcc", "")
        progress("onnx", "")
        put(place, "onnx", whole=False)
        raise KeyboardInterrupt

    monkeypatch.setattr(lane, "run_pip", stopped)
    with pytest.raises(KeyboardInterrupt):
        lane.install()
    assert lane.state() == Lane("interrupted", 1, 4) and "goes on with it" in lane.state().sentence
    assert lane.missing() == ["nvidia-cuda-nvcc", "onnx"]  # what pip was stopped at is not there

    def whole(arguments, log, progress, keep_open=()):
        assert not list((place / "site-packages").glob("onnx*"))
        install_all(place)(arguments, log, progress)

    monkeypatch.setattr(lane, "run_pip", whole)
    assert lane.install().ready


def test_a_full_disk_is_told_before_and_meanwhile(place, monkeypatch):
    monkeypatch.setattr(lane, "DISK_MB", 1 << 40)
    assert "MB are free in" in lane.install().sentence
    monkeypatch.setattr(lane, "DISK_MB", 0)

    def full(*arguments):
        raise OSError(28, "No space left on device", "/cache/x")

    monkeypatch.setattr(lane, "run_pip", full)
    assert "the disk is full: make room for /cache/x" in lane.install().sentence


def test_an_environment_that_cannot_be_written(place, monkeypatch):
    (place / "file").write_text("")
    monkeypatch.setattr("sys.prefix", str(place / "file" / "environment"))
    now = lane.install()
    assert now.phase == "failed" and "cannot be written" in now.sentence
    assert lane.install_in_background().phase == "failed"


def test_in_the_background_it_is_seen_to_hold_the_lock(place, monkeypatch):
    hold = "import fcntl, time; f = open(r'@', 'ab'); fcntl.flock(f, fcntl.LOCK_EX); time.sleep(2)"
    hold = hold.replace("@", str(place / ".plugin-lane.lock"))
    fake_pip(place, monkeypatch, f'[ "$*" = "-I -m grader.toolchain.lane" ] && exec {sys._base_executable} -c "{hold}"')
    assert lane.install_in_background() == Lane("installing", 0, 4)
    fake_pip(place, monkeypatch, "exit 1")
    fcntl.flock((place / ".plugin-lane.lock").open("rb"), fcntl.LOCK_EX)  # once it ended
    assert lane.install_in_background().phase == "absent"


def test_a_machine_without_packages(place, monkeypatch):
    monkeypatch.setattr(lane.platform, "machine", lambda: "riscv64")
    assert "not for Linux on riscv64" in lane.install().sentence
    monkeypatch.setattr(lane.platform, "machine", lambda: "aarch64")
    monkeypatch.setattr(lane.platform, "libc_ver", lambda: ("glibc", "2.31"))
    assert "need glibc 2.35, and here is glibc 2.31" in lane.state().sentence
    monkeypatch.setattr(lane.platform, "libc_ver", lambda: ("", ""))
    assert "here is another C library" in lane.state().sentence


def test_a_second_process_waits_and_tells_the_progress_of_the_first(place, monkeypatch):
    lane._note(Lane("installing", 1, 4, "onnx"))
    with (place / ".plugin-lane.lock").open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert lane.state() == Lane("installing", 1, 4, "onnx")
        assert lane.state().sentence == "The plugin lane is being installed, 1 of 4 packages: onnx."
        assert lane.install_in_background().phase == "installing"
        seen = []

        def report(at):
            seen.append(at)
            put(place, "nvidia-cuda-nvcc", "13.0.88")
            put(place)
            lane._note(Lane("ready", 4, 4))
            fcntl.flock(held, fcntl.LOCK_UN)

        monkeypatch.setattr(lane, "run_pip", pytest.fail)  # the first did the work
        assert lane.install(report).ready
    assert seen == [Lane("installing", 1, 4, "onnx")]


def fake_pip(place, monkeypatch, body):
    program = place / "python"
    program.write_text(f"#!/bin/sh\n{body}")
    program.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(program))


def test_pips_lines_become_progress(tmp_path, monkeypatch):
    fake_pip(
        tmp_path,
        monkeypatch,
        """
echo "Collecting onnx==1.23.2 (from -r x (line 3))"
echo "  Downloading onnx-1.23.2-cp311-cp311-manylinux_2_28_x86_64.whl (8.9 MB)"
echo "Requirement already satisfied: numpy==2.4.6 in ./lib (2.4.6)"
echo "  Downloading https://mirror.example/nvidia_nvvm-13.0.88-py3-none-any.whl.metadata (1.2 kB)"
echo "Installing collected packages: onnx"
""",
    )
    seen = []
    pip.run_pip(["install"], tmp_path / "log", lambda *what: seen.append(what))
    assert seen == [("onnx", ""), ("onnx", "8.9 MB"), ("numpy", ""), ("nvidia-nvvm", "1.2 kB"), ("", "")]
    assert "mirror.example" in (tmp_path / "log").read_text()


def test_an_exception_ends_pip(tmp_path, monkeypatch):
    fake_pip(tmp_path, monkeypatch, 'echo $$ >"$0.pid"; echo "Collecting onnx"; exec sleep 60')

    def stop(*what):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pip.run_pip(["install"], tmp_path / "log", stop)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "python.pid").read_text()), signal.SIGCONT)


def test_newer_pips_tell_bytes(tmp_path, monkeypatch):
    lines = """
[ "$*" = "-I -m pip install --progress-bar raw x" ] || exit 1
echo "  Downloading onnx-1.23.2-cp311-cp311-manylinux_2_28_x86_64.whl (8.9 MB)"
echo "Progress 4100000 of 8886609"
"""
    fake_pip(tmp_path, monkeypatch, lines)
    monkeypatch.setattr(pip.importlib.metadata, "version", lambda name: "24.1")
    seen = []
    pip.run_pip(["install", "x"], tmp_path / "log", lambda *what: seen.append(what))
    assert seen == [("onnx", "8.9 MB"), ("onnx", "4 of 8.9 MB")]
    assert "Progress" not in (tmp_path / "log").read_text()
    monkeypatch.setattr(pip.importlib.metadata, "version", lambda name: "24.0")
    with pytest.raises(pip.PipFailed):
        pip.run_pip(["install", "x"], tmp_path / "log", lambda *what: None)


@pytest.mark.parametrize(
    "said, meaning",
    [
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "the disk is full"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "is not what the lock pins"),
        ("error: externally-managed-environment", "managed by the system"),
        ("NameResolutionError(...)\nERROR: No matching distribution found for x", "cannot be reached"),
        ("ERROR: No matching distribution found for x", "has no file of it for this machine"),
        ("/x/python: No module named pip", "ensurepip"),
        ("WARNING: y\nERROR: something odd.\n", "pip said: something odd"),
        ("", "pip said: it said nothing"),
    ],
)  # fmt: skip
def test_pips_failures_in_plain_words(said, meaning):
    assert meaning in pip.reason(said)


def test_settings_of_others_do_not_reach_pip():
    given = {"PIP_TARGET": "/x", "PIP_CONSTRAINT": "/y", "PIP_INDEX_URL": "https://i", "PIP_CERT": "/c", "HOME": "/h"}
    theirs = pip.environment(given)
    assert "PIP_TARGET" not in theirs and theirs["PIP_CONSTRAINT"] == os.devnull
    assert (theirs["PIP_INDEX_URL"], theirs["PIP_CERT"], theirs["HOME"]) == ("https://i", "/c", "/h")


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A folder of wheels in place of the package index, and a lock for the one in it."""
    wheel = tmp_path / "wheels" / "kernel_lens-2.0.1-py3-none-any.whl"
    wheel.parent.mkdir()
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in ("kernel_lens/include/tensorrt/NvInfer.h", "kernel_lens/include/other/x.h", "kernel_lens/run.py"):
            archive.writestr(name, "text")
        info = "kernel_lens-2.0.1.dist-info"
        archive.writestr(f"{info}/licenses/LICENSE", "licence")
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: kernel-lens\nVersion: 2.0.1\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    locks = tmp_path / "locks"
    locks.mkdir()
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (locks / "requirements-headers.lock").write_text(f"kernel-lens==2.0.1 \\\n    --hash=sha256:{digest}\n")
    monkeypatch.setattr(fetching, "LOCKS", locks)
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    return locks


def test_headers_are_fetched_by_hash_and_nothing_else_is_unpacked(index, tmp_path):
    folder = tensorrt.headers_folder()
    folder.mkdir(parents=True)
    (folder / "half").write_text("")  # of an unpacking that did not end
    tensorrt.fetch_headers(log=tmp_path / "log")
    assert sorted(path.name for path in folder.iterdir()) == ["LICENSE-kernel-lens", "NvInfer.h"]
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    (index / "requirements-headers.lock").write_text(f"kernel-lens==2.0.1 \\\n    --hash=sha256:{'0' * 64}\n")
    shutil.rmtree(folder)
    with pytest.raises(pip.PipFailed, match="not what the lock pins"):
        tensorrt.fetch_headers(log=tmp_path / "log")
    assert not list(folder.parent.iterdir())


def test_the_locks_name_no_index_and_pin_what_the_package_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    texts = {path.name: path.read_text() for path in (ROOT / "grader/toolchain/locks").iterdir()}
    for text in [*texts.values(), (ROOT / "requirements.lock").read_text()]:
        assert "://" not in text and "--index" not in text and "--find-links" not in text
    second = [line for line in texts["requirements-plugin.lock"].splitlines() if "==" in line]
    pins = dict(line.split(" ")[0].split("==") for line in second)
    first = [line for line in (ROOT / "requirements.lock").read_text().splitlines() if "==" in line]
    for requirement in project["optional-dependencies"]["plugin"]:
        name, _, version = requirement.split(";")[0].partition("==")
        if version:
            assert pins[name] == version
        else:
            assert name.split(">")[0] in pins
    for line in second:
        if any(other.startswith(line.split("==")[0] + "==") for other in first):
            assert line in first  # one environment, one version
    assert tensorrt.HEADERS.startswith("10.14.") and fetching.pinned(tensorrt.SECOND_LEAN).startswith("11.4.")
    assert len(lane.wanted()) >= 11


def test_the_module_runs_by_itself():
    done = subprocess.run(
        [sys.executable, "-I", "-c", "import grader.toolchain.lane as l; print(l.state().phase, l.state().total)"],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0 and done.stdout.split()[1].isdigit(), done.stderr
