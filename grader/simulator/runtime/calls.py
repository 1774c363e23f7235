"""The calls of a plugin process on memory, modules and kernels, and how any call is answered."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

from grader.simulator.records import DeviceError
from grader.simulator.runtime import protocol
from grader.simulator.runtime.context import Answer, Context, CudaError, Refused, Wait
from grader.simulator.runtime.log import Record
from grader.simulator.runtime.protocol import Call, Direction, Mode, Note
from grader.simulator.runtime.statuses import Status, launch_status
from grader.simulator.runtime.work import Allocate, Copy, Fill, Free, Kernel, Launch, Renew, Return
from grader.toolchain.fatbin import FatbinError
from grader.verdict.records import State

MOST_COPIED = 256 << 20  # bytes of one copy from or to the host
MOST_IMAGE = 128 << 20  # bytes of a fat binary
MOST_TEXT = 64 << 10  # bytes of any other payload
MOST_OF_A_NAME = 1000  # characters in the log
MOST_ROWS = 1 << 20  # of a copy with gaps between its rows
_LOW = 0xFFFF_FFFF


@dataclass(slots=True)
class Request:
    call: Call
    function: int
    thread: int
    arguments: tuple[int, ...]
    payload: bytes
    record: Record


Handler = Callable[[Context, Request], Answer | Wait]
HANDLERS: dict[Call, Handler] = {}

# Answered as ever after a kernel's fault; all others answer with its status and do nothing.
_IN_SPITE_OF_FAULTS = {Call.HELLO, Call.NOTE, Call.HOST_FUNCTION_DONE, Call.POINTER}
_FREEING = {
    Call.FREE, Call.FREE_ASYNC, Call.MODULE_FREE, Call.STREAM_DESTROY, Call.EVENT_DESTROY, Call.GRAPH_DESTROY,
    Call.GRAPH_EXEC_DESTROY, Call.DEVICE_RESET,
}  # fmt: skip


def handles(call: Call):
    def keep(handler: Handler) -> Handler:
        HANDLERS[call] = handler
        return handler

    return keep


def most_payload(call: int) -> int:
    """Bytes that a request may bring."""
    if call in (Call.COPY, Call.COPY_2D):
        return MOST_COPIED
    return MOST_IMAGE if call == Call.MODULE else MOST_TEXT


def function_of(call: Call, function: int) -> str:
    """What the log calls a request: CUDA's function, "cudaLaunchKernel" for all forms of it."""
    name = protocol.function_name(function).removeprefix("__").removesuffix("_ptsz").removesuffix("_ptds")
    return name or call.name.lower()


def begin(context: Context, request: Request) -> Answer | Wait:
    """Answer a request, or say what it waits for. ``Refused`` where no honest runtime would send it."""
    record, call = request.record, request.call
    try:
        injected = context.machine.injected.pop(call.name, None)
        if injected is not None:
            record.arguments["injected"] = True
            return done(request, Answer(injected))
        if context.sticky and call not in _IN_SPITE_OF_FAULTS and call not in _FREEING:
            return done(request, Answer(context.sticky))
        answer = HANDLERS[call](context, request)
    except CudaError as error:
        answer = Answer(error.status)
    if isinstance(answer, Wait):
        return answer
    if context.sticky and call in _FREEING:
        answer.status = context.sticky
    return done(request, answer)


def done(request: Request, answer: Answer) -> Answer:
    if request.call is not Call.NOTE:
        request.record.status = int(answer.status)
    return answer


@handles(Call.HELLO)
def hello(context: Context, request: Request) -> Answer:
    if request.arguments[0] != protocol.VERSION:
        raise Refused(f"protocol {request.arguments[0]}")
    return Answer(values=(protocol.VERSION,))


@handles(Call.NOTE)
def note(context: Context, request: Request) -> Answer:
    kind, status, *facts = request.arguments
    if kind not in list(Note):
        raise Refused("a note of no kind")
    record = request.record
    record.arguments.update({"facts": facts} if any(facts) else {}, note=Note(kind).name.lower())
    record.status = status & _LOW
    if kind == Note.MAY_BE_CALLED:
        try:
            if context.sticky:
                raise CudaError(context.sticky)
            context.machine.captures.unsafe(context, request.thread)
        except CudaError as error:
            record.status = int(error.status)
            raise
    return Answer()


