"""Runs a plan on the GPU and reads what comes out. Runs in the engine's process only."""

from __future__ import annotations

import ctypes
import statistics
from collections.abc import Sequence
from typing import Any

import tensorrt as trt

from grader.plugin.engine.driver import Driver

POISON = 0xCD  # fills outputs before a run


class Growing(trt.IOutputAllocator):
    """Memory for an output whose shape depends on data, and the shape that TensorRT reports for it."""

    def __init__(self, driver: Driver) -> None:
        trt.IOutputAllocator.__init__(self)
        self.driver, self.address, self.nbytes, self.shape = driver, 0, 0, ()

    def reallocate_output(self, tensor_name: str, memory: int, size: int, alignment: int) -> int:
        if size > self.nbytes or not self.address:
            self.address, self.nbytes = self.driver.alloc(size), size
        return self.address

    def reallocate_output_async(self, tensor_name: str, memory: int, size: int, alignment: int, stream: int) -> int:
        return self.reallocate_output(tensor_name, memory, size, alignment)

    def notify_shape(self, tensor_name: str, shape: Any) -> None:
        self.shape = tuple(shape)


class Execution:
    """One engine and one context. ``aliases``: output to the input whose memory it shares."""

    def __init__(self, plan: bytes, driver: Driver, log: trt.ILogger, aliases: dict[str, str]) -> None:
        self.driver, self.aliases, self._runtime = driver, aliases, trt.Runtime(log)
        self.engine = self._runtime.deserialize_cuda_engine(plan)
        if self.engine is None:
            raise RuntimeError("TensorRT does not read the plan again.")
        self.context = self.engine.create_execution_context()
        if self.context is None:
            raise RuntimeError("TensorRT makes no execution context.")

    def layers(self) -> str:
        """What the engine inspector says, JSON text: the plugin's layer, and reformat layers beside it."""
        inspector = self.engine.create_engine_inspector()
        return inspector.get_engine_information(trt.LayerInformationFormat.JSON)

    def run(
        self, inputs: Sequence[tuple[dict[str, Any], bytes]], outputs: Sequence[dict[str, Any]], repeats: int
    ) -> tuple[list[tuple[tuple[int, ...], bytes]], list[float]]:
        """Shape and bytes of each output, and milliseconds of ``repeats`` further runs.

        An input is ``{"name", "shape", "host"}`` and its bytes; ``host``: a shape tensor, which TensorRT reads on the
        host. An output is ``{"name", "size"}``, bytes of an element.
        """
        held: list[int] = []
        host: list[Any] = []
        places: dict[str, int] = {}
        for one, data in inputs:
            if one["host"]:
                buffer = ctypes.create_string_buffer(data, max(len(data), 1))
                host.append(buffer)
                places[one["name"]] = ctypes.addressof(buffer)
            else:
                places[one["name"]] = self._alloc(len(data), held)
                self._must(self.context.set_input_shape(one["name"], tuple(one["shape"])), "takes the input's shape")
            self._must(self.context.set_tensor_address(one["name"], places[one["name"]]), "takes an address")
        if missing := self.context.infer_shapes():
            raise RuntimeError(f"TensorRT lacks the shape of {', '.join(missing)}.")
        growing = self._place_outputs(outputs, places, held)
        self._write(inputs, places)
        self._execute()
        self.driver.synchronize()
        results = [self._read(one, places, growing) for one in outputs]
        times = []
        for _ in range(repeats):
            start, end = self.driver.event(), self.driver.event()
            self.driver.record(start)
            self._execute()
            self.driver.record(end)
            self.driver.synchronize()
            times.append(self.driver.milliseconds(start, end))
        for address in [*held, *(one.address for one in growing.values() if one.address)]:
            self.driver.free(address)
        return results, times

    def _place_outputs(
        self, outputs: Sequence[dict[str, Any]], places: dict[str, int], held: list[int]
    ) -> dict[str, Growing]:
        growing: dict[str, Growing] = {}
        for one in outputs:
            name, shape = one["name"], self._shape(one["name"])
            if name in self.aliases:
                places[name] = places[self.aliases[name]]
            elif -1 in shape:
                growing[name] = Growing(self.driver)
                self._must(self.context.set_output_allocator(name, growing[name]), "takes an output allocator")
                continue
            else:
                nbytes = one["size"] * _volume(shape)
                places[name] = self._alloc(nbytes, held)
                self.driver.fill(places[name], POISON, nbytes)
            self._must(self.context.set_tensor_address(name, places[name]), "takes an address")
        return growing

    def _read(
        self, one: dict[str, Any], places: dict[str, int], growing: dict[str, Growing]
    ) -> tuple[tuple[int, ...], bytes]:
        if found := growing.get(one["name"]):
            return found.shape, self.driver.read(found.address, one["size"] * _volume(found.shape))
        shape = self._shape(one["name"])
        return shape, self.driver.read(places[one["name"]], one["size"] * _volume(shape))

    def _shape(self, name: str) -> tuple[int, ...]:
        """A tensor's shape for the inputs that are set; -1 where it depends on data."""
        shape = self.context.get_tensor_shape(name)
        return tuple(shape[axis] for axis in range(len(shape)))

    def _write(self, inputs: Sequence[tuple[dict[str, Any], bytes]], places: dict[str, int]) -> None:
        for one, data in inputs:
            if not one["host"]:
                self.driver.write(places[one["name"]], data)

    def _alloc(self, nbytes: int, held: list[int]) -> int:
        held.append(self.driver.alloc(nbytes))
        return held[-1]

    def _execute(self) -> None:
        self._must(self.context.execute_async_v3(self.driver.stream), "runs the engine")

    @staticmethod
    def _must(done: bool, what: str) -> None:
        if not done:
            raise RuntimeError(f"TensorRT's context refused: it no longer {what}.")


def median(times: Sequence[float]) -> float | None:
    return statistics.median(times) if times else None


def _volume(shape: Sequence[int]) -> int:
    volume = 1
    for extent in shape:
        volume *= extent
    return volume
