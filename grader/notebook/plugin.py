"""Plugins in a notebook: build one from its files, change a line of it, drive it through its life, check it.

>>> mine = Draft({"relu.cpp": "…", "relu.cu": "…", "relu.toml": "…", "reference.py": "…"})
>>> timeline(live(mine).calls)                  # grader.view
>>> conform(mine)                               # all rules, as a panel
>>> conform(mine.changed("stream)", "nullptr)"))
>>> conform("build/libmine.so", spec="mine.toml")
"""

from __future__ import annotations

import contextlib
import functools
import math
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from grader.notebook.conformance import ConformancePanel
from grader.notebook.display import show
from grader.notebook.markup import Html, code, heading, join, table, tag
from grader.notebook.pages import Installing
from grader.notebook.style import STYLE
from grader.plugin import life
from grader.plugin.build import HostUnavailable
from grader.plugin.execute import Run, Runner, make_case
from grader.plugin.session import PluginEnded, Session
from grader.plugin.spec import SpecError, load_spec
from grader.plugin.spec_records import Spec
from grader.plugin.trace import Call, Trace
from grader.plugin.types import TYPES, field_type, unpack
from grader.toolchain import Source, compile_library
from grader.toolchain.elf import plain_name
from grader.verdict import State

_COMPILED = (".cpp", ".cc", ".cu", ".h", ".hpp", ".cuh")
_LIFE = "One life of the plugin"


class _OneLine(Exception):
    """In a notebook without a traceback: what went wrong is not in the code that was called."""

    def _render_traceback_(self) -> list[str]:
        return [f"{type(self).__name__}: {self}"]


class NotBuilt(_OneLine):
    """The files do not compile to a library; the message is the compiler's."""


class NotDriven(_OneLine):
    """Plugins cannot be driven on this machine, or the spec cannot be read; the message says what to do."""


class Draft:
    """The files of a plugin by name: sources in C++ and CUDA and, if wanted, its spec (``*.toml``) with what it names.

    ``library`` is built when it is first asked for (``NotBuilt``).
    """

    def __init__(self, files: Mapping[str, str], *, title: str = ""):
        self.files = dict(files)
        names = [name for name in files if name.endswith((".cpp", ".cc", ".cu"))]
        if not names:
            raise ValueError("a plugin needs a .cpp or a .cu file")
        self.title = title or Path(names[0]).stem
        self._folder = tempfile.TemporaryDirectory(prefix="grader-plugin-")
        for name, text in self.files.items():
            path = Path(self._folder.name, name)  # "common/status.h" is in a folder
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def changed(self, old: str, new: str, *, title: str = "") -> Draft:
        """The same with one piece of text changed; ``ValueError`` unless it stands in the files exactly once."""
        places = [name for name, text in self.files.items() for _ in range(text.count(old))]
        if len(places) != 1:
            raise ValueError(f"{old!r} must stand in the files once; it stands there {len(places)} times")
        (name,) = places
        return Draft({**self.files, name: self.files[name].replace(old, new)}, title=title or f"{self.title}, changed")

    @functools.cached_property
    def library(self) -> Path:
        _install_plugin_lane()
        sources = {name: text.encode() for name, text in self.files.items() if name.endswith(_COMPILED)}
        built = compile_library(Source(sources, next(iter(sources))))
        if built.state is not State.PASS:
            raise NotBuilt(built.message)
        return built.path

    @functools.cached_property
    def spec(self) -> Spec | None:
        """What its ``.toml`` file says; None where there is none. ``SpecError`` names what is wrong in it."""
        found = [name for name in self.files if name.endswith(".toml")]
        return load_spec(Path(self._folder.name, found[0])) if found else None

    def __repr__(self) -> str:
        return f"{self.title}: {', '.join(self.files)}. live(…) drives it through its life, conform(…) checks it."


