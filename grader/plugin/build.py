"""Builds the C++ of this room, once for this machine and these TensorRT headers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grader.simulator import compiled
from grader.simulator.records import DeviceError
from grader.toolchain import locate, tensorrt
from grader.verdict import State

_HERE = Path(__file__).parent
HOST = _HERE / "host"
SHARED_SOURCES = _HERE / "native"  # headers for all
_FLAGS = ("-std=c++17", "-O1", "-g", "-fPIC", "-pthread", "-Wall", "-Wextra", "-Wno-deprecated-declarations")


class HostUnavailable(Exception):
    """Plugins cannot be driven here: the sentence says what is missing and how to get it.

    ``state``: ``UNSUPPORTED_HERE``, or ``GRADER_FAULT`` where our own code does not compile.
    """

    def __init__(self, sentence: str, state: State = State.UNSUPPORTED_HERE):
        super().__init__(sentence)
        self.sentence, self.state = sentence, state


def build_host(*, shared: bool = False) -> Path:
    """The plugin host's program (some 5 seconds, once). ``HostUnavailable``.

    With ``shared`` it is a library whose ``main`` another program calls, as the interpreter of a Python plugin does.
    """
    return build(HOST, shared=shared, flags=("-Wl,-Bsymbolic",) if shared else ())


def build(folder: Path, *, shared: bool = False, headers: Path | None = None, flags: Sequence[str] = ()) -> Path:
    """The program, or with ``shared`` the library, of all ``.cpp`` files in ``folder``; kept in the user's cache.

    It is compiled against TensorRT's ``headers`` (found where not given). ``HostUnavailable``.
    """
    what = f"the plugin host's {folder.name}"
    headers, cuda = headers or tensorrt.tensorrt_include(), locate.cuda_include()
    for found, missing in ((headers, "TensorRT's headers are"), (cuda, "the CUDA headers are")):
        if found is None:
            raise HostUnavailable(f"Plugins cannot be driven here: {missing} missing. `grader plugin-lane` gets them.")
    include = [f"-I{each}" for each in (folder, SHARED_SOURCES, locate.supplied_include())]
    include += [part for each in (headers, cuda) for part in ("-isystem", str(each))]
    options = (*_FLAGS, *include, *flags)
    others = [each.read_bytes() for each in sorted(SHARED_SOURCES.iterdir())]
    others.append((locate.supplied_include() / "grader_channel.hpp").read_bytes())
    try:
        compiler = compiled.gxx(what)
        found = (*map(str, (headers, cuda)), tensorrt.headers_version(headers))  # not where this package lies
        key = compiled.key(compiler, folder, _FLAGS, flags, shared, others, found)

        def make(target: Path) -> None:
            compiled.build(compiler, folder.glob("*.cpp"), options, ("-ldl",), target, what, shared=shared)

        return compiled.kept("host", f"{folder.name}-{key}{'.so' if shared else ''}", what, make)
    except DeviceError as error:
        raise HostUnavailable(error.sentence, error.state) from None