# ---- memory ----


@handles(Call.MALLOC)
def malloc(context: Context, request: Request) -> Answer:
    nbytes = request.arguments[0]
    request.record.arguments["bytes"] = nbytes
    context.machine.captures.unsafe(context, request.thread)
    if nbytes == 0:
        return Answer(values=(0,))
    address = context.machine.allocate(context, nbytes, "cudaMalloc")
    request.record.arguments["address"] = context.machine.where(address)
    return Answer(values=(address,))


@handles(Call.FREE)
def free(context: Context, request: Request) -> Answer | Wait:
    """cudaMalloc's memory waits for all streams (programming guide 13.0, "Stream-Ordered Memory Allocator"); a pool's
    does not."""
    address, machine = request.arguments[0], context.machine
    request.record.arguments["address"] = machine.where(address) if address else "0x0"
    machine.captures.unsafe(context, request.thread)
    if address == 0 or context.give_back(address):
        return Answer()
    if address not in context.buffers or address in context.freeing:
        raise CudaError(Status.INVALID_VALUE)

    def release() -> Answer:
        if context.buffers.pop(address, None) is None:
            return Answer(Status.INVALID_VALUE)
        context.pooled.discard(address)
        machine.free(address)
        return Answer(context.sticky)

    return release() if address in context.pooled else Wait(machine.everything(context), release)


@handles(Call.MALLOC_ASYNC)
def malloc_async(context: Context, request: Request) -> Answer:
    nbytes, number, *_ = request.arguments
    machine, record = context.machine, request.record
    record.arguments["bytes"] = nbytes
    stream = context.stream(number, request.thread)
    capture = machine.captures.use(stream, context)
    if capture is None:
        machine.captures.unsafe(context, request.thread)
    if nbytes == 0:
        return Answer(values=(0,))
    address = machine.allocate(context, nbytes, "cudaMallocAsync")
    if capture is None:
        context.pooled.add(address)
        machine.promised.add(address)
        machine.memory.set_live(address, False)
        machine.enqueue(stream, Allocate(address), context, record)
    else:
        del context.buffers[address]
        context.graph_memory[address] = nbytes
        machine.enqueue(stream, Renew(address, nbytes), context, record)
    record.arguments["address"] = machine.where(address)
    return Answer(values=(address,))


@handles(Call.FREE_ASYNC)
def free_async(context: Context, request: Request) -> Answer:
    address, number, *_ = request.arguments
    machine, record = context.machine, request.record
    record.arguments["address"] = machine.where(address)
    stream = context.stream(number, request.thread)
    if machine.captures.use(stream, context) is not None:
        if address not in context.graph_memory:
            raise CudaError(Status.INVALID_VALUE)
        machine.enqueue(stream, Return(address), context, record)
        return Answer()
    machine.captures.unsafe(context, request.thread)
    if address == 0 or context.give_back(address):
        return Answer()
    if address not in context.buffers or address in context.freeing:
        raise CudaError(Status.INVALID_VALUE)
    context.freeing.add(address)
    machine.enqueue(stream, Free(address), context, record)
    return Answer()


@handles(Call.MEMORY_INFO)
def memory_info(context: Context, request: Request) -> Answer:
    from grader.simulator.runtime.machine import CAPACITY

    return Answer(values=(CAPACITY - context.machine.used(), CAPACITY))


@handles(Call.POINTER)
def pointer(context: Context, request: Request) -> Answer:
    buffer = context.machine.memory.buffer_at(request.arguments[0])
    if buffer is None or buffer.freed:
        return Answer(values=(0,))
    return Answer(values=(1, buffer.base, buffer.bytes))


@handles(Call.COPY)
def copy(context: Context, request: Request) -> Answer | Wait:
    direction, to, source, nbytes, number, mode, *_ = request.arguments
    return _copy(context, request, Mode(mode & 3), number, direction, to, source, nbytes, 1, nbytes, nbytes)


