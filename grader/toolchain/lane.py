"""The plugin lane: what building and driving plugins needs beyond kernels, installed after the first lane.

Its packages stand in ``locks/requirements-plugin.lock`` and go into this environment; TensorRT's headers and the
second registry go into the user's cache. ``state()`` says how far it is, ``install()`` installs it or waits for the
process that does. Where it is missing, kernel exercises work as ever.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib
import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement

from grader.toolchain import tensorrt
from grader.toolchain.cache import write_atomically
from grader.toolchain.fetch import LOCKS
from grader.toolchain.pip import PipFailed, run_pip, why_not_written

COMMAND = "grader plugin-lane"
LOCK = LOCKS / "requirements-plugin.lock"
DOWNLOAD_MB, DISK_MB = 355, 1300  # measured: what comes over the network; what must be free for it
# NVIDIA's versions belong together and are compared; of the others an environment may have its own.
_EXACT = ("nvidia-", "tensorrt-")
_HALF_SECOND = 0.5


@dataclass(frozen=True)
class Lane:
    """How far the plugin lane is."""

    phase: str  # "ready", "absent", "installing", "interrupted", "failed" or "unsupported"
    done: int = 0
    total: int = 0
    detail: str = (
        ""  # the package at hand; where it failed, the reason as part of a sentence; what is absent, if little
    )

    @property
    def ready(self) -> bool:
        return self.phase == "ready"

    @property
    def sentence(self) -> str:
        """One plain sentence: how far it is, and what to do."""
        at = f"{self.done} of {self.total} packages"
        told = {
            "ready": "The plugin lane is ready.",
            "absent": f"The plugin lane lacks {self.detail}: `{COMMAND}` adds it."
            if self.detail
            else f"The plugin lane is not installed: `{COMMAND}` installs it ({DOWNLOAD_MB} MB to download).",
            "installing": f"The plugin lane is being installed, {at}{f': {self.detail}' if self.detail else ''}.",
            "interrupted": f"Installing the plugin lane was interrupted after {at}: `{COMMAND}` goes on with it.",
            "failed": f"Installing the plugin lane failed: {self.detail}. Then run `{COMMAND}` again.",
            "unsupported": f"The plugin lane cannot be installed here: {self.detail}.",
        }[self.phase]
        return told + (" Kernel exercises work without it." if self.phase in ("failed", "unsupported") else "")


def state() -> Lane:
    """How far it is; some milliseconds."""
    noted = _noted()
    if _somebody_installs():
        return noted if noted and noted.phase == "installing" else Lane("installing", 0, _total())
    lacking = missing()
    if not lacking and not (noted and noted.phase == "absent"):
        return Lane("ready", _total(), _total())
    if problem := unsupported():
        return Lane("unsupported", 0, _total(), problem)
    if noted is None or noted.ready:  # never installed, or something was removed since
        few = ", ".join(lacking) if len(lacking) <= 3 else ""
        return Lane("absent", _total() - len(lacking), _total(), few)
    return Lane("interrupted", noted.done, noted.total) if noted.phase == "installing" else noted


def missing() -> list[str]:
    """What of the lane is not there: names of packages, "TensorRT's headers", "the registry of TensorRT 11"."""
    lacking = [name for name, version in wanted().items() if not _installed(name, version)]
    if tensorrt.find_headers()[0] is None:
        lacking.append("TensorRT's headers")
    if tensorrt.lean_library(11) is None:
        lacking.append("the registry of TensorRT 11")
    return lacking


def wanted() -> dict[str, str]:
    """The packages of the lock that are for this Python and platform, each with its version."""
    found = {}
    for line in re.findall(r"^[A-Za-z0-9].*", LOCK.read_text(encoding="utf-8"), re.M):
        requirement = Requirement(line.rstrip("\\ "))
        if requirement.marker is None or requirement.marker.evaluate():
            found[requirement.name] = next(iter(requirement.specifier)).version
    return found


def unsupported() -> str:
    """Why NVIDIA has no packages for this machine, as part of a sentence; "" where it has."""
    machine = platform.machine()
    if sys.platform != "linux" or machine not in ("x86_64", "aarch64"):
        return f"its packages are for Linux on x86-64 and aarch64, not for {platform.system()} on {machine}"
    library, version = platform.libc_ver()
    oldest = (2, 28) if machine == "x86_64" else (2, 35)
    if library != "glibc" or tuple(map(int, version.split(".")[:2])) < oldest:
        here = f"{library or 'another C library'} {version}".strip()
        return f"its packages need glibc {oldest[0]}.{oldest[1]}, and here is {here}"
    return ""


def install(report: Callable[[Lane], None] = lambda lane: None) -> Lane:
    """Install what is missing, or wait for the process that does; the state afterwards, ``ready`` or why not.

    ``report`` is given the state whenever it changes. Ctrl-C ends it cleanly; another call goes on.
    """
    now = state()
    if now.phase in ("ready", "unsupported"):
        return now
    try:
        with _alone(report) as descriptor:
            if missing() or not (noted := _noted()) or not noted.ready:  # nobody did it while we waited
                _Installation(report, descriptor).run()
    except PipFailed as problem:
        return _failed(str(problem))
    except OSError as problem:
        return _failed(why_not_written(problem))
    importlib.invalidate_caches()  # what is new can be imported at once
    return state()


def install_in_background() -> Lane:
    """Start ``install()`` in a process that outlives this one and yields to others; the state right after."""
    now = state()
    if now.phase in ("ready", "unsupported", "installing"):
        return now
    try:
        with _file("log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-I", "-m", "grader.toolchain.lane"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
    except OSError as problem:
        return _failed(why_not_written(problem))
    for _ in range(20):  # until it holds the lock; on a slow machine we say "absent" for a moment
        if _somebody_installs() or process.poll() is not None:
            break
        time.sleep(_HALF_SECOND / 5)
    return state()


class _Installation:
    """One run through what is missing. Each step notes how far it is, for the readers of ``state()``."""

    def __init__(self, report: Callable[[Lane], None], descriptor: int):
        self._report, self._descriptor, self._total = report, descriptor, _total()
        self._done, self._log = 0, _file("log")

    def run(self) -> None:
        self._log.write_bytes(b"")
        self._say("")
        _forget_half_installed()
        packages = wanted()
        lacking = [name for name, version in packages.items() if not _installed(name, version)]
        self._room(bool(lacking))
        if lacking:
            self._install_packages(packages)
        self._done = len(packages)
        self._fetch("TensorRT's headers", tensorrt.find_headers()[0] is None, tensorrt.fetch_headers)
        self._fetch("the registry of TensorRT 11", tensorrt.lean_library(11) is None, tensorrt.fetch_second_lean)
        self._report(_note(Lane("ready", self._total, self._total)))

    def _install_packages(self, packages: dict[str, str]) -> None:
        seen: list[str] = []

        def progress(name: str, size: str) -> None:
            key = _normal(name)
            if key in packages and key not in seen:
                seen.append(key)
            self._done = max(0, len(seen) - 1) if name else len(packages)
            self._say(f"{name}, {size}" if size else name or "unpacking them")

        # Without dependencies: the lock holds them all, and nothing of the first lane is to be touched.
        run_pip(
            ["install", "--no-deps", "--require-hashes", "--only-binary", ":all:", "-r", str(LOCK)],
            self._log, progress, [self._descriptor],
        )  # fmt: skip

    def _fetch(self, what: str, needed: bool, fetch: Callable[..., None]) -> None:
        self._say(what)
        if needed:
            fetch(
                log=self._log, keep_open=[self._descriptor],
                progress=lambda name, size: self._say(f"{what}, {size}" if size else what),
            )  # fmt: skip
        self._done += 1

    def _room(self, packages: bool) -> None:
        free = shutil.disk_usage(sys.prefix).free >> 20
        if packages and free < DISK_MB:
            raise PipFailed(f"it needs {DISK_MB} MB on disk, and {free} MB are free in {sys.prefix}")

    def _say(self, detail: str) -> None:
        self._report(_note(Lane("installing", self._done, self._total, detail)))


def _total() -> int:
    return len(wanted()) + 2


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _installed(name: str, version: str) -> bool:
    """Whether a package is there, to its last file: pip writes RECORD at the end."""
    try:
        found = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    fits = not name.startswith(_EXACT) or found.version == version
    return fits and found.read_text("RECORD") is not None


def _forget_half_installed() -> None:
    """Remove the mark of packages that pip was stopped at: it would take them for whole."""
    names = {name.replace("-", "_") for name in wanted()}
    for info in Path(sysconfig.get_path("purelib")).glob("*.dist-info"):
        if info.name.partition("-")[0].lower() in names and not (info / "RECORD").exists():
            shutil.rmtree(info, ignore_errors=True)


# What is noted for other processes lies in the environment: the lane belongs to it.


def _file(suffix: str) -> Path:
    return Path(sys.prefix) / f".plugin-lane.{suffix}"


def _note(lane: Lane) -> Lane:
    facts = {"lock": _lock_hash(), "phase": lane.phase, "done": lane.done, "total": lane.total, "detail": lane.detail}
    write_atomically(_file("json"), json.dumps(facts).encode())
    return lane


def _failed(why: str) -> Lane:
    lane = Lane("failed", 0, _total(), why)
    with contextlib.suppress(OSError):  # where nothing can be written, that is the reason told
        _note(lane)
    return lane


def _noted() -> Lane | None:
    """What the last installation noted; None where there was none, "absent" where it was for other locks."""
    try:
        facts = json.loads(_file("json").read_bytes())
        if facts.pop("lock") != _lock_hash():
            return Lane("absent", 0, _total())
        return Lane(**facts) if facts["phase"] in ("ready", "installing", "failed") else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _lock_hash() -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(LOCKS.iterdir()))).hexdigest()


def _somebody_installs() -> bool:
    """Whether a process, or the pip that it left, holds the lock."""
    try:
        with _file("lock").open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False


@contextlib.contextmanager
def _alone(report: Callable[[Lane], None]) -> Iterator[int]:
    """Hold the lock; while another process has it, tell how far that one is. Gives the lock's descriptor."""
    shown = None
    with _file("lock").open("ab") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                noted = _noted()
                if noted and noted.phase == "installing" and noted != shown:
                    report(shown := noted)
                time.sleep(_HALF_SECOND)
        yield file.fileno()


if __name__ == "__main__":
    os.nice(10)
    sys.exit(0 if install().ready else 1)
