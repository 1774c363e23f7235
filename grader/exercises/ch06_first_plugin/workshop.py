"""What the chapter's notebook drives: the files of Square, the worked example, and the learner's own plugins."""

from __future__ import annotations

import dataclasses
from importlib import resources
from pathlib import Path

import numpy as np

from grader import course
from grader.plugin import life
from grader.plugin.build import HostUnavailable
from grader.plugin.execute import Runner, make_case
from grader.plugin.session import HostProblem, PluginEnded, Session
from grader.plugin.spec import load_spec
from grader.simulator.runtime.client import RuntimeDevice
from grader.toolchain import Source, compile_library
from grader.verdict import State

_CHAPTER = "06_first_plugin"
_OWN = {
    "relu": ("relu.h", "relu_kernel.h", "relu_kernel.cu", "relu_plugin.cpp", "relu_creator.cpp"),
    "leaky_relu": ("leaky_relu_kernel.h", "leaky_relu_kernel.cu", "leaky_relu.cpp"),
}  # fmt: skip
_X = (-2.0, -1.0, -0.0, 0.5, 3.0, float("nan"), float("-inf"), float("inf"))


class _NotBuilt(Exception):
    """The compiler's words."""


def square() -> dict[str, str]:
    """The files of Square by name, with the kit and the spec."""
    home = Path(str(resources.files(__package__)))
    spec = {name: (home / name).read_text() for name in ("square.toml", "square_reference.py")}
    return _kit() | _texts(home / "square") | spec


def tour(name: str = "relu", folder: str | Path = ".") -> None:
    """Takes the learner's plugin from its files to numbers, a line for each station; where it stops, it says why."""
    try:
        for line in _stations(name, Path(folder)):
            print(line)
    except (_NotBuilt, PluginEnded, HostProblem, HostUnavailable, life.LifeProblem, OSError) as problem:
        print(f"It stops here: {str(problem).splitlines()[0]}")


def _stations(name: str, folder: Path):
    home = Path(str(resources.files(__package__)))
    spec = load_spec(home / f"{name}.toml")
    library = _built({file: (folder / file).read_text() for file in _OWN[name]})
    yield f"built     {', '.join(file for file in _OWN[name] if not file.endswith('.h'))}: {_size(library)}"
    with RuntimeDevice.start() as device:
        with Session(library, device=device) as session:
            triple = spec.name, spec.version, spec.namespace
            found = session.look_up(*triple)
            if found is None:
                yield f"registry  NVIDIA's registry finds no creator for {triple}"
                return
            yield f"registry  NVIDIA's registry finds the creator {triple}"
            plugin = life.create(session, spec)
            stored = life.build(plugin, spec)
            kept = ", ".join(f"{each.name}" for each in stored.fields or ()) or "no fields"
            yield f"plan      {', '.join(stored.combination.types)}; it keeps {kept}"
            plugin.end()
        with Session(library, device=device) as session:
            context = life.attach(life.revive(session, stored))
            case = make_case(spec, stored.combination, {"N": 1, "C": 1, "L": len(_X)}, np.random.default_rng(1))
            x = np.array(_X, np.float32).reshape(1, 1, -1)
            case = dataclasses.replace(case, inputs=(dataclasses.replace(case.inputs[0], values=x),))
            run = Runner(device, spec, stored.shapes, stored.workspace).run(context, case)
            if not run.well:
                yield f"run       {run.fault.sentence if run.fault else f'enqueue() returned {run.status}'}"
                return
            yield f"x         {_numbers(x)}"
            yield f"y         {_numbers(run.outputs[0])}"


def _built(files: dict[str, str]) -> Path:
    texts = {name: text.encode() for name, text in (_kit() | files).items()}
    built = compile_library(Source(texts, next(iter(files))))
    if built.state is not State.PASS:
        raise _NotBuilt(built.message)
    return built.path


def _numbers(values) -> str:
    return "  ".join(f"{value:5.4g}" for value in values.ravel())


def _size(path: Path) -> str:
    return f"{path.stat().st_size / 1024:.0f} KiB"


def _kit() -> dict[str, str]:
    kit = course.pristine().skeletons(_CHAPTER).parent / course.KIT
    return {f"{course.KIT}/{path.name}": path.read_text() for path in kit.glob("*.h")}


def _texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.iterdir()) if path.is_file()}
