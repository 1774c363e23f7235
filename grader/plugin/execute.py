"""Runs a plugin on the simulated GPU, and says what the device process saw of it.

The parent owns all memory: inputs come on the plugin's stream, outputs and workspace are poisoned, and each buffer ends
where the next byte belongs to nobody. What comes back is read from the device, not from the plugin process.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from grader.plugin.arguments import Tensors, at_run, upper_shapes
from grader.plugin.inputs import Tensor, extents_at, inputs_for
from grader.plugin.layouts import from_layout, layout_bytes, to_layout
from grader.plugin.objects import LifeProblem, Plugin
from grader.plugin.spec_records import Combination, Spec
from grader.plugin.types import TYPES

POISON = 0xCD
# Bytes that the device process has room for, filled with poison: a workspace, and an output.
MOST_WORKSPACE, MOST_OUTPUT = 1 << 30, 1 << 30


@dataclass(frozen=True)
class Case:
    """What a plugin is run on: a combination of types and formats, extents, and the inputs drawn for them."""

    name: str  # for people: "N = 4, L = 100, float32"
    combination: Combination
    extents: Mapping[str, int]
    inputs: tuple[Tensor, ...]  # in the spec's order, shape inputs among them

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        return tuple(each for each in self.inputs if not each.shape_input)


def make_case(
    spec: Spec, combination: Combination, extents: Mapping[str, int] | str, rng: np.random.Generator, *, special=False
) -> Case:
    """``extents``: a dict, or "min", "opt", "max"."""
    at = extents_at(spec, extents) if isinstance(extents, str) else dict(extents)
    types = spec.input_types(combination)
    inputs = tuple(inputs_for(spec, at, types, rng, special=special))
    shown = [f"{name} = {value}" for name, value in at.items()] or ["fixed shapes"]
    layouts = [
        f"{k}" if f == "linear" else f"{k} {f}" for k, f in zip(combination.types, combination.formats, strict=True)
    ]
    return Case(f"{', '.join(shown)}; {', '.join(layouts)}", combination, at, inputs)


@dataclass
class Buffers:
    """The device memory of one run. ``inputs`` and ``outputs`` are addresses, None for a null pointer."""

    device: object
    inputs: list[int | None] = field(default_factory=list)
    outputs: list[int | None] = field(default_factory=list)
    output_bytes: list[int] = field(default_factory=list)
    output_names: list[str] = field(default_factory=list)
    workspace: int = 0
    workspace_bytes: int = 0

    def free(self) -> None:
        for address in filter(None, dict.fromkeys([*self.inputs, *self.outputs, self.workspace])):
            self.device.free(address)
        self.inputs, self.outputs, self.workspace = [], [], 0


@dataclass
class Run:
    """What one shape change and enqueue did.

    ``outputs`` are None where the sizes make no sense. ``calls`` are the device process' records of what the plugin
    asked CUDA for while it was called. ``synchronized`` is the status of waiting for the given stream alone.
    """

    shape_status: int
    status: int
    synchronized: int = 0
    outputs: list[np.ndarray | None] = field(default_factory=list)
    data: list[bytes] = field(default_factory=list)  # of each output's buffer, upper bound and all
    inputs_after: list[bytes] = field(default_factory=list)
    calls: list = field(default_factory=list)
    fault: object = None
    tensors: Tensors | None = None
    sizes: dict[int, int] = field(default_factory=dict)  # output -> the extent that a size tensor holds
    output_names: Sequence[str] = ()  # as faults call their buffers
    workspace: int = 0  # its address; 0: there was none

    @property
    def well(self) -> bool:
        return self.shape_status == self.status == self.synchronized == 0 and self.fault is None


_RUNS = itertools.count(1)  # so that no two runs share a label of the log


class Runner:
    """Runs contexts of one plugin on one device. Streams and buffers are kept between runs where that is asked for."""

    def __init__(self, device, spec: Spec, shapes, workspace: int):
        """``workspace``: bytes that ``getWorkspaceSize`` asked for."""
        self.device, self.spec, self.shapes, self.workspace = device, spec, shapes, workspace

    def tensors(self, case: Case) -> Tensors:
        return at_run(self.spec, case.combination, self.shapes, case.extents)

    def buffers(self, case: Case, *, poison: int | None = None) -> Buffers:
        """Memory for a case: inputs of exactly their bytes, outputs of their upper bound, workspace as asked for.

        ``poison`` None: what is read before it is written is a fault; else a byte that fills outputs and workspace.
        """
        device, made = self.device, Buffers(self.device)
        if self.workspace > MOST_WORKSPACE:
            raise LifeProblem(
                "getWorkspaceSize",
                f"getWorkspaceSize() asks for {self.workspace} bytes at the largest extents; kernels are run here with "
                f"{MOST_WORKSPACE} at most. Is the size computed in 64 bits, and from `max` of the descriptors?",
            )
        names = [each.name for each in case.tensors]
        for index, tensor in enumerate(case.tensors):
            made.inputs.append(device.alloc(self._input_bytes(case, index), name=tensor.name))
        shapes = upper_shapes(self.spec, self.shapes, case.extents)
        for index, (shape, output) in enumerate(zip(shapes, self._outputs(), strict=True)):
            place = len(case.tensors) + index
            size = layout_bytes(shape, case.combination.types[place], case.combination.formats[place])
            if not 0 <= size <= MOST_OUTPUT:
                raise LifeProblem(
                    "getOutputShapes", f"getOutputShapes() makes output {index} {size} bytes large for {case.name}."
                )
            made.output_bytes.append(size)
            name = output.name if output is not None else f"output {index}"
            made.output_names.append(name)
            if output is not None and output.aliases:
                made.outputs.append(made.inputs[names.index(output.aliases)])
            else:
                made.outputs.append(device.alloc(size, name=name, fill=poison))
        if self.workspace:
            made.workspace = device.alloc(self.workspace, name="workspace", fill=poison)
            made.workspace_bytes = self.workspace
        return made

    def run(
        self, context: Plugin, case: Case, *, buffers: Buffers | None = None, stream: int | None = None,
        poison: int | None = None, shape_change: bool = True,
    ) -> Run:  # fmt: skip
        """Bring the inputs, tell of the shapes, enqueue, wait for the stream, take the outputs."""
        device, own = self.device, buffers is None
        buffers = buffers or self.buffers(case, poison=poison)
        stream = device.stream() if stream is None else stream
        try:
            self.produce(case, buffers, stream)
            done = self.enqueue(context, case, buffers, stream, shape_change=shape_change)
            tickets = self.consume(buffers, stream)
            done.synchronized = device.synchronize(stream)
            self.collect(done, case, buffers, tickets)
            return done
        finally:
            if own and not context.ended:
                self._free(buffers)

    def produce(self, case: Case, buffers: Buffers, stream: int) -> None:
        """Queue the copies that bring the inputs, on the plugin's stream."""
        for index, address in enumerate(buffers.inputs):
            if data := self._input_data(case, index):
                self.device.produce(stream, address, data)

    def enqueue(self, context: Plugin, case: Case, buffers: Buffers, stream: int, *, shape_change: bool = True) -> Run:
        number = next(_RUNS)
        label = f"enqueue {number}"
        tensors = self.tensors(case)
        shape_status = 0
        if shape_change:
            self.device.mark(f"shape change {number}")
            shape_status = context.shape_change(tensors.inputs, tensors.outputs)
        self.device.mark(label)
        status = context.enqueue(
            tensors.inputs, tensors.outputs, buffers.inputs, buffers.outputs, buffers.workspace, stream
        )
        self.device.mark("")
        names = tuple(buffers.output_names)
        return Run(shape_status, status, tensors=tensors, calls=self.device.log(label),
                   output_names=names, workspace=buffers.workspace)  # fmt: skip

    def consume(self, buffers: Buffers, stream: int) -> list[int | None]:
        """Queue the copies that take the outputs away, behind the plugin's work on its stream."""
        pairs = zip(buffers.outputs, buffers.output_bytes, strict=True)
        return [self.device.consume(stream, address, size) if size else None for address, size in pairs]

    def collect(self, done: Run, case: Case, buffers: Buffers, tickets: Sequence[int | None]) -> None:
        """Fill in what the device holds after the stream was waited for."""
        done.fault = self.device.fault()
        if done.synchronized or done.fault is not None:
            return
        done.data = [b"" if ticket is None else self.device.collected(ticket) for ticket in tickets]
        for index, address in enumerate(buffers.inputs):
            size = self._input_bytes(case, index)
            done.inputs_after.append(self.device.read(address, size) if size else b"")
        done.sizes = self._sizes(done)
        done.outputs = [self._array(done, index, case) for index in range(len(done.data))]

    def sizes_of_inputs(self, case: Case) -> list[int]:
        """Bytes of each input."""
        return [self._input_bytes(case, index) for index in range(len(case.tensors))]

    def changed_inputs(self, done: Run, case: Case) -> list[str]:
        """The names of inputs that hold other bytes than before, aliased ones left out."""
        return [
            tensor.name
            for index, tensor in enumerate(case.tensors)
            if tensor.name not in self.spec.aliased and done.inputs_after[index] != self._input_data(case, index)
        ]

    def _sizes(self, done: Run) -> dict[int, int]:
        """What the size tensors hold, as far as they are 0-D int32 or int64."""
        found = {}
        for size in self.shapes.size_tensors():
            kind = done.tensors.outputs[size.output].type if size.output < len(done.data) else None
            dtype = {TYPES["int32"].tensor: "<i4", TYPES["int64"].tensor: "<i8"}.get(kind)
            if dtype and len(done.data[size.output]) == np.dtype(dtype).itemsize:
                found[size.output] = int(np.frombuffer(done.data[size.output], dtype)[0])
        return found

    def _array(self, done: Run, index: int, case: Case) -> np.ndarray | None:
        """An output as an array: a data-dependent extent as its size tensor says, packed as TensorRT reads it."""
        row = self.shapes.outputs[index]
        upper = upper_shapes(self.spec, self.shapes, case.extents)[index]
        dims = []
        for node, most in zip(row, upper, strict=True):
            size = self.shapes.size_tensor_of(node)
            value = most if size is None else done.sizes.get(size.output, -1)
            if not 0 <= value <= most:
                return None
            dims.append(value)
        place = len(case.tensors) + index
        kind, layout = case.combination.types[place], case.combination.formats[place]
        if TYPES[kind].dtype is None:
            return None
        return from_layout(done.data[index][: layout_bytes(tuple(dims), kind, layout)], tuple(dims), kind, layout)

    def _input_data(self, case: Case, index: int) -> bytes:
        tensor = case.tensors[index]
        return to_layout(tensor.values, tensor.type, case.combination.formats[index])

    def _input_bytes(self, case: Case, index: int) -> int:
        tensor = case.tensors[index]
        return layout_bytes(tensor.shape, tensor.type, case.combination.formats[index])

    def _outputs(self):
        outputs = self.spec.outputs
        return outputs if len(outputs) == len(self.shapes.outputs) else [None] * len(self.shapes.outputs)

    def _free(self, buffers: Buffers) -> None:
        from grader.simulator.records import DeviceError

        try:
            buffers.free()
        except DeviceError:  # after a fault the device is not what it was
            pass
