"""Builds the engine's C++, once for this machine."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

from grader.simulator.records import DeviceError
from grader.verdict.records import State

SOURCES = Path(__file__).parent / "engine"
FLAGS = ("-std=c++17", "-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-pthread")
SANITIZED = (
    "-std=c++17", "-O1", "-g", "-fno-omit-frame-pointer", "-ffp-contract=off", "-fno-math-errno", "-fPIC",
    "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
)  # fmt: skip
INSTALL_HINT = "install it with: sudo apt-get install g++"


def build(flags: tuple[str, ...] = FLAGS) -> Path:
    """The engine's library, from the user's cache or built now (some 20 seconds, once).

    With ``SANITIZED`` it loads only into a process that was started with ``sanitizer_environment``.

    ``DeviceError`` (``UNSUPPORTED_HERE``) where g++ is missing, ``GRADER_FAULT`` where it fails.
    """
    compiler = shutil.which("g++")
    if compiler is None:
        raise DeviceError(
            State.UNSUPPORTED_HERE,
            f"the simulated GPU needs the compiler g++, which is not here; {INSTALL_HINT}",
        )
    cached = library = _in_cache(compiler, flags)
    try:
        return _kept(compiler, flags, library)
    except OSError:  # a cache that cannot be written: a folder of this user's own instead
        library = _private_folder() / cached.name
    try:
        return _kept(compiler, flags, library)
    except OSError as error:
        raise DeviceError(
            State.GRADER_FAULT,
            f"the simulated GPU's engine cannot be kept in {cached.parent} nor in {library.parent}: {error.strerror}",
        ) from error


def is_built() -> bool:
    """Whether the engine for this machine and these sources is in the user's cache, so that ``build`` is quick."""
    compiler = shutil.which("g++")
    return compiler is not None and _in_cache(compiler, FLAGS).exists()


def sanitizer_environment() -> dict[str, str]:
    """What to set for a Python that loads a ``SANITIZED`` engine. Python's own memory is not looked at for leaks."""
    runtime = subprocess.run(["g++", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    return {
        "LD_PRELOAD": runtime.stdout.strip(),
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:handle_segv=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


def _in_cache(compiler: str, flags: tuple[str, ...]) -> Path:
    from grader.toolchain.cache import cache_folder

    return cache_folder() / "engine" / f"simulator-{_key(compiler, flags)}.so"


def _kept(compiler: str, flags: tuple[str, ...], library: Path) -> Path:
    """``library``, built now if it is not there; ``OSError`` where it cannot be kept."""
    if not library.exists():
        library.parent.mkdir(parents=True, exist_ok=True)
        _build_once(compiler, flags, library)
    return library


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


@functools.cache
def _key(compiler: str, flags: tuple[str, ...]) -> str:
    """Changes with the sources, the compiler, the flags and the processor (its instructions are used)."""
    real = Path(compiler).resolve()
    facts = real.stat()
    digest = hashlib.sha256(repr((flags, str(real), facts.st_size, facts.st_mtime_ns, _processor())).encode())
    for source in sorted(SOURCES.iterdir()):
        if source.suffix in (".cpp", ".h", ".inc"):
            digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()[:24]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return os.uname().machine
    wanted = ("vendor_id", "model", "flags", "Features", "CPU part")
    return "\n".join(dict.fromkeys(line for line in lines if line.split("\t")[0].strip() in wanted))


def _build_once(compiler: str, flags: tuple[str, ...], library: Path) -> None:
    """Compile under a lock, so that several processes build once; the finished file appears in one step."""
    with open(library.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if library.exists():
            return
        with tempfile.TemporaryDirectory(dir=library.parent) as scratch:
            finished = Path(scratch) / library.name
            _compile(compiler, flags, Path(scratch), finished)
            os.replace(finished, library)


def _compile(compiler: str, flags: tuple[str, ...], scratch: Path, target: Path) -> None:
    sources = sorted(SOURCES.glob("*.cpp"))
    objects = [scratch / f"{source.stem}.o" for source in sources]
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
            raise DeviceError(
                State.GRADER_FAULT, f"g++ could not build the simulated GPU ({source.name}):\n{text[:2000]}"
            )
    linked = subprocess.run(
        [compiler, *flags, "-shared", *map(str, objects), "-o", str(target)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )  # fmt: skip
    if linked.returncode:
        raise DeviceError(
            State.GRADER_FAULT, f"g++ could not link the simulated GPU:\n{linked.stderr[:2000]}"
        )
