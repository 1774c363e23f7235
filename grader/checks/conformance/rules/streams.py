"""The given stream only, nothing that stops it, and CUDA graphs."""

from __future__ import annotations

from collections.abc import Iterable

from grader.checks.base import Finding, failed, passed
from grader.checks.conformance.bench import Bench
from grader.checks.conformance.rule import rule
from grader.checks.conformance.trials import baseline, went_well
from grader.plugin.execute import POISON
from grader.toolchain.elf import plain_name

# Work that goes to a stream. What these are called with stands in CUDA's runtime API 13.0.
_WORK = ("cudaLaunch", "cudaMemcpy", "cudaMemset", "cudaFuncLaunch", "__cudaLaunch")
_ALLOCATE = (
    "cudaMalloc", "cudaMallocHost", "cudaMallocPitch", "cudaMalloc3D", "cudaMalloc3DArray", "cudaMallocArray",
    "cudaMallocManaged", "cudaHostAlloc", "cudaHostRegister", "cudaHostUnregister", "cudaFree", "cudaFreeHost",
    "cudaFreeArray",
)  # fmt: skip
_CREATE = (
    "cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority", "cudaStreamDestroy",
    "cudaEventCreate", "cudaEventCreateWithFlags", "cudaEventDestroy",
)  # fmt: skip
_WAIT = (
    "cudaDeviceSynchronize",
    "cudaStreamSynchronize",
    "cudaEventSynchronize",
    "cudaThreadSynchronize",
    "cudaDeviceReset",
)
_BLOCKING_COPIES = ("cudaMemcpy", "cudaMemcpy2D", "cudaMemcpyToSymbol", "cudaMemcpyFromSymbol")
LEGACY, PER_THREAD = (0, 1), 2  # the default streams, as a log has them
_CAPTURE_STATUSES = range(900, 909)  # cudaErrorStreamCapture… (driver_types.h, CUDA 13.0)


def plain(call: str) -> str:
    """The name of a function without what the compiler appends for per-thread default streams."""
    return call.removesuffix("_ptsz").removesuffix("_ptds")


def named(calls: Iterable, names: Iterable[str]) -> list[str]:
    """Which of these functions were called, each once."""
    wanted = set(names)
    return list(dict.fromkeys(plain(record.call) for record in calls if plain(record.call) in wanted))


@rule(
    "stream", group="streams", level="L1", needs=("status",), wants=("spec",),
    sentence="All work goes to the stream that enqueue() is given, or is joined to it by events.",
    belief="There is one stream; a launch without one lands in the right place.",
    source="NvInferRuntime.h 10.14, IPluginV3OneRuntime::enqueue; CUDA C++ Programming Guide 13.0, Default Stream; "
           "wang-xinyu/tensorrtx#85, #146",
)  # fmt: skip
def stream(bench: Bench, rng) -> Finding:
    """The legacy default stream cannot be joined: no capture survives it. Others can, the per-thread one too."""
    ready, case = bench.ready(), bench.case(rng)
    right = baseline(bench, ready, case)
    device = ready.device
    given = device.stream()
    for order in ("others-first", "others-last", "interleaved"):
        device.order(order)
        run = ready.runner.run(ready.context, case, stream=given)
        device.order("eager")
        elsewhere = [r for r in run.calls if plain(r.call).startswith(_WORK) and r.stream not in (None, given)]
        default = [r for r in elsewhere if r.stream in LEGACY]
        if default:
            first = default[0]
            return failed(f"{_what(first)} went to the legacy default stream instead of the stream that "
                          "enqueue() is given. Pass that stream on: results are right here and wrong in an engine.",
                          calls=len(default))  # fmt: skip
        if run.fault is not None or run.synchronized or not bench.same(run, right):
            per_thread = {r.stream for r in elsewhere} == {PER_THREAD}
            which = "the per-thread default stream" if per_thread else "another stream"
            which += f" ({_what(elsewhere[0])})" if elsewhere else ""
            return failed(f"The results change when the GPU is busy: work on {which} is not joined to "
                          "the stream that enqueue() is given. Queue it there; or let the other stream wait for an "
                          "event of the given one first, and the given one for an event of the other at the end.",
                          order=order)  # fmt: skip
    return passed()


def _what(record) -> str:
    return f"Kernel {kernel_name(record)}" if "kernel" in record.arguments else f"{plain(record.call)}()"


def kernel_name(record) -> str:
    """What the kernel of a launch is called in its source, without namespaces."""
    return plain_name(record.arguments["kernel"]).rpartition("::")[2]


def _calls_of_two_runs(bench: Bench, rng) -> list:
    """What a plugin asks CUDA for in its first and in a later enqueue."""
    ready, case = bench.ready(), bench.case(rng)
    runs = [ready.runner.run(ready.context, case) for _ in range(2)]
    for run in runs:
        went_well(run)
    return [record for run in runs for record in run.calls]