@handles(Call.COPY_2D)
def copy_2d(context: Context, request: Request) -> Answer | Wait:
    both, to, to_pitch, source, source_pitch, width, height, number = request.arguments
    mode = Mode(both >> 32 & 3)
    return _copy(context, request, mode, number, both & _LOW, to, source, width, height, to_pitch, source_pitch)


def _copy(
    context: Context, request: Request, mode: Mode, number: int, direction: int, to: int, source: int, width: int,
    height: int, to_pitch: int, source_pitch: int,
) -> Answer | Wait:  # fmt: skip
    if direction not in list(Direction) or not width or not height:
        raise Refused("a copy of no kind")
    direction, machine = Direction(direction), context.machine
    asynchronous = bool(mode & Mode.ASYNC)
    stream = context.stream(number, request.thread)
    if direction is not Direction.DEVICE_TO_DEVICE and width * height > MOST_COPIED:
        raise Refused("a copy that is too large")
    if len(request.payload) != (width * height if direction is Direction.HOST_TO_DEVICE else 0):
        raise Refused("a copy with other bytes than it says")
    if height > 1 and (to_pitch < width or source_pitch < width):
        raise CudaError(Status.INVALID_PITCH)
    if height > 1 and to_pitch == source_pitch == width:
        width, height = width * height, 1
    if height > MOST_ROWS:
        raise CudaError(Status.NOT_SUPPORTED)
    request.record.arguments["direction"] = direction.name.lower()
    if direction is not Direction.DEVICE_TO_DEVICE:
        request.record.arguments["pinned"] = bool(mode & Mode.PINNED)
    if not asynchronous:
        machine.captures.not_for_captured(stream)
    _check_range(machine, to, width, height, to_pitch, direction is not Direction.DEVICE_TO_HOST)
    _check_range(machine, source, width, height, source_pitch, direction is not Direction.HOST_TO_DEVICE)
    if direction is Direction.HOST_TO_DEVICE:
        source_pitch = width
    work = Copy(direction, to, source, width, height, to_pitch, source_pitch, request.payload)
    operation = machine.enqueue(stream, work, context, request.record)
    staged = direction is Direction.DEVICE_TO_HOST and not mode & Mode.PINNED
    waits = direction is not Direction.DEVICE_TO_DEVICE if not asynchronous else staged
    if waits and operation is not None:
        return Wait([operation], lambda: Answer(context.sticky))
    return Answer()


def _check_range(machine, address: int, width: int, height: int, pitch: int, on_device: bool) -> None:
    if on_device and not machine.inside(address, (height - 1) * pitch + width):
        raise CudaError(Status.INVALID_VALUE)


@handles(Call.SET)
def memset(context: Context, request: Request) -> Answer:
    to, value, nbytes, number, mode, *_ = request.arguments
    return _fill(context, request, number, mode, to, value, nbytes, 1, nbytes)


@handles(Call.SET_2D)
def memset_2d(context: Context, request: Request) -> Answer:
    to, pitch, value, width, height, number, mode, *_ = request.arguments
    return _fill(context, request, number, mode, to, value, width, height, pitch)


def _fill(
    context: Context, request: Request, number: int, mode: int, to: int, value: int, width: int, height: int,
    pitch: int,
) -> Answer:  # fmt: skip
    """Asynchronous to the host in every form (runtime API 13.0, "API synchronization behavior")."""
    if not width or not height:
        raise Refused("a memset of nothing")
    machine, stream = context.machine, context.stream(number, request.thread)
    if height > 1 and pitch == width:
        width, height = width * height, 1
    if height > 1 and pitch < width:
        raise CudaError(Status.INVALID_VALUE)
    if height > MOST_ROWS:
        raise CudaError(Status.NOT_SUPPORTED)
    if not mode & Mode.ASYNC:
        machine.captures.not_for_captured(stream)
    if stream.capture is None:  # a GPU looks at a captured one only when it runs
        _check_range(machine, to, width, height, pitch, True)
    machine.enqueue(stream, Fill(to, value & 0xFF, width, height, pitch), context, request.record)
    return Answer()