def conform(
    plugin: Draft | Path | str, spec: Spec | Path | str | None = None, *, only: Iterable[str] | None = None,
    level: str | None = None,
) -> ConformancePanel:  # fmt: skip
    """Drive a plugin through all rules, or ``only`` those and what they need; on the simulated GPU, or by ``level``.

    ``plugin`` is a draft, a library, or the file of a Python plugin. The panel's ``report`` has everything.
    ``NotBuilt``, ``NotDriven``, ``FileNotFoundError``.
    """
    from grader.checks.conformance.run import conform as run

    library, facts, sources, title = _parts(plugin, spec)
    note = _Note("Starting the plugin host …")
    with show(note) as shown, _told():
        report = run(library, facts, only=only, level=level, progress=lambda rule, at, of: shown.preview(
            _Note(f"{at + 1} of {of}: {rule.sentence}")))  # fmt: skip
        shown.preview(_Note(""))
    return ConformancePanel(report, sources, title=title)


@dataclass
class Life:
    """One life: what the plugin was asked, what a plan would keep of it, and what it computed.

    ``calls`` are for ``grader.view.timeline``. ``problem`` is a sentence where the life did not go to its end.
    ``outputs`` are arrays by the extents that they were computed at ("N = 4, L = 50"); ``cuda`` is what the first
    enqueue asked CUDA for, as the device process saw it.
    """

    calls: list[Call]
    shapes: dict[str, str] = field(default_factory=dict)  # by output, over the names of the spec's extents
    kept: dict[str, object] = field(default_factory=dict)  # by field; of a V2 plugin "blob"
    workspace: int = 0
    outputs: dict[str, list[np.ndarray | None]] = field(default_factory=dict)
    cuda: list[str] = field(default_factory=list)
    problem: str = ""

    def _repr_html_(self) -> str:
        rows = [
            tag("tr", tag("th", name, scope="row"), tag("td", [tag("div", code(line)) for line in lines]))
            for name, lines in self._facts()
        ]
        head = tag("tr", tag("th", "asked", scope="col"), tag("th", "answered", scope="col"))
        problem = tag("p", self.problem, class_="found bad") if self.problem else None
        body = tag("div", table(head, rows), problem, class_="body")
        title = tag("header", heading(3, _LIFE, class_="title"))
        return join(STYLE, tag("section", title, body, class_="panel quiet", aria_label=_LIFE))

    def __repr__(self) -> str:
        facts = [f"  {name}: {'; '.join(lines)}" for name, lines in self._facts()]
        return "\n".join([_LIFE, *facts, *([f"  {self.problem}"] if self.problem else [])])

    def _facts(self) -> list[tuple[str, list[str]]]:
        found = [(f"the shape of {name}", [text]) for name, text in self.shapes.items()]
        if self.shapes:
            found.append(("the workspace", [f"{self.workspace:,} bytes"]))
        if self.kept:
            found.append(("what a plan keeps", [f"{name}: {value}" for name, value in self.kept.items()]))
        found += [(f"computed at {at}", _shown(list(self.shapes), arrays)) for at, arrays in self.outputs.items()]
        return [*found, ("CUDA's calls of one enqueue", self.cuda)] if self.cuda else found


def live(plugin: Draft | Path | str, spec: Spec | Path | str | None = None) -> Life:
    """One life of a plugin: built in one process; rebuilt, run at three sizes and destroyed in another."""
    from grader.simulator.runtime.client import RuntimeDevice

    library, facts, _, _ = _parts(plugin, spec)
    if facts is None or not facts.inputs:
        raise ValueError("a life needs inputs: describe them in a spec (docs/plugin_spec.md)")
    trace = Trace()
    found = Life(trace.calls)
    with _told(), RuntimeDevice.start() as device:
        try:
            with Session(library, device=device, trace=trace) as session:
                stored = _build(session, facts, found)
            with Session(library, device=device, trace=trace) as session:
                _run(session, facts, stored, device, found)
        except (PluginEnded, life.LifeProblem) as problem:
            found.problem = str(problem)
    return found


