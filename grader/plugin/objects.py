"""Plugin objects in a plugin process: one Python method for each method of TensorRT's interfaces.

``PluginV3`` and ``PluginV2`` answer the same questions where both families can: types, shapes, formats, runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from grader.plugin.records import Capability, Creator, Descriptor, Field, Shapes, fields_of

if TYPE_CHECKING:
    from grader.plugin.session import Session

CORE, BUILD, RUNTIME = 0, 1, 2  # PluginCapabilityType
MOST_OUTPUTS = 1024  # of one plugin, that are looked at here
Extent = int | str  # a number, or the name of an extent that is not known yet


class LifeProblem(Exception):
    """A phase did not go well. ``method`` is TensorRT's; the sentence says what it returned."""

    def __init__(self, method: str, sentence: str):
        super().__init__(sentence)
        self.method, self.sentence = method, sentence


class Plugin:
    """What both families have. ``address`` tells whether two objects are one."""

    family: str

    def __init__(self, session: Session, creator: Creator, made: Sequence[int], name: str):
        self.session, self.creator, self.name = session, creator, name
        self.number, self.address = made
        self.ended = False

    def call(self, method: str, arguments: Sequence = (), *, shown: Any = None, interface: str | None = None) -> Any:
        """Call a method by its name in TensorRT; the call goes into the trace, with ``shown`` for its arguments."""
        result = self.session.ask("call", [self.number, method, list(arguments)], method=method)
        self._note(method, list(arguments) if shown is None else shown, result, interface)
        return result

    def _note(self, method: str, shown: Any, result: Any, interface: str | None = None) -> None:
        session = self.session
        session.trace.add(session.process, self.name, interface or self.family, method, shown, result, session.seconds)

    def _another(self, method: str, noun: str, interface: str | None = None) -> Plugin | None:
        """The object that a method makes; None for null. It may be this very one: compare ``address``."""
        made = self.session.ask("call", [self.number, method, []], method=method)
        other = None if made is None else type(self)(self.session, self.creator, made, self.session.name(noun))
        self._note(method, [], other.name if other else None, interface)
        return other

    def clone(self) -> Plugin | None:
        return self._another("clone", "clone")

    def end(self) -> None:
        """Destroy the object, as TensorRT does. One that is gone under another name is only to ``forget``."""
        self.session.ask("end", [self.number], method=self.ending)
        self._note(self.ending, [], None)
        self.ended = True

    def forget(self) -> None:
        self.session.ask("forget", [self.number], method="")
        self.ended = True

    # ---- asked of both families ----

    def output_count(self) -> int:
        """``LifeProblem`` for a number that makes no sense: everything that is asked next has room for so many."""
        count = self.call("getNbOutputs", interface=self.build)
        if not 0 <= count <= MOST_OUTPUTS:
            raise LifeProblem("getNbOutputs", f"getNbOutputs() returned {count}: it must be from 1 to {MOST_OUTPUTS}.")
        return count

    def supports(self, position: int, tensors: Sequence[Descriptor], inputs: int) -> bool:
        """``supportsFormatCombination``: V3 gets dynamic descriptors, V2 plain ones."""
        shown = [position, [_short(t) for t in tensors], inputs]
        rows = [t.dynamic() for t in tensors]
        return bool(self.call("supportsFormatCombination", [position, rows, inputs], shown=shown, interface=self.build))

    def combinations(
        self,
        tensors: Sequence[Descriptor],
        inputs: int,
        candidates: Sequence[Sequence[tuple[int, int]]],
        most: int = 1000,
        behind: tuple[int, int] | None = None,
    ) -> tuple[list[tuple[tuple[int, int], ...]], bool]:
        """The complete (type, format) combinations that it accepts, searched position by position as a builder does,
        and whether all were tried. ``behind``: type and format of what stands behind the position that is asked for;
        None: it is left from before."""
        rows = [t.dynamic() for t in tensors]
        plain = [[list(pair) for pair in row] for row in candidates]
        arguments = [rows, inputs, plain, most, behind]
        found, calls, whole = self.session.ask(
            "call", [self.number, "formatCombinations", arguments], method="supportsFormatCombination"
        )
        self._note("supportsFormatCombination", f"{calls} calls", f"{len(found)} combinations", self.build)
        return [tuple((kind, layout) for kind, layout in row) for row in found], bool(whole)

    def workspace_size(self, inputs: Sequence[Descriptor], outputs: Sequence[Descriptor]) -> int:
        """Bytes, as an unsigned number."""
        size = self.call("getWorkspaceSize", *self._dynamic(inputs, outputs), interface=self.build)
        return size % (1 << 64)

    def enqueue(
        self, inputs: Sequence[Descriptor], outputs: Sequence[Descriptor], from_: Sequence[int | None],
        to: Sequence[int | None], workspace: int, stream: int,
    ) -> int:  # fmt: skip
        """The status. Addresses are the device's; None is a null pointer."""
        arguments = self.run_arguments(inputs, outputs, from_, to, workspace, stream)
        shown = [[_short(t) for t in inputs], [_short(t) for t in outputs]]
        return self.call("enqueue", arguments, shown=shown, interface=self.runtime)

    @staticmethod
    def run_arguments(inputs, outputs, from_, to, workspace: int, stream: int) -> list:
        return [[t.plain() for t in inputs], [t.plain() for t in outputs], list(from_), list(to), workspace, stream]

    def step(self, inputs, outputs, from_, to, workspace: int, stream: int) -> list:
        """A shape change and an enqueue, for ``Session.in_threads``."""
        run = self.run_arguments(inputs, outputs, from_, to, workspace, stream)
        return [self.number, run[0], run[1], run]

    def _dynamic(self, inputs: Sequence[Descriptor], outputs: Sequence[Descriptor]) -> tuple[list,]:
        return ([[t.dynamic() for t in inputs], [t.dynamic() for t in outputs]],)

    # Names of the interfaces for the trace.
    build: str
    runtime: str
    ending: str


