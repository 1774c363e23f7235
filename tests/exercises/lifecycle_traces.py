"""Records the lives that trace-order is graded on: ``python tests/exercises/lifecycle_traces.py`` writes both files.

A plugin is really built and driven, through NVIDIA's registry, by a host that is right or that makes one mistake;
``lifecycle_lives.py`` says what it does. The hidden file has the calls alone, in the order of the visible one: what is
said of a life is said once, and no line of the hidden file is one of the visible.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from grader.notebook.plugin import Draft
from grader.plugin import life
from grader.plugin.arguments import at_build, attribute_fields
from grader.plugin.execute import Runner, make_case
from grader.plugin.objects import Plugin
from grader.plugin.session import RUNTIME, Session
from grader.plugin.trace import Trace
from grader.plugin.types import TYPES, unpack
from grader.simulator.runtime.client import RuntimeDevice

sys.path.append(str(Path(__file__).parent))
from lifecycle_lives import LIVES  # noqa: E402

ROOT = Path(__file__).parents[2]
FILES = {
    "visible": ROOT / "grader/exercises/ch04_lifecycle/traces.json",
    "hidden": ROOT / "solutions/04_lifecycle/trace_order_hidden.json",
}
_QUIET = ("getPluginName", "getPluginVersion", "getPluginNamespace", "getFieldNames", "getCreator")
_MAKES = ("createPlugin", "clone", "attachToContext")


class Host:
    """Drives one plugin as TensorRT would, step by step, in one process after another."""

    def __init__(self, draft: Draft, device: RuntimeDevice):
        self.draft, self.spec, self.device = draft, draft.spec, device
        self.trace, self.stored, self.fields = Trace(), None, []
        self.said: dict[int, dict] = {}  # call -> the values of its fields
        self.session: Session | None = None
        self._alias: dict[tuple[int, str], str] = {}
        self._named: dict[tuple[int, int], str] = {}
        self.open()

    def open(self) -> None:
        """A new process."""
        if self.session is not None:
            self.session.close()
        self.session = Session(self.draft.library, device=self.device, trace=self.trace)
        self.creator = life.find_creator(self.session, self.spec)

    def _met(self, plugin: Plugin) -> Plugin:
        """Objects go by their address: one that comes back under a new name keeps the first."""
        key = self.session.process, plugin.address
        known = self._named.get(key)
        if known and known != plugin.name:
            self._alias[self.session.process, plugin.name] = known
            plugin.name = known
        self._named[key] = plugin.name
        return plugin

    def create(self, changed=None) -> Plugin:
        return self._create(attribute_fields(self.spec, changed), 0)

    def revive(self, fields=None) -> Plugin:
        return self._create(fields or self.fields[-1], RUNTIME)

    def _create(self, fields, phase: int) -> Plugin:
        made = self._met(self.session.create(self.creator, fields, phase))
        self._say(fields)
        return made

    def _say(self, fields) -> None:
        """The values of fields, with the call that was just recorded."""
        values = {each.name: unpack(each.data, _KIND[each.type], (-1,)).tolist() for each in fields}
        self.said[self.trace.calls[-1].seq] = values

    def clone(self, plugin: Plugin) -> Plugin:
        return self._met(plugin.clone())

    def attach(self, plugin: Plugin) -> Plugin:
        return self._met(plugin.attach())

    def formats(self, plugin: Plugin) -> None:
        tensors = self._tensors(plugin)
        for position in range(len(tensors.all)):
            plugin.supports(position, tensors.all, len(tensors.inputs))

    def configure(self, plugin: Plugin) -> None:
        tensors = self._tensors(plugin)
        plugin.configure(tensors.inputs, tensors.outputs)

    def workspace(self, plugin: Plugin) -> None:
        tensors = self._tensors(plugin)
        plugin.workspace_size(tensors.inputs, tensors.outputs)

    def tactics(self, plugin: Plugin) -> None:
        plugin.tactics()

    def _tensors(self, plugin: Plugin):
        if self.stored is None:
            combination = life.with_outputs(plugin, self.spec, self.spec.combinations()[0])
            self.stored = combination, life.output_shapes(plugin, self.spec)
        return at_build(self.spec, *self.stored)

    def keep(self, plugin: Plugin) -> None:
        self.fields.append(plugin.serialized())
        self._say(self.fields[-1])

    def build(self, plugin: Plugin) -> None:
        """The questions of a build, in the order of ``life.build``."""
        for step in (self.formats, self.configure, self.workspace, self.tactics):
            step(plugin)

    def shapes(self, plugin: Plugin, which: str = "opt") -> None:
        tensors = self._runner().tensors(self._case(which))
        plugin.shape_change(tensors.inputs, tensors.outputs)

    def run(self, plugin: Plugin, which: str = "opt") -> None:
        """An enqueue, whatever comes of it."""
        self._runner().run(plugin, self._case(which), shape_change=False)
        self.device.fault(forget=True)

    def _runner(self) -> Runner:
        return Runner(self.device, self.spec, self.stored[1], 0)

    def _case(self, which: str):
        return make_case(self.spec, self.stored[0], which, np.random.default_rng(1))

    def end(self, *plugins: Plugin) -> None:
        for each in plugins:
            each.end()
            self._named.pop((self.session.process, each.address), None)

    def calls(self) -> list[dict]:
        self.session.close()
        found = []
        for call in self.trace.calls:
            if call.method in _QUIET:
                continue
            name = self._alias.get((call.process, call.object), call.object)
            row = {"process": call.process, "object": name, "interface": call.interface, "method": call.method}
            if call.method == "createPlugin":
                row["phase"] = call.arguments[2]
            if call.seq in self.said:
                row["fields"] = self.said[call.seq]
            if call.method in _MAKES:
                row["result"] = self._alias.get((call.process, call.result), call.result)
            found.append(row)
        return found


_KIND = {TYPES[name].field: name for name in ("float32", "int32")}
_ATTACHES = "attachToContext(IPluginResourceContext*) noexcept override\n    {\n        return "


def drafts() -> dict[tuple[str, bool], Draft]:
    """The plugins by file and by whether they attach themselves."""
    skeletons, solved = ROOT / "plugin_skeletons/04_lifecycle", ROOT / "solutions/04_lifecycle"
    spec = ROOT / "grader/exercises/ch04_lifecycle"
    gain = Draft({path.name: path.read_text() for path in skeletons.glob("channel_gain*")})
    parts = [*skeletons.glob("channel_affine*"), *spec.glob("channel_affine*")]
    affine = {path.name: path.read_text() for path in parts}
    solution = Draft({**affine, "channel_affine.cpp": (solved / "channel_affine.cpp").read_text()})
    return {
        ("visible", False): gain,
        ("visible", True): gain.changed("attached(copy());", "attached(this);"),
        ("hidden", False): solution,
        ("hidden", True): solution.changed(_ATTACHES + "clone();", _ATTACHES + "this;"),
    }


def record(kind: str, only: str | None = None) -> list[dict]:
    """All lives of the visible or the hidden file, or the one of that name."""
    plugins, found = drafts(), []
    for each in LIVES:
        if only not in (None, each.name):
            continue
        with RuntimeDevice.start() as device:
            host = Host(plugins[kind, each.itself], device)
            try:
                derive = each.drive(host)
                calls = host.calls()
            finally:
                host.session.close()
        derived = callable(derive)
        found.append({
            "check": each.check, "name": each.name, "expected": list(each.expected), "why": each.why,
            "derived": derived, "calls": derive(calls) if derived else calls,
        })  # fmt: skip
    return found


def text(kind: str, lives: list[dict]) -> str:
    """JSON: of the visible lives all, with a line for each call; of the hidden ones the calls, with a line for each
    life."""
    if kind == "hidden":
        rows = (json.dumps(each["calls"], ensure_ascii=False, separators=(",", ":")) for each in lives)
        return "[\n" + ",\n".join(rows) + "\n]\n"
    parts = []
    for each in lives:
        head = json.dumps({name: value for name, value in each.items() if name != "calls"}, ensure_ascii=False)
        rows = ",\n  ".join(json.dumps(call, ensure_ascii=False) for call in each["calls"])
        parts.append(f'{head[:-1]}, "calls": [\n  {rows}\n]}}')
    return "[\n" + ",\n".join(parts) + "\n]\n"


if __name__ == "__main__":
    for kind, path in FILES.items():
        path.write_text(text(kind, record(kind)), encoding="utf-8")
