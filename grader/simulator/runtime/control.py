"""The parent's calls on the device process: those of any device (``serve.py``), and ``runtime.*``."""

from __future__ import annotations

import socket
import traceback
from collections.abc import Callable
from typing import Any

from grader.simulator import serve
from grader.simulator.records import DeviceError, plain
from grader.simulator.runtime import graphs
from grader.simulator.runtime.context import CudaError
from grader.simulator.runtime.machine import Machine
from grader.simulator.runtime.statuses import Status
from grader.simulator.runtime.streams import ORDERS, Stream
from grader.simulator.runtime.work import Consume, Produce
from grader.verdict.records import State

Answer = tuple[dict[str, Any], bytes]


class Control:
    def __init__(
        self, machine: Machine, door: socket.socket, connect: Callable[[socket.socket], int],
        disconnect: Callable[[], None],
    ):  # fmt: skip
        """``connect`` takes the socket of a new plugin process, which comes through ``door``, and gives its number;
        ``disconnect`` ends all of them."""
        self.machine, self._door, self._connect, self._disconnect = machine, door, connect, disconnect
        self._tickets = 0

    def answer(self, header: dict[str, Any], payload: bytes) -> Answer:
        name = header.get("call", "")
        if name == "reset":
            name = "runtime.restart"
        if name == "free":  # as cudaFree: work on wrong streams is late, and does not touch what is gone
            self.machine.queues.wait_for(self.machine.everything(None))
            self.machine.count_freed()
        if not name.startswith("runtime."):
            return serve.answer(self.machine.backend, header, payload)
        handler = getattr(self, "_" + name.removeprefix("runtime."), None)
        try:
            if handler is None:
                raise DeviceError(State.GRADER_FAULT, f"there is no device call {name!r}")
            result = handler(payload=payload, **{k: v for k, v in header.items() if k != "call"})
            answer, data = result if isinstance(result, tuple) else (result or {}, b"")
            return {"ok": True, **answer}, data
        except CudaError as error:
            return {"ok": True, "status": int(error.status)}, b""
        except DeviceError as error:
            return {"ok": False, "state": str(error.state), "sentence": error.sentence}, b""
        except Exception:
            return {"ok": False, "state": str(State.GRADER_FAULT), "sentence": traceback.format_exc(limit=6)}, b""

    def _stream_of(self, number: int) -> Stream:
        if number not in self.machine.streams:
            raise CudaError(Status.INVALID_RESOURCE_HANDLE)
        return self.machine.streams[number]

    # ---- processes ----

    def _accept(self, payload) -> dict:
        _, descriptors, *_ = socket.recv_fds(self._door, 1, 1)
        return {"process": self._connect(socket.socket(fileno=descriptors[0]))}

    def _restart(self, payload) -> None:
        self._disconnect()
        self.machine.backend.reset()
        self.machine.restart()

    def _live(self, payload) -> dict:
        total: dict[str, int] = {}
        for context in self.machine.contexts.values():
            for name, count in context.live().items():
                total[name] = total.get(name, 0) + count
        return {"live": total, "processes": len(self.machine.contexts), "defects": self.machine.defects}

    # ---- settings ----

    def _set(self, payload, **settings) -> None:
        machine = self.machine
        for name, value in settings.items():
            if name == "order" and value in ORDERS:
                machine.queues.order = value
            elif name in ("races", "counting"):
                setattr(machine, name, bool(value))
            elif name == "budget":
                machine.budget = int(value)
            else:
                raise DeviceError(State.GRADER_FAULT, f"there is no setting {name} = {value!r}")
        machine.queues.advance()

    def _inject(self, payload, name: str, status: int) -> None:
        self.machine.injected[name] = status

    # ---- streams ----

    def _stream(self, payload, flags: int) -> dict:
        number = self.machine.number()
        self.machine.streams[number] = Stream(number, None, flags)
        return {"stream": number}

    def _drop_stream(self, payload, stream: int) -> dict:
        """600 where work is left in it; 900 where it is being captured."""
        found = self._stream_of(stream)
        if found.capture is not None:
            raise CudaError(Status.CAPTURE_UNSUPPORTED)
        if found.last is not None and not found.last.done:
            raise CudaError(Status.NOT_READY)
        del self.machine.streams[stream]
        return {"status": 0}

    def _produce(self, payload, stream: int, address: int) -> None:
        self._check(address, len(payload))
        self._enqueue("produce", stream, Produce(address, payload), address, len(payload))

    def _consume(self, payload, stream: int, address: int, nbytes: int) -> dict:
        self._check(address, nbytes)
        self._tickets += 1
        self._enqueue("consume", stream, Consume(self._tickets, address, nbytes), address, nbytes)
        return {"ticket": self._tickets}

    def _check(self, address: int, nbytes: int) -> None:
        if not self.machine.inside(address, nbytes):
            raise DeviceError(State.ERROR, f"{nbytes} bytes at {address:#x} are in no buffer")

    def _enqueue(self, call: str, stream: int, work, address: int, nbytes: int) -> None:
        record = self.machine.log.add(0, 0, call, stream, {"address": self.machine.where(address), "bytes": nbytes})
        if self.machine.enqueue(self._stream_of(stream), work, None, record) is None:
            record.arguments["captured"] = True

    def _collected(self, payload, ticket: int) -> Answer:
        if ticket not in self.machine.collected:
            raise DeviceError(State.ERROR, "the copy from the device has not run: synchronize first")
        return {}, self.machine.collected.pop(ticket)

    def _synchronize(self, payload, stream: int | None) -> dict:
        return {"status": int(self.machine.synchronize(None if stream is None else self._stream_of(stream)))}

    def _begin_capture(self, payload, stream: int, mode: int) -> dict:
        self.machine.captures.begin(self._stream_of(stream), mode, None, None)
        return {"status": 0}

    def _end_capture(self, payload, stream: int) -> dict:
        graph = self.machine.captures.end(self._stream_of(stream), None, None)
        number = self.machine.number()
        self.machine.graphs[number] = graph
        return {"status": 0, "graph": number, "nodes": len(graph.nodes)}

    def _launch_graph(self, payload, graph: int, stream: int) -> dict:
        machine = self.machine
        if graph not in machine.graphs:
            raise CudaError(Status.INVALID_VALUE)
        if graph not in machine.executables:
            machine.executables[graph] = graphs.instantiate(machine.graphs[graph])
        graphs.launch(machine, None, machine.executables[graph], self._stream_of(stream))
        machine.queues.advance()
        return {"status": 0}

    # ---- evidence ----

    def _mark(self, payload, label: str) -> None:
        self.machine.log.label = label

    def _log(self, payload, label: str | None, after: int) -> dict:
        return {"records": [plain(record) for record in self.machine.log.page(label, after)]}

    def _counts(self, payload, label: str | None) -> dict:
        return {"counts": self.machine.log.counts(label)}

    def _clear_log(self, payload) -> None:
        self.machine.log.clear()

    def _counted(self, payload) -> dict:
        counted, self.machine.counted = self.machine.counted[:50], self.machine.counted[50:]
        return {"counted": counted}

    def _fault(self, payload, forget: bool) -> dict:
        fault = self.machine.first_fault
        if forget:
            self.machine.first_fault = None
        return {"fault": plain(fault) if fault else None}

    def _forget(self, payload, address: int, nbytes: int) -> None:
        self._check(address, nbytes)
        self.machine.memory.forget(address, nbytes)

    def _unwritten(self, payload, address: int, nbytes: int) -> dict:
        self._check(address, nbytes)
        count, ranges = self.machine.memory.unwritten(address, nbytes)
        return {"bytes": count, "ranges": ranges}
