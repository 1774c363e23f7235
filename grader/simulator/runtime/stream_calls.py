"""The calls of a plugin process on streams, events and host functions."""

from __future__ import annotations

from grader.simulator.runtime.calls import Request, handles
from grader.simulator.runtime.context import Answer, Context, CudaError, Refused, Wait, float_bits
from grader.simulator.runtime.protocol import Call
from grader.simulator.runtime.statuses import Status
from grader.simulator.runtime.streams import Event, Operation, Stream
from grader.simulator.runtime.work import HostFunction, Nothing, WaitForEvent

MILLISECONDS_PER_OPERATION = 0.001  # the device's clock: the same in every run
DISABLE_TIMING = 2  # cudaEventDisableTiming


@handles(Call.STREAM_CREATE)
def stream_create(context: Context, request: Request) -> Answer:
    flags, priority, *_ = request.arguments
    if flags not in (0, 1):
        raise CudaError(Status.INVALID_VALUE)
    context.room()
    number = context.machine.number()
    context.streams[number] = Stream(number, context, flags, priority)
    request.record.arguments.update(flags=flags, made=number)
    return Answer(values=(number,))


@handles(Call.STREAM_DESTROY)
def stream_destroy(context: Context, request: Request) -> Answer:
    """Returns at once; work that is left still runs."""
    stream = context.streams.get(request.arguments[0])
    if stream is None:  # also of the parent's, which are not the plugin's to destroy
        raise CudaError(Status.INVALID_RESOURCE_HANDLE)
    context.machine.captures.destroyed(stream)
    del context.streams[stream.number]
    context.retired = [s for s in context.retired if s.last is not None and not s.last.done]
    if stream.last is not None and not stream.last.done:
        context.retired.append(stream)
    return Answer()


@handles(Call.STREAM_FLAGS)
def stream_flags(context: Context, request: Request) -> Answer:
    stream = context.stream(request.arguments[0], request.thread)
    context.machine.captures.not_for_captured(stream)  # as an H200 does; the documentation does not say it
    return Answer(values=(stream.flags, stream.priority))


def _last_of(context: Context, stream: Stream) -> list[Operation | None]:
    if not stream.legacy:
        return [stream.last]
    return [stream.last, *(other.last for other in context.blocking())]


def _ask(context: Context, targets: list[Operation | None]) -> Answer | Wait:
    """Not ready where the order has not run it yet. A second question finds it done: work gets on by itself, too."""
    context.machine.queues.advance()
    left = [t for t in targets if t is not None and not t.done]
    if not left:
        return Answer(context.sticky)
    if all(t.asked or t.begun for t in left):
        return Wait(left, lambda: Answer(context.sticky))
    for operation in left:
        operation.asked = True
    return Answer(Status.NOT_READY)


@handles(Call.STREAM_SYNCHRONIZE)
def stream_synchronize(context: Context, request: Request) -> Wait:
    stream = context.stream(request.arguments[0], request.thread)
    context.machine.captures.waiting(stream, context, request.thread)
    return Wait(_last_of(context, stream), lambda: Answer(context.sticky))


@handles(Call.STREAM_QUERY)
def stream_query(context: Context, request: Request) -> Answer | Wait:
    stream = context.stream(request.arguments[0], request.thread)
    context.machine.captures.waiting(stream, context, request.thread)
    return _ask(context, _last_of(context, stream))


@handles(Call.DEVICE_SYNCHRONIZE)
def device_synchronize(context: Context, request: Request) -> Wait:
    context.machine.captures.waiting_for_device(context)
    return Wait(context.machine.everything(context), lambda: Answer(context.sticky))


@handles(Call.DEVICE_RESET)
def device_reset(context: Context, request: Request) -> Wait:
    """Frees what the process made. Its modules stay: the runtime asks for them only once."""
    machine = context.machine
    machine.captures.waiting_for_device(context)

    def release() -> Answer:
        for address in context.buffers:
            machine.free(address)
        for held in (
            context.buffers, context.pooled, context.freeing, context.streams, context.events, context.graphs,
            context.executables,
        ):  # fmt: skip
            held.clear()
        context.sticky = Status.DEVICES_UNAVAILABLE if context.sticky else 0
        return Answer()

    return Wait(machine.everything(context), release)


