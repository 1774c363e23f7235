"""Compiles the small C++ programs and libraries of this room, once for each compiler, flags and headers."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from grader.toolchain import locate
from grader.toolchain.cache import Cache, key_of, write_atomically
from grader.toolchain.tensorrt import headers_version, tensorrt_include

SHARED_SOURCES = Path(__file__).parent / "native"
_FLAGS = ("-std=c++17", "-O1", "-g", "-fPIC", "-pthread", "-Wall", "-Wextra")
_SECONDS = 120


class CannotBuild(Exception):
    """``sentence`` says what is missing here, or what the compiler said (``defect``: then it is the grader's fault)."""

    def __init__(self, sentence: str, *, defect: bool = False):
        super().__init__(sentence)
        self.sentence, self.defect = sentence, defect


def build(folder: Path, *, shared: bool = False, headers: Path | None = None, flags: Sequence[str] = ()) -> Path:
    """The program, or with ``shared`` the library, of all ``.cpp`` files in ``folder``; kept in the user's cache.

    It is compiled against TensorRT's ``headers`` (found where not given). ``CannotBuild`` without g++ or headers.
    """
    compiler, cuda = locate.gxx(), locate.cuda_include()
    headers = headers or tensorrt_include()
    if compiler is None:
        raise CannotBuild("No C++ compiler was found: install g++ (on Debian and Ubuntu: sudo apt install g++).")
    if headers is None:
        raise CannotBuild("TensorRT's headers were not found: run `grader plugin-lane`, which fetches them.")
    if cuda is None:
        raise CannotBuild("The CUDA headers were not found: run make course once more.")
    sources = sorted(folder.glob("*.cpp"))
    folders = [folder, SHARED_SOURCES, locate.supplied_include()]
    command = [str(compiler), *_FLAGS, *(["-shared"] if shared else []), *flags]
    command += [f"-I{path}" for path in folders]
    command += [part for path in (headers, cuda) for part in ("-isystem", str(path))]
    texts = {f"{path.parent.name}/{path.name}": path.read_bytes() for one in folders for path in sorted(one.iterdir())}
    key = key_of(2, texts, command, locate.gxx_fingerprint(compiler), headers_version(headers))
    cache = Cache("programs")
    if kept := cache.get(key):
        return _placed(cache, key, kept[1])
    with tempfile.TemporaryDirectory(prefix="grader-native-") as scratch:
        output = Path(scratch) / "output"
        command += ["-o", str(output), *map(str, sources), "-ldl"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise CannotBuild(f"{folder.name} did not compile within {_SECONDS} s.", defect=True) from error
        if done.returncode != 0:
            raise CannotBuild(f"{folder.name} does not compile here: {done.stderr[-2000:]}", defect=True)
        cache.put(key, {}, output.read_bytes())
        return _placed(cache, key, output.read_bytes())


def _placed(cache: Cache, key: str, blob: bytes) -> Path:
    try:
        return cache.executable(key, blob)
    except OSError:  # no cache can be written: a folder that lasts as long as the machine keeps temporary files
        path = Path(tempfile.mkdtemp(prefix="grader-program-")) / "program"
        write_atomically(path, blob, mode=0o755)
        return path
