"""The parent's end of the device process of a plugin run.

>>> with RuntimeDevice.start() as device:
...     stream = device.stream()
...     with device.connection() as ours:  # start a plugin process with its descriptor
...         ...
...     device.produce(stream, x, data)
...     ...  # the plugin process enqueues on the stream
...     ticket = device.consume(stream, y, nbytes)
...     assert device.synchronize(stream) == 0
...     result = device.collected(ticket)
"""

from __future__ import annotations

import socket
from typing import Any

from grader.simulator.device import Device
from grader.simulator.records import DeviceError, Fault, fault_from
from grader.simulator.runtime.log import Record
from grader.verdict.records import State


class RuntimeDevice(Device):
    """A simulated GPU that plugin processes use too. Everything of ``Device`` works as well, at once and past all
    queues; but ``free`` first waits for all work, as cudaFree does. Statuses are values of ``cudaError_t``."""

    _door: socket.socket

    @classmethod
    def start(cls, limits=None) -> RuntimeDevice:
        """A fresh one in its own process. ``limits``: ``sandbox.Limits``, the time per call of the parent's."""
        from grader.sandbox import Child, ChildEnded, Limits, python_child
        from grader.simulator.build import build

        engine = build()
        ours, theirs = socket.socketpair()
        command = [*python_child("grader.simulator.runtime.process"), f"--door={theirs.fileno()}"]
        try:
            limits = limits or Limits(memory_bytes=4 << 30)
            child = Child(command, limits=limits, pass_fds=[theirs.fileno()], reads=[engine])
        except ChildEnded as ended:
            ours.close()
            raise DeviceError(ended.outcome.state, f"the simulated GPU {ended.outcome.message}") from None
        finally:
            theirs.close()
        device = cls(child, "simulated")
        device._door = ours
        device._call({"call": "open", "engine": str(engine)})
        return device

    @property
    def over(self) -> bool:
        """Whether its process has ended, as it does when a plugin has it take too much memory."""
        return self._transport.outcome is not None

    def close(self) -> None:
        super().close()
        self._door.close()

    def _ask(self, call: str, payload: Any = b"", **arguments: Any) -> dict[str, Any]:
        return self._call({"call": f"runtime.{call}", **arguments}, payload)[0]

    def connection(self) -> socket.socket:
        """A fresh end for a plugin process: pass its descriptor on, then close ours."""
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._door, [b"c"], [theirs.fileno()])
        try:
            self._ask("accept")
        except BaseException:
            ours.close()
            raise
        return ours

    def restart(self) -> None:
        """As fresh: no buffers, modules, processes, streams, settings; the log is empty."""
        self._ask("restart")

    # ---- settings ----

    def order(self, policy: str) -> None:
        """ "eager", "late", "others-first", "others-last" or "interleaved": see ``streams.py``."""
        self._ask("set", order=policy)

    def races(self, on: bool) -> None:
        """Whether launches of plugins look for races: on at first; it takes time."""
        self._ask("set", races=on)

    def counters(self, on: bool) -> None:
        """Whether launches of plugins are counted, for ``counted``: off at first."""
        self._ask("set", counting=on)

    def budget(self, warp_instructions: int) -> None:
        """Of one launch of a plugin's."""
        self._ask("set", budget=warp_instructions)

    # ---- streams ----

    def stream(self, *, flags: int = 1) -> int:
        """A stream of the parent's, for a plugin to work on. 1: cudaStreamNonBlocking."""
        return self._ask("stream", flags=flags)["stream"]

    def drop_stream(self, stream: int) -> None:
        """Destroy a stream of the parent's, when its work is done: many of them cost time at every call."""
        self._status(self._ask("drop_stream", stream=stream))

    def produce(self, stream: int, address: int, data) -> None:
        """Queue a copy to the device."""
        self._status(self._ask("produce", data, stream=stream, address=address))

    def consume(self, stream: int, address: int, nbytes: int) -> int:
        """Queue a copy from the device: a ticket for ``collected``."""
        return self._status(self._ask("consume", stream=stream, address=address, nbytes=nbytes))["ticket"]

    def collected(self, ticket: int) -> bytes:
        """What a copy from the device brought, after ``synchronize``. Once only."""
        return self._call({"call": "runtime.collected", "ticket": ticket})[1]

    def synchronize(self, stream: int | None = None) -> int:
        """Wait for a stream, or for all work of all: the status. 600 (cudaErrorNotReady) where a host function of a
        plugin process has to run first: have that process wait for something, and ask again."""
        return self._ask("synchronize", stream=stream)["status"]

    def _status(self, answer: dict[str, Any]) -> dict[str, Any]:
        if status := answer.get("status"):
            raise DeviceError(State.ERROR, f"the device answered {status}")
        return answer

    # ---- captures ----

    def begin_capture(self, stream: int, mode: int = 0) -> int:
        """Begin a capture on a stream of the parent's, as if the thread did that will enqueue on it."""
        return self._ask("begin_capture", stream=stream, mode=mode)["status"]

    def end_capture(self, stream: int) -> tuple[int, int]:
        """The status and the graph; 0: no graph."""
        answer = self._ask("end_capture", stream=stream)
        return answer["status"], answer.get("graph", 0)

    def launch_graph(self, graph: int, stream: int) -> int:
        return self._ask("launch_graph", graph=graph, stream=stream)["status"]

    # ---- evidence ----

    def mark(self, label: str) -> None:
        """What follows in the log belongs to this phase; "" ends it."""
        self._ask("mark", label=label)

    def log(self, label: str | None = None) -> list[Record]:
        """Every call of every plugin process, the parent's copies among them (process 0). Bounded: see ``counts``."""
        records: list[dict[str, Any]] = []
        while page := self._ask("log", label=label, after=records[-1]["seq"] if records else 0)["records"]:
            records += page
        return [Record(**{**r, "fault": fault_from(r["fault"]) if r["fault"] else None}) for r in records]

    def counts(self, label: str | None = None) -> dict[str, int]:
        """How often each function was called, those included that the log left out."""
        return self._ask("counts", label=label)["counts"]

    def clear_log(self) -> None:
        self._ask("clear_log")

    def counted(self) -> list[dict[str, Any]]:
        """Counters of plugins' launches since ``counters(True)`` or the last time: dictionaries with "seq" and "label"
        as in the log, "kernel", "counters", "estimates" and "lines" as of a ``Launch``."""
        counted: list[dict[str, Any]] = []
        while page := self._ask("counted")["counted"]:
            counted += page
        return counted

    def fail_next_launch(self, status: int) -> None:
        """The next launch of a plugin's returns this status, and nothing runs."""
        self.fail_next("LAUNCH", status)

    def fail_next(self, call: str, status: int) -> None:
        """The same for any call of the protocol, by its name: "MALLOC", "COPY", "MODULE"."""
        self._ask("inject", name=call, status=status)

    def live(self) -> dict[str, int]:
        """What plugin processes hold now: "allocations", "bytes", "streams", "events", "graphs", "modules"."""
        zero = dict.fromkeys(("allocations", "bytes", "streams", "events", "graphs", "modules"), 0)
        return {**zero, **self._ask("live")["live"]}

    def processes(self) -> int:
        """How many plugin processes are connected."""
        return self._ask("live")["processes"]

    def defects(self) -> list[str]:
        """Tracebacks of faults of the device process itself, which ended a connection: empty, or a grader fault."""
        return self._ask("live")["defects"]

    def fault(self, *, forget: bool = False) -> Fault | None:
        """What the first faulty launch or copy did, since the start or since it was forgotten."""
        fault = self._ask("fault", forget=forget)["fault"]
        return fault_from(fault) if fault else None

    # ---- which bytes were written ----

    def forget(self, address: int, nbytes: int) -> None:
        """Poison bytes: from now on nobody has written them, and a kernel that uses them before is at fault."""
        self._ask("forget", address=address, nbytes=nbytes)

    def unwritten(self, address: int, nbytes: int) -> tuple[int, list[tuple[int, int]]]:
        """How many of these bytes no work has written since ``forget`` or a poisoned ``alloc``, and where: up to 1000
        ranges as (offset, bytes)."""
        answer = self._ask("unwritten", address=address, nbytes=nbytes)
        return answer["bytes"], [tuple(r) for r in answer["ranges"]]
