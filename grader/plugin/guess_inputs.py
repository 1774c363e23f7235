"""Inputs of a plugin that nobody described: how many it has, of which types and ranks, as its own answers tell.

A plugin is asked in processes of its own, since it may crash at what it never meets in an engine: that is no defect.
What is found says nothing of what the values mean, so it is tried on a run before rules run kernels on it.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from grader.plugin import life
from grader.plugin.arguments import at_build, bindings, symbols
from grader.plugin.execute import Runner, make_case
from grader.plugin.inputs import extents_at
from grader.plugin.layouts import LINEAR_TYPES
from grader.plugin.objects import Plugin
from grader.plugin.records import LINEAR, Descriptor
from grader.plugin.session import HostProblem, PluginEnded, Session
from grader.plugin.spec_records import Combination, Extent, Input, Output, Spec
from grader.plugin.types import TYPES, tensor_type
from grader.sandbox import Limits
from grader.simulator.records import DeviceError

MOST_INPUTS = 4
MOST_SHAPES, MOST_RUNS = 200, 20  # that are tried; a run takes a process
_EXTENTS = {
    "N": Extent("N", 1, 2, 4), "C": Extent("C", 2, 4, 6, multiple=2), "D": Extent("D", 1, 2, 3),
    "H": Extent("H", 1, 5, 7), "W": Extent("W", 1, 7, 11),
}  # fmt: skip
# For all inputs alike, then for the first and the others. "1": an extent that is fixed.
_ALIKE = ("NCHW", "NCW", "NW", "W", "NCDHW", "N1HW", "N1W", "N1")
_OTHERS = ("W", "C", "N", "NW", "NC", "NCW", "1")
_MOST_COMBINATIONS = 4
_Failed = PluginEnded, life.LifeProblem, HostProblem, DeviceError, ValueError
_POINTS = ("opt", "min", "max")  # of the extents, at which a guess is run
_OF_INPUTS = ("the input descriptors", "the array of input pointers")  # of host/v3.cpp and v2.cpp
MOST_ENDS = 8  # of processes, then it is given up; at once where a method does not return
LIMITS = Limits(wall_seconds=3.0, memory_bytes=2 << 30, processes=64)  # of the sessions that are asked


def guess_inputs(start: Callable[[], Session], spec: Spec, device=None) -> tuple[Spec, str]:
    """The spec with inputs, combinations and extents, or as it is where nothing fits; ``notes`` say what was done.

    ``start`` makes a fresh session. Of what the plugin takes, the first is chosen that runs on ``device`` at all
    extents; where none does, the first that runs at the usual ones; and else the first of all, with a sentence that
    says so.
    """
    probe, first = _Probe(start, spec, device), None
    for count in range(1, MOST_INPUTS + 1):
        once = None
        for guessed in itertools.islice(probe.taken(count), MOST_RUNS):
            if device is None or (well := probe.runs(guessed)) == len(_POINTS):
                return guessed, ""
            if probe.wants_more:
                break  # and what ran at some extents was luck
            once = once or (guessed if well else None)
            first = first or guessed
        if once is not None:
            return once, ""
    if first is None:
        return spec, ""
    return first, "No run with guessed inputs succeeds: describe them in a spec."


class _Probe:
    """Asks a plugin, whose process may end at any question."""

    def __init__(self, start: Callable[[], Session], spec: Spec, device):
        self._start, self._spec, self._device, self._ends = start, spec, device, 0
        self.wants_more = False  # than the present number of inputs: it looked for one behind the last

    def _failed(self, error: Exception) -> None:
        if isinstance(error, PluginEnded) and error.words.kind == "past-end" and error.words.what in _OF_INPUTS:
            self.wants_more = True
        elif isinstance(error, PluginEnded):
            self._ends += MOST_ENDS if error.words.kind == "timeout" else 1

    @property
    def _tired(self) -> bool:
        return self._ends >= MOST_ENDS

    def taken(self, count: int) -> Iterator[Spec]:
        """The guesses for so many inputs that the plugin takes, until it wants more of them."""
        self.wants_more = False
        if self._tired or (found := self._types(count)) is None:
            return
        session = None
        try:
            for shapes in itertools.islice(_shapes(count), MOST_SHAPES):
                if self._tired or self.wants_more:
                    return
                guessed, taken = _described(self._spec, found, shapes), None
                try:
                    session = self._start() if session is None or session.over else session
                    plugin = life.create(session, guessed)
                    taken = _with_outputs(plugin, guessed) if _takes(plugin, guessed) else None
                    plugin.end()
                except _Failed as error:
                    self._failed(error)
                if taken is not None:
                    yield taken
        finally:
            if session is not None:
                session.close()

    def runs(self, spec: Spec) -> int:
        """At how many of ``_POINTS`` a run goes well, before one does not."""
        well = 0
        if self._tired:
            return well
        try:
            with self._start() as session:
                stored = life.build(life.create(session, spec), spec)
                context = life.attach(life.revive(session, stored))
                runner = Runner(self._device, spec, stored.shapes, stored.workspace)
                for which in _POINTS:
                    case = make_case(spec, stored.combination, which, np.random.default_rng(1))
                    if not runner.run(context, case).well:
                        break
                    well += 1
        except _Failed as error:
            self._failed(error)
        finally:
            with contextlib.suppress(DeviceError):
                self._device.fault(forget=True)
        return well

    def _types(self, count: int) -> list[Combination] | None:
        """The linear combinations that a plugin of so many inputs accepts, float32 first; None for none."""
        try:
            with self._start() as session:
                found = _accepted(life.create(session, self._spec), count)
        except _Failed as error:
            self._failed(error)
            return None
        combinations = [Combination(tuple(map(tensor_type, kinds)), ("linear",) * len(kinds)) for kinds in found]
        return sorted(combinations, key=lambda c: [LINEAR_TYPES.index(kind) for kind in c.types]) or None


def _accepted(plugin: Plugin, count: int) -> list[list[int]]:
    """The types of all tensors in each combination, linear, that the plugin accepts and its output types agree with."""
    outputs = plugin.output_count()
    if not 1 <= outputs <= 16:
        return []
    dims = tuple(_EXTENTS[name].opt for name in "NCHW")
    rows = [Descriptor(0, dims, LINEAR, dims, dims, dims)] * (count + outputs)
    offered = [(TYPES[kind].tensor, LINEAR) for kind in LINEAR_TYPES if TYPES[kind].dtype is not None]
    found, _ = plugin.combinations(rows, count, [offered] * len(rows), 200)
    every = [[kind for kind, _ in pairs] for pairs in found]
    return [kinds for kinds in every if _agrees(plugin, kinds, count)]


def _agrees(plugin: Plugin, kinds: list[int], count: int) -> bool:
    """Whether the outputs have these types where the inputs have; an answer that is unwritten speaks for nothing."""
    status, types = plugin.output_types(kinds[:count], len(kinds) - count)
    return status != 0 or all(said in (-1, kind) for said, kind in zip(types, kinds[count:], strict=True))


def _shapes(count: int) -> Iterator[tuple[str, ...]]:
    """All inputs of one shape first; a letter is an extent."""
    yield from ((shape,) * count for shape in _ALIKE)
    for first in _ALIKE[:3] if count > 1 else ():
        for others in itertools.product((first, *_OTHERS), repeat=count - 1):
            if set(others) != {first}:
                yield (first, *others)


def _described(spec: Spec, combinations: list[Combination], shapes: tuple[str, ...]) -> Spec:
    few = tuple(combinations[:_MOST_COMBINATIONS])
    inputs = tuple(
        Input(f"input{index}", tuple(dict.fromkeys(each.types[index] for each in few)), range=(0, 1),
              shape=tuple(1 if name == "1" else name for name in shape))
        for index, shape in enumerate(shapes)
    )  # fmt: skip
    used = {name: each for name, each in _EXTENTS.items() if any(name in shape for shape in shapes)}
    shown = "; ".join(f"{each.name} ({', '.join(map(str, each.shape))}) {' or '.join(each.types)}" for each in inputs)
    note = f"The inputs are guessed from what the plugin accepts: {shown}. A spec makes the rules exact."
    return replace(spec, inputs=inputs, extents=used, given=few, notes=(*spec.notes, note))


def _takes(plugin: Plugin, spec: Spec) -> bool:
    """Whether shapes and configuration succeed where all extents are known."""
    known = bindings(spec, extents_at(spec, "opt"))
    dims = [[known.get(each, each) for each in shape] for shape in symbols(spec)]
    shapes = plugin.output_shapes(dims, plugin.output_count())
    if shapes.status or any(row is None or None in row for row in shapes.outputs):
        return False
    tensors = at_build(spec, spec.given[0], shapes, extents_at(spec, "opt"))
    return plugin.configure(tensors.inputs, tensors.outputs) == 0


def _with_outputs(plugin: Plugin, spec: Spec) -> Spec:
    """Outputs are named only where one shares an input's memory, which a run has to know."""
    if not plugin.creator.is_v3:
        return spec
    count = plugin.output_count()
    aliases = [plugin.aliased_input(index) for index in range(count)]
    names = [spec.inputs[each].name if 0 <= each < len(spec.inputs) else None for each in aliases]
    if not any(names):
        return spec
    first = len(spec.inputs)
    kinds = spec.given[0].types[first:]
    outputs = tuple(Output(f"output{i}", kinds[i], aliases=names[i]) for i in range(count))
    return replace(spec, outputs=outputs)