class PluginV3(Plugin):
    family, build, runtime, ending = "IPluginV3", "IPluginV3OneBuild", "IPluginV3OneRuntime", "~IPluginV3"

    def capability(self, kind: int) -> Capability | None:
        found = self.call("getCapabilityInterface", [kind], shown=[_CAPABILITIES.get(kind, kind)])
        return None if found is None else Capability(*found)

    def identity(self) -> tuple[str | None, str | None, str | None]:
        """Name, version and namespace; None for a null pointer."""
        methods = ("getPluginName", "getPluginVersion", "getPluginNamespace")
        return tuple(self.call(method, interface="IPluginV3OneCore") for method in methods)

    def output_types(self, inputs: Sequence[int], count: int) -> tuple[int, list[int]]:
        """The status and the outputs' types; -1 for one that was not written."""
        status, types = self.call("getOutputDataTypes", [list(inputs), count], interface=self.build)
        return status, types

    def output_shapes(
        self, inputs: Sequence[Sequence[Extent]], count: int, shape_inputs: Sequence[Sequence[Extent]] = ()
    ) -> Shapes:
        arguments = [[list(s) for s in inputs], [list(s) for s in shape_inputs], count]
        status, nodes, outputs = self.session.ask(
            "call", [self.number, "getOutputShapes", arguments], method="getOutputShapes"
        )
        shapes = Shapes.of(status, nodes, outputs)
        texts = [None if row is None else [shapes.text(node) for node in row] for row in shapes.outputs]
        self._note("getOutputShapes", arguments[:2], [status, texts], self.build)
        return shapes

    def configure(self, inputs: Sequence[Descriptor], outputs: Sequence[Descriptor]) -> int:
        shown = [[_short(t) for t in inputs], [_short(t) for t in outputs]]
        return self.call("configurePlugin", *self._dynamic(inputs, outputs), shown=shown, interface=self.build)

    def tactics(self) -> tuple[int, int, list[int]]:
        """``getNbTactics``, and the status and tactics of ``getValidTactics``."""
        count = self.call("getNbTactics", interface=self.build)
        status, tactics = self.call("getValidTactics", [max(0, min(count, 10_000))], interface=self.build)
        return count, status, tactics

    def set_tactic(self, tactic: int) -> int:
        return self.call("setTactic", [tactic], interface=self.runtime)

    def timing_cache_id(self) -> str | None:
        return self.call("getTimingCacheID", interface=self.build)

    def format_limit(self) -> int:
        return self.call("getFormatCombinationLimit", interface=self.build)

    def metadata(self) -> str | None:
        return self.call("getMetadataString", interface=self.build)

    def aliased_input(self, output: int) -> int:
        return self.call("getAliasedInput", [output], interface="IPluginV3OneBuildV2")

    def shape_change(self, inputs: Sequence[Descriptor], outputs: Sequence[Descriptor]) -> int:
        rows = [[t.plain() for t in inputs], [t.plain() for t in outputs]]
        shown = [[_short(t) for t in inputs], [_short(t) for t in outputs]]
        return self.call("onShapeChange", rows, shown=shown, interface=self.runtime)

    def attach(self) -> PluginV3 | None:
        return self._another("attachToContext", "context", self.runtime)

    def serialized(self) -> tuple[Field, ...] | None:
        """``getFieldsToSerialize``; None for a null pointer."""
        rows = self.session.ask("call", [self.number, "getFieldsToSerialize", []], method="getFieldsToSerialize")
        names = None if rows is None else [row[0] for row in rows]
        self._note("getFieldsToSerialize", [], names, self.runtime)
        return fields_of(rows)

    def serialized_before(self) -> tuple[Field, ...] | None:
        """What the last ``getFieldsToSerialize`` returned, read once more from the same memory."""
        return fields_of(self.session.ask("call", [self.number, "sameFields", []], method="getFieldsToSerialize"))


