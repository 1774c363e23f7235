"""What this machine can do. Every probe tries the thing itself; a file that lies there proves nothing."""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date

from grader.toolchain.lane import COMMAND
from grader.verdict import State
from grader.workspace import machine_plugins as plugins

_KERNEL = """extern "C" __global__ void probe(float *out) { out[threadIdx.x] = 2.0f * threadIdx.x; }
"""
_HOST = '#include <cstdio>\nint answer();\nint main() { std::printf("%d", answer()); return 0; }\n'
_LANES = 32


@dataclass(frozen=True)
class Ability:
    """One thing that this machine can or cannot do."""

    key: str
    title: str
    ok: bool
    found: str  # what was tried and came of it, in a few words
    unlocks: str
    how: str  # how to get it; shown when it is missing
    needed: bool  # the course cannot be used without it


class Missing(Exception):
    """A probe found nothing to try; the text is for the learner."""


def abilities(keys: Iterable[str] | None = None) -> list[Ability]:
    """Run the probes of `keys` (all by default), in order. A probe never raises; a broken one is not ok."""
    wanted = set(keys) if keys is not None else {probe.key for probe in PROBES}
    return [probe.run() for probe in PROBES if probe.key in wanted]


@dataclass(frozen=True)
class _Probe:
    key: str
    title: str
    unlocks: str
    how: str
    attempt: Callable[[], str]
    needed: bool = False

    def run(self) -> Ability:
        try:
            found, ok = self.attempt(), True
        except (Missing, plugins.NotThere) as missing:
            found, ok = str(missing), False
        except Exception as error:  # a probe must not end the report
            found, ok = f"tried, and it failed: {type(error).__name__}: {error}", False
        return Ability(self.key, self.title, ok, found, self.unlocks, self.how, self.needed)


def _python() -> str:
    version = sys.version.split()[0]
    if not (3, 11) <= sys.version_info[:2] <= (3, 14):
        raise Missing(f"Python {version}; 3.11 to 3.14 is needed")
    return f"Python {version}"


def _probe_ptx() -> str:
    from grader.toolchain import Source, compile_kernel

    # The date makes the source new once a day: the compile cache proves nothing of today's compiler.
    text = f"// {date.today().isoformat()}\n{_KERNEL}"
    compilation = compile_kernel(Source({"probe.cu": text.encode()}, "probe.cu"))
    if compilation.state is not State.PASS or not compilation.ptx:
        raise Missing(compilation.message or f"compiling ended in {compilation.state}")
    return compilation.ptx


def _compiler() -> str:
    _probe_ptx()
    version = importlib.metadata.version("nvidia-cuda-nvrtc")
    return f"NVRTC {version} compiled a kernel"


def _run_probe(device) -> None:
    """Run the probe kernel on a device and compare every element."""
    with device:
        module = device.load(_probe_ptx())
        out = device.alloc(4 * _LANES, name="out")
        launch = device.launch(module, "probe", (1, 1, 1), (_LANES, 1, 1), struct.pack("<Q", out))
        if launch.fault:
            raise Missing(f"a kernel faulted: {launch.fault.sentence}")
        got = struct.unpack(f"<{_LANES}f", device.read(out, 4 * _LANES))
    if list(got) != [2.0 * lane for lane in range(_LANES)]:
        raise Missing(f"a kernel ran and gave wrong values, {got[:4]}…")


def _simulated() -> str:
    from grader.gpu import open_device

    _run_probe(open_device("simulated"))
    return "a kernel ran and gave the right values"


def _host() -> str:
    from grader.toolchain import Source, compile_host

    text = f"// {date.today().isoformat()}\nint answer() {{ return 42; }}\n"
    program = compile_host(Source({"probe.cpp": text.encode()}, "probe.cpp"), harness={"main.cpp": _HOST.encode()})
    if program.state is not State.PASS:
        raise Missing(program.message or f"compiling ended in {program.state}")
    shown = subprocess.run([str(program.path)], capture_output=True, text=True, timeout=10).stdout
    if shown != "42":
        raise Missing(f"a program was built, and printed {shown!r} where 42 was due")
    return "g++ built a program, and it ran"


def _gpu() -> str:
    if importlib.util.find_spec("cupy") is None:
        raise Missing("CuPy is not installed")
    from grader.gpu import open_device

    _run_probe(open_device("cuda"))
    return _in_child(
        "import cupy; p = cupy.cuda.runtime.getDeviceProperties(0);"
        "print(p['name'].decode(), 'ran a kernel through CuPy', cupy.__version__)"
    )


def _tensorrt() -> str:
    if importlib.util.find_spec("tensorrt") is None:
        raise Missing("TensorRT is not installed")
    return _in_child("import tensorrt; print('TensorRT', tensorrt.__version__, 'loads')")


