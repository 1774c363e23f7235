"""A plugin process in the eyes of the device process: its wire, in Python."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass, field

from grader.simulator.runtime.protocol import DELIVERY, REPLY, REQUEST, VERSION, Call, Direction, Mode, Reply, functions

ASYNC, PINNED = Mode.ASYNC, Mode.PINNED
H2D, D2H, D2D = Direction.HOST_TO_DEVICE, Direction.DEVICE_TO_HOST, Direction.DEVICE_TO_DEVICE


@dataclass
class Got:
    status: int
    values: tuple[int, ...]
    payload: bytes
    host_function: int | None = None
    deliveries: list[tuple[int, bytes]] = field(default_factory=list)


class PluginProcess:
    """Calls as the stand-in runtime sends them. ``host`` is its memory, written by deliveries; ``ran`` tells the host
    functions that ran."""

    def __init__(self, connection: socket.socket, *, hello: bool = True):
        self.socket = connection
        self.socket.settimeout(20)
        self.host: dict[int, bytes] = {}
        self.ran: list[int] = []
        self.runs = None  # what a host function does, by token
        if hello:
            assert self.call(Call.HELLO, VERSION).values[0] == VERSION

    def call(self, call: int, *arguments: int, payload: bytes = b"", thread: int = 1, function: str = "") -> Got:
        """A request, the host functions that it waits for, and its answer."""
        number = functions().index(function) + 1 if function else 0
        while True:
            got = self.once(call, *arguments, payload=payload, thread=thread, number=number)
            if got.host_function is None:
                return got
            if got.values[1] == 0:
                self.ran.append(got.host_function)
                if self.runs:
                    self.runs(got.host_function)
                self.once(Call.HOST_FUNCTION_DONE, got.host_function, thread=thread)

    def once(self, call: int, *arguments: int, payload: bytes = b"", thread: int = 1, number: int = 0) -> Got:
        self.socket.sendall(REQUEST.pack(call, number, thread, len(payload), *(*arguments, *[0] * 8)[:8]) + payload)
        status, flags, nbytes, *values = REPLY.unpack(self._read(REPLY.size))
        got = Got(status, tuple(values), self._read(nbytes))
        if flags & Reply.HOST_FUNCTION:
            got.host_function = values[0]
        if flags & Reply.DELIVERIES:
            at = 0
            while at < len(got.payload):
                address, count = DELIVERY.unpack_from(got.payload, at)
                at += DELIVERY.size
                self.host[address] = got.payload[at : at + count]
                got.deliveries.append((address, self.host[address]))
                at += count
        return got

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            chunk = self.socket.recv(count - len(data))
            if not chunk:
                raise EOFError("the device process ended the connection")
            data += chunk
        return data

    # ---- the calls that most tests need ----

    def ok(self, call: int, *arguments: int, **more) -> tuple[int, ...]:
        got = self.call(call, *arguments, **more)
        assert got.status == 0, f"{Call(call).name}: {got.status}"
        return got.values

    def malloc(self, nbytes: int) -> int:
        return self.ok(Call.MALLOC, nbytes)[0]

    def stream(self, flags: int = 0) -> int:
        return self.ok(Call.STREAM_CREATE, flags, 0)[0]

    def event(self, flags: int = 0) -> int:
        return self.ok(Call.EVENT_CREATE, flags)[0]

    def to_device(self, address: int, data: bytes, stream: int = 0, mode: int = 0) -> int:
        return self.call(Call.COPY, H2D, address, 0x1000, len(data), stream, mode, payload=data).status

    def to_host(self, label: int, address: int, nbytes: int, stream: int = 0, mode: int = 0) -> int:
        return self.call(Call.COPY, D2H, label, address, nbytes, stream, mode).status

    def ok_module(self, image: bytes) -> int:
        return self.ok(Call.MODULE, payload=image)[0]

    def kernel(self, module: int, name: str) -> int:
        return self.ok(Call.KERNEL, module, payload=name.encode())[0]

    def launch(
        self, kernel: int, grid: int, block: int, args: bytes, stream: int = 0, *, shared: int = 0, thread: int = 1
    ) -> int:
        sizes = grid | 1 << 32, 1 | block << 32, 1 | 1 << 32
        return self.call(Call.LAUNCH, kernel, *sizes, shared, stream, 0, payload=args, thread=thread).status

    def synchronize(self, stream: int = 0) -> int:
        return self.call(Call.STREAM_SYNCHRONIZE, stream).status

    def close(self) -> None:
        self.socket.close()


def fat_binary(ptx: str) -> bytes:
    """Of one PTX text, uncompressed, as nvcc writes it with ``--compress-mode=none``."""
    text = ptx.encode() + b"\0"
    text += b"\0" * (-len(text) % 8)
    entry = struct.pack("<HHIQIIHHIIIQQQ", 1, 0x101, 64, len(text), 0, 0, 0, 8, 80, 0, 0, 0x11, 0, 0)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry) + len(text)) + entry + text


def floats(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def add_args(x: int, y: int, n: int, c: float) -> bytes:
    """Of the kernel ``add(const float* x, float* y, int n, float c)``."""
    return struct.pack("<QQif", x, y, n, c)