@handles(Call.STREAM_WAIT_EVENT)
def stream_wait_event(context: Context, request: Request) -> Answer:
    number, event_number, flags, *_ = request.arguments
    stream, event = context.stream(number, request.thread), context.event(event_number)
    request.record.arguments.update(event=event_number, flags=flags)
    if flags not in (0, 1):
        raise CudaError(Status.INVALID_VALUE)
    machine, record = context.machine, request.record
    if flags and machine.captures.use(stream, context) is not None:
        machine.enqueue(stream, WaitForEvent(), context, record, event=event)
    elif not machine.captures.wait(stream, event, context):
        machine.enqueue(stream, Nothing(), context, record, also=[event.recorded])
    return Answer()


# ---- host functions ----


@handles(Call.HOST_FUNCTION)
def host_function(context: Context, request: Request) -> Answer | Wait:
    """Runs as early as it may in every order: only the process that is asking right now can run it."""
    number, token, flags, *_ = request.arguments
    machine, stream = context.machine, context.stream(number, request.thread)
    if flags and machine.captures.use(stream, context) is not None:
        machine.captures.refuse(Status.CAPTURE_UNSUPPORTED, stream.capture)
    operation = machine.enqueue(stream, HostFunction(token), context, request.record)
    return Answer() if operation is None else Wait([operation], Answer)


@handles(Call.HOST_FUNCTION_DONE)
def host_function_done(context: Context, request: Request) -> Answer:
    operation = context.running.pop(request.arguments[0], None)
    if operation is None:
        raise Refused("a host function is done that was not asked for")
    context.machine.queues.finished(operation)
    context.machine.queues.advance()
    return Answer()


# ---- events ----


@handles(Call.EVENT_CREATE)
def event_create(context: Context, request: Request) -> Answer:
    flags = request.arguments[0]
    if flags > 7:
        raise CudaError(Status.INVALID_VALUE)
    context.room()
    number = context.machine.number()
    context.events[number] = Event(number, context, flags)
    request.record.arguments.update(flags=flags, made=number)
    return Answer(values=(number,))


@handles(Call.EVENT_DESTROY)
def event_destroy(context: Context, request: Request) -> Answer:
    context.event(request.arguments[0])
    del context.events[request.arguments[0]]
    return Answer()


@handles(Call.EVENT_RECORD)
def event_record(context: Context, request: Request) -> Answer:
    number, stream_number, flags, *_ = request.arguments
    event, stream = context.event(number), context.stream(stream_number, request.thread)
    request.record.arguments.update(event=number, flags=flags)
    if flags not in (0, 1):
        raise CudaError(Status.INVALID_VALUE)
    context.machine.record_event(event, stream, context, request.record, external=bool(flags))
    return Answer()


@handles(Call.EVENT_SYNCHRONIZE)
def event_synchronize(context: Context, request: Request) -> Wait:
    event = context.event(request.arguments[0])
    context.machine.captures.event(event, context, request.thread)
    return Wait([event.recorded], lambda: Answer(context.sticky))


@handles(Call.EVENT_QUERY)
def event_query(context: Context, request: Request) -> Answer | Wait:
    event = context.event(request.arguments[0])
    context.machine.captures.event(event, context, request.thread)
    return _ask(context, [event.recorded])


@handles(Call.EVENT_ELAPSED)
def event_elapsed(context: Context, request: Request) -> Answer:
    start, end = (context.event(number) for number in request.arguments[:2])
    for event in (start, end):
        context.machine.captures.not_over(event)
        if event.captured is not None:  # which invalidates nothing
            raise CudaError(Status.CAPTURED_EVENT)
        if event.flags & DISABLE_TIMING or event.recorded is None:
            raise CudaError(Status.INVALID_RESOURCE_HANDLE)
    if not (start.recorded.done and end.recorded.done):
        raise CudaError(Status.NOT_READY)
    return Answer(values=(float_bits((end.recorded.at - start.recorded.at) * MILLISECONDS_PER_OPERATION),))
