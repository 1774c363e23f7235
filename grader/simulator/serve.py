"""The calls of a device process, the same for every kind of device.

A request is a header ``{"call": name, ...arguments}`` with a payload; an answer is a header with
``"ok": true`` and the result, or ``"ok": false`` with ``"state"`` and ``"sentence"``.
"""

from __future__ import annotations

import traceback
from typing import Any, Protocol

from grader.simulator import fresh
from grader.simulator.records import DeviceError, KernelInfo, Launch, plain
from grader.verdict.records import State


class Backend(Protocol):
    """A device behind the calls. Every method may raise ``DeviceError``; addresses are plain integers."""

    kind: str  # "simulated" or "cuda"

    def alloc(self, nbytes: int, *, name: str, read_only: bool, fill: int | None, sparse: bool) -> int: ...

    def free(self, address: int) -> None: ...

    def write(self, address: int, data: bytes) -> None: ...

    def read(self, address: int, nbytes: int) -> bytes: ...

    def load(self, ptx: str) -> str: ...

    def kernels(self, module: str) -> dict[str, KernelInfo]: ...

    def launch(
        self,
        module: str,
        kernel: str,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        args: bytes,
        *,
        shared_bytes: int,
        instruction_budget: int | None,
        count: bool,
        blocks: tuple[int, int] | None,
        races: bool = True,
        max_dynamic_shared: int | None = None,
    ) -> Launch | tuple[Launch, dict[str, Any], bytes]:
        """``workers`` and ``trace`` are given only to a simulated GPU, and only where they were asked for.

        Where ``trace`` was, the trace's header and bytes come with the launch.
        """
        ...

    def reset(self) -> None: ...


class Connection(Protocol):
    """The child's end: grader.sandbox.Channel."""

    def receive(self) -> tuple[dict, bytes] | None: ...

    def send(self, header: dict, payload: bytes = b"") -> None: ...


def serve(backend: Backend, connection: Connection) -> None:
    """Answer calls until the other side ends. What a backend raises becomes an answer, never the end."""
    while (request := connection.receive()) is not None:
        connection.send(*answer(backend, *request))


def answer(backend: Backend, header: dict[str, Any], payload: bytes) -> tuple[dict[str, Any], bytes]:
    """One call: the answer's header and payload."""
    try:
        return _dispatch(backend, dict(header), payload)
    except DeviceError as error:
        return {"ok": False, "state": str(error.state), "sentence": error.sentence}, b""
    except MemoryError:
        return {
            "ok": False,
            "state": str(State.OUT_OF_MEMORY),
            "sentence": "the device process is out of memory",
        }, b""
    except Exception:  # a defect of ours: told as such, with its traceback
        return {"ok": False, "state": str(State.GRADER_FAULT), "sentence": traceback.format_exc(limit=6)}, b""


def _dispatch(backend: Backend, header: dict[str, Any], payload: bytes) -> tuple[dict[str, Any], bytes]:
    call = header.pop("call", None)
    if call == "alloc":
        return {"ok": True, "address": backend.alloc(header.pop("nbytes"), **header)}, b""
    if call == "free":
        backend.free(header["address"])
    elif call == "write":
        backend.write(header["address"], payload)
    elif call == "read":
        return {"ok": True}, backend.read(header["address"], header["nbytes"])
    elif call == "load":
        return {"ok": True, "module": backend.load(payload.decode())}, b""
    elif call == "kernels":
        kernels = backend.kernels(header["module"])
        return {"ok": True, "kernels": {name: plain(info) for name, info in kernels.items()}}, b""
    elif call == "launch":
        launch, trace, data = _launch(backend, header, payload)
        return {"ok": True, "launch": launch, "trace": trace}, data
    elif call == "launch_fresh":
        return fresh.answer(backend, lambda each, args: _launch(backend, dict(each), args)[0], header, payload)
    elif call == "reset":
        backend.reset()
    else:
        raise DeviceError(State.GRADER_FAULT, f"there is no device call {call!r}")
    return {"ok": True}, b""


def _launch(backend: Backend, header: dict[str, Any], args: bytes) -> tuple[dict, dict[str, Any] | None, bytes]:
    """The launch, its trace and the trace's bytes, as plain data."""
    grid, block, span = header.pop("grid"), header.pop("block"), header.pop("blocks")
    result = backend.launch(
        header.pop("module"), header.pop("kernel"), tuple(grid), tuple(block), args,
        blocks=tuple(span) if span is not None else None, **header,
    )  # fmt: skip
    launch, trace, data = result if isinstance(result, tuple) else (result, None, b"")
    fault = plain(launch.fault) if launch.fault else None
    return {**vars(launch), "fault": fault}, trace, data  # ``plain`` would copy what is sent anyway