@rule(
    "no-allocation", group="streams", level="L1", on_gpu=False, needs=("status",), wants=("spec",),
    sentence="enqueue() allocates and frees nothing, and creates no streams and events.",
    belief="A small cudaMalloc in enqueue() costs nothing.",
    source="Recommended: no header forbids it; cudaMalloc and cudaFree may wait for the GPU and end a capture (CUDA "
           "C++ Programming Guide 13.0, Stream Capture: Prohibited and Unhandled Operations); NVIDIA/TensorRT#296, "
           "#1024; autowarefoundation/autoware_universe#12378",
)  # fmt: skip
def no_allocation(bench: Bench, rng) -> Finding:
    calls = _calls_of_two_runs(bench, rng)
    if found := named(calls, _ALLOCATE):
        return failed(f"enqueue() calls {found[0]}(). Ask for scratch memory in getWorkspaceSize(): TensorRT "
                      "brings it, and the call can be captured.", calls=found)  # fmt: skip
    if found := named(calls, _CREATE):
        return failed(f"enqueue() calls {found[0]}(). Create such things once, in attachToContext(), and keep them.",
                      calls=found)  # fmt: skip
    return passed()


@rule(
    "no-synchronization", group="streams", level="L1", on_gpu=False, needs=("status",), wants=("spec",),
    sentence="enqueue() waits for nothing: it queues its work and returns.",
    belief="The work should be done when enqueue() returns.",
    source="Recommended: no header forbids it, but enqueueV3() is asynchronous (NvInferRuntime.h 10.14, "
           "IExecutionContext), and no capture survives it; autowarefoundation/autoware_universe#13158",
)  # fmt: skip
def no_synchronization(bench: Bench, rng) -> Finding:
    if found := named(_calls_of_two_runs(bench, rng), _WAIT):
        return failed(f"enqueue() calls {found[0]}(): the host stops until the GPU is done, and a capture fails. "
                      "Leave it out; what follows on the stream waits by itself.", calls=found)  # fmt: skip
    return passed()


@rule(
    "no-pageable-copy", group="streams", level="L1", on_gpu=False, needs=("status",), wants=("spec",),
    sentence="enqueue() copies nothing from or to ordinary host memory.",
    belief="cudaMemcpyAsync is asynchronous, whatever memory it reads.",
    source="Recommended: CUDA Runtime API 13.0, API synchronization behavior; "
           "autowarefoundation/autoware_universe#13158; PaddlePaddle/Paddle#25014",
)  # fmt: skip
def no_pageable_copy(bench: Bench, rng) -> Finding:
    for record in _calls_of_two_runs(bench, rng):
        name, pinned = plain(record.call), record.arguments.get("pinned")
        if name in _BLOCKING_COPIES:
            return failed(f"enqueue() calls {name}(), which makes the host wait. Use {name}Async() on the given "
                          "stream, between buffers of the device or with page-locked memory.")  # fmt: skip
        if pinned is False:
            return failed(f"enqueue() calls {name}() with ordinary host memory: the copy is staged while the host "
                          "waits, and a graph would copy the old bytes again. Bring such data to the device "
                          "beforehand.")  # fmt: skip
    return passed()


@rule(
    "capture", group="streams", level="L1", needs=("stream",), wants=("spec",),
    sentence="enqueue() can be captured into a CUDA graph, and the graph computes the same on new inputs.",
    belief="CUDA graphs are an option that a plugin need not think of.",
    source="Recommended: no header demands it, but trtexec 11.1 captures by default "
           "(samples/common/sampleOptions.cpp); CUDA C++ Programming Guide 13.0, CUDA Graphs; NVIDIA/TensorRT#1967, "
           "#802",
)  # fmt: skip
def capture(bench: Bench, rng) -> Finding:
    ready, case = bench.ready(), bench.case(rng)
    device = ready.device
    baseline(bench, ready, case)  # TensorRT has a context run once before it is captured (#2603)
    other = bench.case(rng)
    right = baseline(bench, ready, other, poison=POISON)
    runner, given = ready.runner, device.stream()
    buffers = runner.buffers(case, poison=POISON)
    went_well(runner.run(ready.context, case, buffers=buffers, stream=given))  # in an engine, tensors keep their places
    device.begin_capture(given)
    run = runner.enqueue(ready.context, case, buffers, given, shape_change=False)
    status, graph = device.end_capture(given)
    refused = next((r for r in run.calls if r.status in _CAPTURE_STATUSES), None)
    if refused is not None:
        return failed(f"While the stream is captured, {plain(refused.call)}() is refused with error "
                      f"{refused.status}: it allocates, waits or asks, or works on another stream. Leave it out of "
                      "enqueue(), which only queues work on its stream.")  # fmt: skip
    if run.status or status:
        what = f"enqueue() returned {run.status}" if run.status else f"the capture ended with error {status}"
        return failed(f"While the stream is captured, {what}. A captured enqueue() queues what any other does.")
    for address, size in zip(buffers.outputs, buffers.output_bytes, strict=True):
        if size:
            device.write(address, bytes([POISON]) * size)  # of what the graph leaves unwritten, nothing may be right
    runner.produce(other, buffers, given)
    status = device.launch_graph(graph, given) or 0
    tickets = runner.consume(buffers, given)
    run.synchronized = status or device.synchronize(given)
    runner.collect(run, other, buffers, tickets)
    if run.fault is not None or run.synchronized or not bench.same(run, right):
        return failed("The captured graph computes something else on new inputs than enqueue() does: what the "
                      "host decides in enqueue() is frozen in the graph.")  # fmt: skip
    return passed()
