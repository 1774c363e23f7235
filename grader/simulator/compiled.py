"""C++ that comes with the grader, compiled once for this machine and kept in the user's cache."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from grader.simulator.records import DeviceError
from grader.verdict.records import State

INSTALL_HINT = "install it with: sudo apt-get install g++"
_SUFFIXES = (".cpp", ".h", ".inc", ".map")


def gxx(what: str) -> str:
    """The path of g++; ``DeviceError`` (``UNSUPPORTED_HERE``), which says what needs it, where it is missing."""
    compiler = shutil.which("g++")
    if compiler is None:
        raise DeviceError(State.UNSUPPORTED_HERE, f"{what} needs the compiler g++, which is not here; {INSTALL_HINT}")
    return compiler


def key(compiler: str, sources: Path, *facts) -> str:
    """Changes with the compiler, with the files in the folder ``sources`` and with ``facts`` (their ``repr``)."""
    real = Path(compiler).resolve()
    about = real.stat()
    digest = hashlib.sha256(repr((facts, str(real), about.st_size, about.st_mtime_ns)).encode())
    for source in sorted(sources.iterdir()):
        if source.suffix in _SUFFIXES:
            digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()[:24]


def in_cache(folder: str, name: str) -> Path:
    """Where ``kept`` looks first."""
    from grader.toolchain.cache import cache_folder

    return cache_folder() / folder / name


def kept(folder: str, name: str, what: str, make: Callable[[Path], None]) -> Path:
    """A file or folder of the cache, made now by ``make(path)`` if it is not there; the name holds its key.

    Where the cache cannot be written, it is kept in a temporary folder of this user's. ``DeviceError``
    (``GRADER_FAULT``) where that fails too.
    """
    cached = in_cache(folder, name)
    try:
        return _made_once(cached, make)
    except OSError:
        private = _private_folder() / name
    try:
        return _made_once(private, make)
    except OSError as error:
        raise DeviceError(
            State.GRADER_FAULT,
            f"{what} cannot be kept in {cached.parent} nor in {private.parent}: {error.strerror}",
        ) from error


def build(
    compiler: str, sources: Iterable[Path], flags: Sequence[str], link: Sequence[str], target: Path, what: str, *,
    shared: bool = True,
) -> None:  # fmt: skip
    """All sources, compiled at once and linked to the library, or else program, ``target``.

    ``DeviceError`` (``GRADER_FAULT``) with g++'s words.
    """
    sources = sorted(sources)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        objects = [Path(scratch) / f"{source.stem}.o" for source in sources]
        running = [
            subprocess.Popen(
                [compiler, *flags, "-c", str(source), "-o", str(product)],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )
            for source, product in zip(sources, objects, strict=True)
        ]  # fmt: skip
        texts = [process.communicate()[0].decode("utf-8", "replace") for process in running]
        for source, process, text in zip(sources, running, texts, strict=True):
            if process.returncode:
                raise DeviceError(State.GRADER_FAULT, f"g++ could not build {what} ({source.name}):\n{text[:2000]}")
        linked = subprocess.run(
            [compiler, *flags, *(["-shared"] if shared else []), *map(str, objects), *link, "-o", str(target)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
        )  # fmt: skip
        if linked.returncode:
            raise DeviceError(State.GRADER_FAULT, f"g++ could not link {what}:\n{linked.stderr[:2000]}")


def _made_once(path: Path, make: Callable[[Path], None]) -> Path:
    """Made under a lock, so that several processes make it once; the finished thing appears in one step."""
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
                finished = Path(scratch) / path.name
                make(finished)
                os.replace(finished, path)
    return path


@functools.cache
def _private_folder() -> Path:
    """A temporary folder that only this user can write, the same in every process if that is possible."""
    folder = Path(tempfile.gettempdir()) / f"tensorrt-plugin-course-engine-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        facts = folder.lstat()
        if stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid() and not facts.st_mode & 0o022:
            return folder
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="grader-engine-"))
