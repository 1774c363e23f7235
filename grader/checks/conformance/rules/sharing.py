"""Contexts beside each other, threads, launch errors, leaks."""

from __future__ import annotations

from grader.checks.base import Finding, failed, passed
from grader.checks.conformance.bench import Bench, Ready
from grader.checks.conformance.rule import rule
from grader.checks.conformance.rules.streams import kernel_name, plain
from grader.checks.conformance.trials import baseline, went_well
from grader.plugin import life
from grader.plugin.arguments import at_build, attribute_fields
from grader.plugin.execute import Case, Runner

LIVES = 100
ROUNDS = 4
_SHARED = (
    "The threads share something that changes, such as a static variable. A mutex is not the answer; give each object "
    "its own."
)
OUT_OF_RESOURCES = 701  # cudaErrorLaunchOutOfResources


def _two(bench: Bench, rng) -> tuple[Ready, list, list[Case], list]:
    """Two contexts of one plugin, a case of another shape for each, and what each computes by itself."""
    ready = bench.ready()
    contexts = [ready.context, life.attach(ready.plugin)]
    cases = [bench.case(rng, "opt"), bench.case(rng, "max")]
    right = [baseline(bench, bench.ready(session=ready.session), case) for case in cases]
    return ready, contexts, cases, right


@rule(
    "contexts", group="life", level="L1", needs=("status", "attach", "stream"), wants=("spec",),
    sentence="Two execution contexts of one engine take turns, with different shapes, and neither disturbs the other.",
    belief="There is one context at a time.",
    source="NvInferRuntime.h 10.14, IPluginV3OneRuntime::attachToContext; NVIDIA/retinanet-examples#136",
)  # fmt: skip
def contexts(bench: Bench, rng) -> Finding:
    ready, both, cases, right = _two(bench, rng)
    device, runner = ready.device, ready.runner
    buffers, streams = [runner.buffers(case) for case in cases], [device.stream() for _ in cases]
    for context, case in zip(both, cases, strict=True):
        tensors = runner.tensors(case)
        context.shape_change(tensors.inputs, tensors.outputs)
    device.order("interleaved")  # the work of both is queued before any of it runs, and then takes turns
    for _ in range(2):
        for case, held, stream in zip(cases, buffers, streams, strict=True):
            runner.produce(case, held, stream)
        runs = [runner.enqueue(*each, shape_change=False) for each in zip(both, cases, buffers, streams, strict=True)]
        tickets = [runner.consume(*each) for each in zip(buffers, streams, strict=True)]
        for run, stream in zip(runs, streams, strict=True):
            run.synchronized = device.synchronize(stream)
        for index, run in enumerate(runs):
            runner.collect(run, cases[index], buffers[index], tickets[index])
            if run.status:
                return failed(f"With work of another context on the GPU, enqueue() returned {run.status}; alone it "
                              f"returns 0 ({cases[index].name}). Do not ask how far the GPU is, and share nothing "
                              "that changes.")  # fmt: skip
            if not run.well or not bench.same(run, right[index]):
                return failed("With two contexts at work, a context computes something else than alone "
                              f"({cases[index].name}). What a context is told of its shapes, and memory that its "
                              "kernels write, belong to its own object: no static or shared members.")  # fmt: skip
    device.order("eager")
    return passed()


@rule(
    "threads", group="life", level="L1", needs=("contexts", "inputs-unchanged"), wants=("spec",),
    sentence="Two contexts run in two threads at once, each with its right results.",
    belief="A plugin is called by one thread.",
    source="NvInferRuntime.h 10.14, IExecutionContext: several contexts of an engine run at the same time; "
    "PaddlePaddle/Paddle#31670",
)  # fmt: skip
def threads(bench: Bench, rng) -> Finding:
    ready, both, cases, right = _two(bench, rng)
    device, runner = ready.device, ready.runner
    scripts, held = [], []
    for context, case in zip(both, cases, strict=True):
        buffers, stream = runner.buffers(case), device.stream()
        runner.produce(case, buffers, stream)
        tensors = runner.tensors(case)
        scripts.append(
            [context.step(tensors.inputs, tensors.outputs, buffers.inputs, buffers.outputs, buffers.workspace, stream)]
        )
        held.append((case, buffers, stream))
    device.order("interleaved")
    device.mark("two threads")
    statuses = ready.session.in_threads(ROUNDS, scripts)
    device.mark("")
    device.order("eager")
    for index, (case, buffers, stream) in enumerate(held):
        tickets = runner.consume(buffers, stream)
        run = _empty(runner, case)
        run.synchronized = device.synchronize(stream)
        runner.collect(run, case, buffers, tickets)
        if any(statuses[index]):
            return failed(f"In two threads, a call returned {next(filter(None, statuses[index]))}; alone it returns 0. "
                          f"{_SHARED}")  # fmt: skip
        if run.synchronized or run.fault is not None or not bench.same(run, right[index]):
            return failed(f"In two threads, a context computes something else than alone ({case.name}). "
                          f"{_SHARED}")  # fmt: skip
    return passed()


