"""The calls of a plugin process on captures and graphs."""

from __future__ import annotations

from grader.simulator.runtime import graphs
from grader.simulator.runtime.calls import Request, handles
from grader.simulator.runtime.capture import ACTIVE, INVALIDATED, NONE, RELAXED
from grader.simulator.runtime.context import Answer, Context, CudaError, Wait
from grader.simulator.runtime.protocol import Call
from grader.simulator.runtime.statuses import Status


@handles(Call.CAPTURE_BEGIN)
def capture_begin(context: Context, request: Request) -> Answer:
    number, mode, *_ = request.arguments
    request.record.arguments["mode"] = mode
    stream = context.stream(number, request.thread)
    context.machine.captures.begin(stream, mode, context, request.thread)
    return Answer()


@handles(Call.CAPTURE_END)
def capture_end(context: Context, request: Request) -> Answer:
    stream = context.stream(request.arguments[0], request.thread)
    context.room()
    graph = context.machine.captures.end(stream, context, request.thread)
    number = context.machine.number()
    context.graphs[number] = graph
    request.record.arguments.update(made=number, nodes=len(graph.nodes))
    return Answer(values=(number,))


@handles(Call.CAPTURE_INFO)
def capture_info(context: Context, request: Request) -> Answer:
    stream = context.stream(request.arguments[0], request.thread)
    if stream.legacy and context.machine.captures.of_blocking_streams(context):
        raise CudaError(Status.CAPTURE_IMPLICIT)  # and invalidates nothing: cuda_runtime_api.h 13.0
    capture = stream.capture
    if capture is None:
        return Answer(values=(NONE, 0))
    return Answer(values=(INVALIDATED if capture.invalid else ACTIVE, capture.number))


@handles(Call.CAPTURE_MODE)
def capture_mode(context: Context, request: Request) -> Answer:
    mode = request.arguments[0]
    if mode > RELAXED:
        raise CudaError(Status.INVALID_VALUE)
    if request.thread not in context.modes:
        context.room()
    old, context.modes[request.thread] = context.modes.get(request.thread, 0), mode
    return Answer(values=(old,))


@handles(Call.GRAPH_INSTANTIATE)
def graph_instantiate(context: Context, request: Request) -> Answer:
    if (graph := context.graphs.get(request.arguments[0])) is None:
        raise CudaError(Status.INVALID_VALUE)
    context.machine.captures.unsafe(context, request.thread)
    context.room()
    number = context.machine.number()
    context.executables[number] = graphs.instantiate(graph)
    return Answer(values=(number,))


@handles(Call.GRAPH_LAUNCH)
def graph_launch(context: Context, request: Request) -> Answer | Wait:
    number, stream_number, *_ = request.arguments
    if (executable := context.executables.get(number)) is None:
        raise CudaError(Status.INVALID_VALUE)
    stream, machine = context.stream(stream_number, request.thread), context.machine
    machine.captures.use(stream, context)
    machine.captures.not_for_captured(stream)  # as an H200 does
    end = graphs.launch(machine, context, executable, stream)
    machine.queues.advance()
    return Wait([end], lambda: Answer()) if executable.calls_host else Answer()


@handles(Call.GRAPH_DESTROY)
def graph_destroy(context: Context, request: Request) -> Answer:
    if context.graphs.pop(request.arguments[0], None) is None:
        raise CudaError(Status.INVALID_VALUE)
    return Answer()


@handles(Call.GRAPH_EXEC_DESTROY)
def graph_exec_destroy(context: Context, request: Request) -> Answer:
    context.machine.captures.unsafe(context, request.thread)
    if context.executables.pop(request.arguments[0], None) is None:
        raise CudaError(Status.INVALID_VALUE)
    return Answer()


@handles(Call.GRAPH_NODES)
def graph_nodes(context: Context, request: Request) -> Answer:
    if (graph := context.graphs.get(request.arguments[0])) is None:
        raise CudaError(Status.INVALID_VALUE)
    return Answer(values=(len(graph.nodes),))