def _in_child(code: str) -> str:
    """What a fresh Python prints. A library that crashes on loading must not take us along."""
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise Missing((done.stderr.strip().splitlines() or [f"ended with exit code {done.returncode}"])[-1])
    return done.stdout.strip()


def _on_path(program: str) -> str:
    """The program as a shell in this environment would find it, started once."""
    path = shutil.which(program, path=os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")]))
    if path is None:
        raise Missing(f"{program} is not in {os.path.dirname(sys.executable)} nor on PATH")
    done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise Missing(f"{program} --version ended with exit code {done.returncode}")
    return (done.stdout or done.stderr).strip().splitlines()[-1].removeprefix(program).strip()


def _jupyter() -> str:
    return f"JupyterLab {_on_path('jupyter-lab')} starts"


def _nbgrader() -> str:
    if shutil.which("alembic") is None and not os.path.exists(os.path.join(os.path.dirname(sys.executable), "alembic")):
        raise Missing("alembic, which nbgrader calls, is not on PATH")
    return f"nbgrader {importlib.metadata.version('nbgrader')}, alembic {_on_path('alembic')} start"


def _confined(kind: str) -> str:
    from grader.sandbox import confinement

    found = confinement.probe(kind)
    if not found.works:
        raise Missing(f"{found.found}; {found.how}" if found.how else found.found)
    return found.found


def _cmake() -> str:
    _on_path("cmake"), _on_path("ninja")
    return " and ".join(f"{name} {importlib.metadata.version(name.lower())}" for name in ("CMake", "Ninja")) + " start"


_SETUP = "run `make course` in the course's folder; it installs what is missing"
_LANE = f"`{COMMAND}` installs it"
PROBES = (
    _Probe(
        "python", "Python", "everything",
        "install Python 3.11 to 3.14 and run `make course` again", _python, True,
    ),
    _Probe(
        "compiler", "CUDA compiler", "kernel exercises: your .cu file is compiled",
        _SETUP, _compiler, True,
    ),
    _Probe(
        "simulated-gpu", "Simulated GPU", "kernel exercises without a GPU; checks of bounds and races, exact counters",
        "install g++ (Debian, Ubuntu: `apt install g++`), then `make course`", _simulated, True,
    ),
    _Probe(
        "host-compiler", "C++ compiler", "C++ exercises, and the simulated GPU's engine",
        "install g++ (Debian, Ubuntu: `apt install g++`; Fedora: `dnf install gcc-c++`)", _host, True,
    ),
    _Probe("jupyter", "JupyterLab", "the chapters in your browser", _SETUP, _jupyter, True),
    _Probe("nbgrader", "nbgrader", "classes: assignments, grading, feedback", _SETUP, _nbgrader),
    *(
        _Probe(
            kind, f"Confinement by {kind}", "grading strangers' code (`grader autograde`); one kind is enough",
            "see above; or grade in a container (docs/confinement.md)", functools.partial(_confined, kind),
        )
        for kind in ("bubblewrap", "landlock")
    ),
    _Probe(
        "plugin-lane", "Plugin lane", "plugin exercises and `grader plugin`: all of the next six",
        _LANE, plugins.whole,
    ),
    _Probe("nvcc", "nvcc", "building plugin libraries from .cu files", _LANE, plugins.nvcc),
    _Probe(
        "tensorrt-headers", "TensorRT headers", "building plugins, and driving any plugin library",
        f"{_LANE}; or set TENSORRT_ROOT to the folder of a TensorRT 10 release", plugins.headers,
    ),
    _Probe(
        "plugin-registry", "Plugin registry", "driving a plugin library with NVIDIA's own registry, without a GPU",
        _LANE, lambda: plugins.registry(_in_child),
    ),
    _Probe(
        "tensorrt-rtx", "TensorRT-RTX", "parsing ONNX files and building engines without a GPU (plugins are not in it)",
        _LANE, lambda: plugins.rtx(_in_child),
    ),
    _Probe(
        "onnx", "ONNX tools", "making, changing and running ONNX models", _LANE, lambda: plugins.onnx(_in_child),
    ),
    _Probe("cmake", "CMake", "building plugins by their own CMakeLists.txt", _LANE, _cmake),
    _Probe(
        "gpu", "NVIDIA GPU", "running the same kernels on real hardware; no exercise needs it",
        "with an NVIDIA GPU: `.venv/bin/pip install cupy-cuda13x` (CUDA 13 driver) or `cupy-cuda12x`", _gpu,
    ),
    _Probe(
        "tensorrt", "TensorRT", "`grader plugin engine`: plugins in a real engine; no present exercise needs it",
        "with an NVIDIA GPU: `.venv/bin/pip install 'tensorrt-cu13>=10.14,<11'`", _tensorrt,
    ),
)  # fmt: skip