def _empty(runner: Runner, case: Case):
    from grader.plugin.execute import Run

    return Run(0, 0, tensors=runner.tensors(case))


@rule(
    "launch-errors", group="life", level="L1", on_gpu=False, needs=("status",), wants=("spec",),
    sentence="When a launch fails, enqueue() says so: it returns something else than 0.",
    belief="A kernel that was launched runs.",
    source="NvInferRuntime.h 10.14, IPluginV3OneRuntime::enqueue: 0 for success, else non-zero; CUDA C++ Programming "
    "Guide 13.0, Error Checking",
)  # fmt: skip
def launch_errors(bench: Bench, rng) -> Finding:
    ready, case = bench.ready(), bench.case(rng)
    run = baseline(bench, ready, case)
    launches = [r for r in run.calls if "Launch" in plain(r.call) and "kernel" in r.arguments]
    if not launches:
        return passed("enqueue() launches no kernel.")
    buffers, given = ready.runner.buffers(case), ready.device.stream()
    ready.runner.produce(case, buffers, given)
    ready.device.fail_next_launch(OUT_OF_RESOURCES)
    failing = ready.runner.enqueue(ready.context, case, buffers, given)
    ready.device.synchronize(given)
    if failing.status == 0:
        return failed(f"The launch of {kernel_name(launches[0])} failed with error {OUT_OF_RESOURCES}, and "
                      "enqueue() returned 0. Return what cudaGetLastError() says right after the launch: else the "
                      "error is blamed on the next layer.")  # fmt: skip
    return passed()


@rule(
    "leaks", group="life", needs=("status", "attach"), wants=("spec",),
    sentence=f"{LIVES} lives of a plugin leave nothing behind: no host or device memory, no streams or events.",
    belief="The process ends soon anyway.",
    source="NvInferPluginBase.h 10.14, IPluginV3: objects are deleted by whom they belong to; NvInferRuntimePlugin.h "
    "10.14, IPluginV2::terminate and destroy; PaddlePaddle/Paddle#24107",
)  # fmt: skip
def leaks(bench: Bench, rng) -> Finding:
    session, run, device = bench.fresh(), None, None
    if bench.kernels:
        ready = bench.ready(session=session)
        run, device = _how_to_run(bench, ready, rng), ready.device
        device.races(False)
    creator, fields, stored = life.find_creator(session, bench.spec), attribute_fields(bench.spec), bench.stored()
    tensors = at_build(bench.spec, stored.combination, stored.shapes)
    build = tensors.inputs, tensors.outputs, stored.tactic
    session.many_lives(creator, fields, 2, run, build)
    before = device.live() if device else {}
    well, grown = session.many_lives(creator, fields, LIVES, run, build)
    after = device.live() if device else {}
    if grown >= 8 * LIVES:  # texts of changing length fill the allocator's own lists once: what leaks does so again
        grown = min(grown, session.many_lives(creator, fields, LIVES, run, build)[1])
    if device:
        device.races(True)
    if well < LIVES:
        return failed(
            f"Of {LIVES} lives, {LIVES - well} did not go well: a call returned null or a status other than 0."
        )
    if grown >= 8 * LIVES and bench.heap_tells:
        return failed(f"{LIVES} lives left {grown:,} bytes of host memory behind, {grown / LIVES:.0f} each. What a "
                      "constructor, clone() or attachToContext() takes, the destructor gives back.",
                      bytes=grown)  # fmt: skip
    for what in ("allocations", "streams", "events", "graphs"):
        if (more := after.get(what, 0) - before.get(what, 0)) >= LIVES:
            words = "allocations of device memory" if what == "allocations" else what
            return failed(f"{LIVES} lives left {more} {words} behind. Give them back in the destructor.", left=more)
    return passed()


def _how_to_run(bench: Bench, ready: Ready, rng) -> list:
    """The arguments of a shape change and an enqueue, on memory that stays."""
    case = bench.case(rng, "min")
    went_well(baseline(bench, ready, case))
    buffers, given = ready.runner.buffers(case), ready.device.stream()
    ready.runner.produce(case, buffers, given)
    tensors = ready.runner.tensors(case)
    return ready.context.step(
        tensors.inputs, tensors.outputs, buffers.inputs, buffers.outputs, buffers.workspace, given
    )[1:]
