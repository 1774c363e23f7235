"""One plugin process's end of the wire: bytes to requests, answers to bytes."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from grader.simulator.runtime import calls, capture_calls, stream_calls  # noqa: F401  they register their calls
from grader.simulator.runtime.calls import Request
from grader.simulator.runtime.context import Answer, Context, Refused, Wait
from grader.simulator.runtime.protocol import REPLY, REQUEST, Call, Reply

if TYPE_CHECKING:
    from grader.simulator.runtime.machine import Machine

MOST_WAITING = 10_000  # threads that wait for a host function
_CHUNK = 1 << 20
_MASK = (1 << 64) - 1
_CALLS = {int(call): call for call in Call}
_STREAM_AT = {
    Call.MALLOC_ASYNC: 1, Call.FREE_ASYNC: 1, Call.COPY: 4, Call.COPY_2D: 7, Call.SET: 3, Call.SET_2D: 5,
    Call.LAUNCH: 5,
    Call.STREAM_DESTROY: 0, Call.STREAM_SYNCHRONIZE: 0, Call.STREAM_QUERY: 0, Call.STREAM_WAIT_EVENT: 0,
    Call.STREAM_FLAGS: 0, Call.HOST_FUNCTION: 0, Call.EVENT_RECORD: 1, Call.CAPTURE_BEGIN: 0, Call.CAPTURE_END: 0,
    Call.CAPTURE_INFO: 0, Call.GRAPH_LAUNCH: 1,
}  # fmt: skip
_UNLOGGED = {Call.HELLO, Call.HOST_FUNCTION_DONE}


class Connection:
    """``receive`` when there is something to read, ``send`` when there is room. ``Refused`` and ``OSError`` end it."""

    def __init__(self, machine: Machine, connection: socket.socket):
        self.socket, self.machine = connection, machine
        self.socket.setblocking(False)
        self.context: Context = machine.connect()
        self.greeted = False
        self._in = bytearray()
        self._out = memoryview(b"")
        self._waiting: dict[int, tuple[bytes, Request, Wait]] = {}  # by thread: the request, what it waits for

    @property
    def sending(self) -> bool:
        """Whether an answer is on its way; no request is read meanwhile."""
        return bool(self._out)

    def fileno(self) -> int:
        return self.socket.fileno()

    def receive(self) -> bool:
        """Read what is there, and answer the requests that are complete. False at the end."""
        try:
            chunk = self.socket.recv(_CHUNK)
        except BlockingIOError:
            return True
        if not chunk:
            return False
        self._in += chunk
        self._serve()
        return True

    def send(self) -> None:
        while self._out:
            try:
                self._out = self._out[self.socket.send(self._out) :]
            except BlockingIOError:
                return
        self._serve()  # requests that came meanwhile

    def _serve(self) -> None:
        while not self._out and len(self._in) >= REQUEST.size:
            if self.context.broken:
                raise Refused(self.context.broken)
            number, function, thread, nbytes, *arguments = REQUEST.unpack_from(self._in)
            call = _CALLS.get(number)
            if call is None or nbytes > calls.most_payload(call):
                raise Refused(f"call {number} with {nbytes} bytes")
            if (call is Call.HELLO) == self.greeted:
                raise Refused("HELLO comes once, and first")
            end = REQUEST.size + nbytes
            if len(self._in) < end:
                return
            frame = bytes(self._in[: end if nbytes <= calls.MOST_TEXT else REQUEST.size])
            payload = bytes(memoryview(self._in)[REQUEST.size : end])
            del self._in[:end]
            self._answer(frame, call, function, thread, tuple(arguments), payload)
            self.greeted = True

    def _answer(self, frame: bytes, call: Call, function: int, thread: int, arguments: tuple[int, ...], payload: bytes):
        asked_before = self._waiting.pop(thread, None) if call is not Call.HOST_FUNCTION_DONE else None
        if asked_before is not None and asked_before[0] == frame:
            _, request, answer = asked_before
        else:
            request = self._request(call, function, thread, arguments, payload)
            answer = calls.begin(self.context, request)
        if isinstance(answer, Wait):
            if not self.machine.queues.wait_for(answer.targets):
                if len(self._waiting) >= MOST_WAITING:
                    raise Refused("threads without end")
                self._waiting[thread] = frame, request, answer
                return self._ask_for_host_function(request)
            answer = calls.done(request, answer.then())
        self._reply(answer, request)

    def _request(self, call: Call, function: int, thread: int, arguments: tuple[int, ...], payload: bytes) -> Request:
        name = calls.function_of(call, function)
        stream = arguments[_STREAM_AT[call]] if call in _STREAM_AT else None
        log = self.machine.log
        add = log.unkept if call in _UNLOGGED else log.add
        record = add(self.context.number, thread, name, stream, {})
        return Request(call, function, thread, arguments, payload, record)

    def _ask_for_host_function(self, request: Request) -> None:
        context = self.context
        if context.host_functions:
            token, operation = context.host_functions.popleft()
            if token in context.running:  # the same function twice at once: one after the other
                context.host_functions.append((token, operation))
                return self._reply(Answer(values=(token, 1)), request, Reply.HOST_FUNCTION)
            context.running[token] = operation
            return self._reply(Answer(values=(token,)), request, Reply.HOST_FUNCTION)
        token = next(iter(context.running), 0)
        self._reply(Answer(values=(token, 1)), request, Reply.HOST_FUNCTION)

    def _reply(self, answer: Answer, request: Request, flags: int = 0) -> None:
        payload = answer.payload
        if not payload and request.call is not Call.KERNEL and self.context.deliveries:
            payload, flags = self.context.take_deliveries(), flags | Reply.DELIVERIES
        values = [value & _MASK for value in (*answer.values, 0, 0, 0, 0)[:4]]
        self._out = memoryview(REPLY.pack(int(answer.status), int(flags), len(payload), *values) + payload)
        while self._out:
            try:
                self._out = self._out[self.socket.send(self._out) :]
            except BlockingIOError:
                return

    def close(self) -> None:
        self.socket.close()
        self.machine.disconnect(self.context)