def _build(session: Session, spec: Spec, found: Life) -> life.Stored:
    plugin = life.create(session, spec)
    stored = life.build(plugin, spec)
    plugin.end()
    for index, row in enumerate(stored.shapes.outputs):
        name = spec.outputs[index].name if index < len(spec.outputs) else f"output {index}"
        found.shapes[name] = f"({', '.join(stored.shapes.text(node) for node in row or ())})"
    found.workspace = stored.workspace
    if stored.fields is None:
        found.kept = {"blob": f"{len(stored.blob or b'')} bytes"}
    else:
        found.kept = {each.name or "": _value(each) for each in stored.fields}
    return stored


def _run(session: Session, spec: Spec, stored: life.Stored, device, found: Life) -> None:
    plugin = life.revive(session, stored)
    context = life.attach(plugin)
    runner = Runner(device, spec, stored.shapes, stored.workspace)
    for which in ("min", "opt", "max"):
        case = make_case(spec, stored.combination, which, np.random.default_rng(1))
        run = runner.run(context, case)
        found.outputs[case.name.partition(";")[0]] = run.outputs
        found.cuda = found.cuda or [_asked(each) for each in run.calls if each.call.startswith("cuda")]
        if not run.well:
            raise life.LifeProblem("enqueue", _why(run))
    life.end(context, plugin)


def _why(run: Run) -> str:
    if run.fault is not None:
        return run.fault.sentence
    return f"enqueue() returned {run.status}, the stream {run.synchronized}."


def _asked(record) -> str:
    """A call of CUDA as one line: "cudaLaunchKernel: halve, 2 blocks of 256 threads"."""
    given = record.arguments
    if "kernel" not in given:
        return record.call
    blocks, threads = math.prod(given["grid"]), math.prod(given["block"])
    many = f"{blocks} block{'' if blocks == 1 else 's'} of {threads} thread{'' if threads == 1 else 's'}"
    return f"{record.call}: {plain_name(given['kernel'])}, {many}"


def _value(each) -> object:
    kind = field_type(each.type)
    if kind is None or TYPES[kind].dtype is None or each.data is None or kind in ("dims", "char"):
        return f"{len(each.data or b'')} bytes"
    values = unpack(each.data, kind, (-1,)).tolist()
    return f"{kind} {values[0] if len(values) == 1 else values}"


def _shown(names: list[str], arrays: list[np.ndarray | None]) -> list[str]:
    """ "y: float32 (4, 25)"."""
    pairs = zip(names, arrays, strict=False)
    return [f"{name}: nothing" if each is None else f"{name}: {each.dtype} {each.shape}" for name, each in pairs]


def _parts(plugin: Draft | Path | str, spec) -> tuple[Path, Spec | None, dict[str, str], str]:
    """Library, spec, sources and title."""
    _install_plugin_lane()
    with _told():
        facts = load_spec(spec) if isinstance(spec, (str, Path)) else spec
        if isinstance(plugin, Draft):
            return plugin.library, facts or plugin.spec, plugin.files, plugin.title
    library = Path(plugin).resolve()
    if not library.is_file():
        raise FileNotFoundError(f"there is no library {library}")
    return library, facts, {}, library.name


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """What is missing, or wrong in a spec, is one line."""
    try:
        yield
    except HostUnavailable as problem:
        raise NotDriven(problem.sentence) from None
    except SpecError as problem:
        raise NotDriven(str(problem)) from None


def _install_plugin_lane() -> None:
    """On first use, with a bar; where it fails, what comes next says what is missing."""
    from grader.toolchain import lane

    if not lane.state().ready:
        with show(_Note("")) as shown:
            lane.install(lambda at: shown.preview(Installing(at.done, at.total, at.sentence)))
            shown.preview(_Note(""))


class _Note:
    """One quiet line while something runs."""

    def __init__(self, text: str):
        self.text = text

    def _repr_html_(self) -> Html:
        style = "color: var(--jp-ui-font-color2, inherit)"
        return tag("p", self.text, role="status", style=style) if self.text else Html("")

    def __repr__(self) -> str:
        return self.text