# ---- modules and kernels ----


@handles(Call.MODULE)
def module(context: Context, request: Request) -> Answer:
    machine, record = context.machine, request.record
    record.arguments["bytes"] = len(request.payload)
    context.room()
    try:
        handle = machine.load(request.payload)
    except FatbinError as problem:
        record.arguments["problem"] = str(problem)
        raise CudaError(Status.NO_KERNEL_IMAGE) from None
    except DeviceError as problem:
        record.arguments["problem"] = problem.sentence
        status = {State.UNSUPPORTED_HERE: Status.NOT_SUPPORTED, State.OUT_OF_MEMORY: Status.MEMORY_ALLOCATION}
        raise CudaError(status.get(problem.state, Status.INVALID_PTX)) from None
    number = machine.number()
    context.modules[number] = handle
    return Answer(values=(number,))


@handles(Call.MODULE_FREE)
def module_free(context: Context, request: Request) -> Answer | Wait:
    number = request.arguments[0]
    if number not in context.modules:
        raise CudaError(Status.INVALID_RESOURCE_HANDLE)

    def release() -> Answer:
        if (handle := context.modules.pop(number, None)) is not None:
            for key in [key for key in context.kernel_numbers if key[0] == number]:
                del context.kernels[context.kernel_numbers.pop(key)]
            context.machine.unload(handle)
        return Answer(context.sticky)

    return Wait(context.machine.everything(context), release)


def _module_and_name(context: Context, request: Request) -> tuple[int, str, str]:
    number = request.arguments[0]
    if number not in context.modules:
        raise CudaError(Status.INVALID_RESOURCE_HANDLE)
    name = request.payload.decode("utf-8", "replace")
    request.record.arguments["name"] = name[:MOST_OF_A_NAME]
    return number, context.modules[number], name


@handles(Call.KERNEL)
def kernel(context: Context, request: Request) -> Answer:
    number, handle, name = _module_and_name(context, request)
    try:
        program, target = context.machine.backend.program(handle, name)
    except DeviceError:
        raise CudaError(Status.INVALID_DEVICE_FUNCTION) from None
    if (number, name) not in context.kernel_numbers:
        context.room()
        context.kernel_numbers[number, name] = fresh = context.machine.number()
        context.kernels[fresh] = Kernel(handle, name, program, target)
    rows = b"".join(struct.pack("<II", offset, size) for _, size, _, offset in program.parameters)
    values = context.kernel_numbers[number, name], program.shared_bytes, program.local_bytes, program.max_threads or 0
    return Answer(values=values, payload=rows)


@handles(Call.VARIABLE)
def variable(context: Context, request: Request) -> Answer:
    _, handle, name = _module_and_name(context, request)
    variables = context.machine.backend.variables(handle)
    if name not in variables:
        raise CudaError(Status.INVALID_SYMBOL)
    return Answer(values=variables[name])


@handles(Call.LAUNCH)
def launch(context: Context, request: Request) -> Answer:
    number, first, second, third, shared, stream_number, *_ = request.arguments
    if number not in context.kernels:
        raise CudaError(Status.INVALID_DEVICE_FUNCTION)
    which: Kernel = context.kernels[number]
    stream = context.stream(stream_number, request.thread)
    grid = first & _LOW, first >> 32, second & _LOW
    block = second >> 32, third & _LOW, third >> 32
    dynamic, asked = shared & _LOW, shared >> 32 or None
    request.record.arguments.update(kernel=which.name, grid=list(grid), block=list(block), shared_bytes=dynamic)
    if len(request.payload) < which.program.parameter_bytes:
        raise CudaError(Status.INVALID_VALUE)
    if status := launch_status(which.program, which.target, grid, block, dynamic, asked):
        if (capture := context.machine.captures.use(stream, context)) is not None:
            context.machine.captures.refuse(status, capture)
        raise CudaError(status)
    work = Launch(which, grid, block, dynamic, asked, request.payload)
    context.machine.enqueue(stream, work, context, request.record)
    return Answer()