class PluginV2(Plugin):
    family = build = runtime = "IPluginV2DynamicExt"
    ending = "destroy"

    def identity(self) -> tuple[str | None, str | None, str | None]:
        return tuple(self.call(m) for m in ("getPluginType", "getPluginVersion", "getPluginNamespace"))

    def set_namespace(self, namespace: str) -> None:
        self.call("setPluginNamespace", [namespace])

    def output_types(self, inputs: Sequence[int], count: int) -> tuple[int, list[int]]:
        return 0, [self.call("getOutputDataType", [i, list(inputs)]) for i in range(count)]

    def output_shapes(self, inputs: Sequence[Sequence[Extent]], count: int, shape_inputs: Sequence = ()) -> Shapes:
        """All outputs' shapes; V2 is asked for each by itself, and knows no shape inputs."""
        nodes: list[tuple] = []
        outputs = []
        for index in range(count):
            made, row = self.session.ask(
                "call",
                [self.number, "getOutputDimensions", [index, [list(s) for s in inputs]]],
                method="getOutputDimensions",
            )
            shapes = Shapes.of(0, made, [row])
            text = None if row is None else [shapes.text(node) for node in row]
            self._note("getOutputDimensions", [index, [list(s) for s in inputs]], text)
            first = len(nodes)
            nodes += [_shifted(node, first) for node in shapes.nodes]
            outputs.append(None if row is None else [None if n is None else n + first for n in row])
        return Shapes.of(0, nodes, outputs)

    def configure(self, inputs: Sequence[Descriptor], outputs: Sequence[Descriptor]) -> int:
        shown = [[_short(t) for t in inputs], [_short(t) for t in outputs]]
        self.call("configurePlugin", *self._dynamic(inputs, outputs), shown=shown)
        return 0

    def shape_change(self, inputs: Sequence[Descriptor], outputs: Sequence[Descriptor]) -> int:
        """V2 learns of a new shape by ``configurePlugin`` without wildcards."""
        return self.configure(inputs, outputs)

    def initialize(self) -> int:
        return self.call("initialize")

    def terminate(self) -> None:
        self.call("terminate")

    def attach(self) -> PluginV2 | None:
        """A context's own object: a clone, attached; ``initialize`` is not called on it (NvInferRuntime.h 10.14)."""
        clone = self._another("clone", "context")
        if clone is not None:
            clone.call("attachToContext", interface="IPluginV2Ext")
        return clone

    def detach(self) -> None:
        self.call("detachFromContext", interface="IPluginV2Ext")

    def serialization_size(self) -> int:
        return self.call("getSerializationSize") % (1 << 64)

    def serialize(self, fill: int = 0xA5) -> tuple[int, bytes | None, int]:
        """The size that it says, the bytes (None for more than 256 MiB), how many bytes behind them it wrote to. What
        it leaves unwritten is ``fill``."""
        size, data, touched = self.session.ask("call", [self.number, "serialize", [fill]], method="serialize")
        self._note("serialize", [], f"{size} bytes")
        return size % (1 << 64), data, touched


_CAPABILITIES = {CORE: "kCORE", BUILD: "kBUILD", RUNTIME: "kRUNTIME"}


def plugin_of(session: Session, creator: Creator, made: Sequence[int], name: str) -> Plugin:
    return (PluginV3 if creator.is_v3 else PluginV2)(session, creator, made, name)


def _short(tensor: Descriptor) -> list:
    """A descriptor for the trace: type, format, extents, and the range where there is one."""
    row = [tensor.type, tensor.format, list(tensor.dims)]
    return row if tensor.max is None else [*row, list(tensor.min or ()), list(tensor.max)]


def _shifted(node: tuple, first: int) -> tuple:
    kind, *rest = node
    if kind in "cs":
        return node
    return (kind, rest[0], *(None if operand is None else operand + first for operand in rest[1:]))
