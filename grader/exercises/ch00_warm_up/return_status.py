"""return-status: enqueue checks what it gets and says how it went; it never ends the process."""

from __future__ import annotations

import dataclasses

from grader.checks import Check, Finding, failed, passed
from grader.exercises.host import HostPlan

HARNESS = "return_status.cpp"
ENQUEUE = "TensorRT 10.x NvInferRuntime.h, enqueue: 0 for success, else non-zero; noexcept"
LAUNCH = "CUDA 13.0 driver_types.h: cudaErrorInvalidConfiguration = 9"
REPORT = dict.fromkeys(("status", "launches", "x", "y", "n", "stream"), int)


def _call(bench, *, x: int, y: int, n: int, stream: int = 0x500, answer: int = 0) -> dict | Finding:
    reply = bench.run(HARNESS, f"{x} {y} {n} {stream} {answer}", fields=REPORT)
    if not isinstance(reply, Finding):
        return reply
    call = f"enqueue(x = {_pointer(x)}, y = {_pointer(y)}, n = {n}, stream)"
    return dataclasses.replace(
        reply,
        message=f"{call} did not return: an assert, exit() or an exception takes the whole process with it, "
        f"the host's other work too. {reply.message}",
    )


def _pointer(address: int) -> str:
    return f"0x{address:x}" if address else "nullptr"


def _refused(bench, story: str, **call) -> Finding | None:
    """What is wrong if a call that must be refused is not: launched all the same, or called a success."""
    reply = _call(bench, **call)
    if isinstance(reply, Finding):
        return reply
    if reply["launches"]:
        return failed(f"{story}: enqueue launched the kernel all the same. Check before the launch.")
    if reply["status"] == 0:
        return failed(f"{story}: enqueue returned 0, and the host takes that for success.")
    return None


def _launches(bench, rng) -> Finding:
    sent = {
        "x": int(rng.integers(1, 99)) * 512,
        "y": int(rng.integers(100, 199)) * 512,
        "n": int(rng.integers(1, 2**40)),
    }
    sent["stream"] = int(rng.integers(1, 99)) * 16
    reply = _call(bench, **sent)
    if isinstance(reply, Finding):
        return reply
    if reply["launches"] != 1:
        return failed(f"A good call made {reply['launches']} launches; one is needed.")
    for name in ("x", "y", "n"):
        if reply[name] != sent[name]:
            return failed(f"The launch got {name} = {reply[name]}; enqueue was called with {sent[name]}.")
    if reply["status"]:
        return failed(f"The launch succeeded, and enqueue returned {reply['status']}; 0 is success.")
    return passed("one launch, with what enqueue was given")


def _on_stream(bench, rng) -> Finding:
    stream = int(rng.integers(1, 99)) * 16
    reply = _call(bench, x=512, y=1024, n=8, stream=stream)
    if isinstance(reply, Finding):
        return reply
    if reply["stream"] != stream:
        return failed(
            "The launch went to another stream than the one that enqueue was given: it no longer "
            "waits for the "
            "layer before, nor the next layer for it."
        )
    return passed("launched on the given stream")


def _null(bench, rng) -> Finding:
    for x, y in ((0, 1024), (512, 0), (0, 0)):
        story = f"x = {_pointer(x)}, y = {_pointer(y)}, n = 8"
        if problem := _refused(bench, story, x=x, y=y, n=8):
            return problem
    return passed("null pointers are refused with a status")


def _negative(bench, rng) -> Finding:
    for n in (-1, -(2**40)):
        if problem := _refused(bench, f"n = {n}", x=512, y=1024, n=n):
            return problem
    return passed("a negative size is refused with a status")


def _empty(bench, rng) -> Finding:
    for x, y in ((512, 1024), (0, 0)):
        reply = _call(bench, x=x, y=y, n=0)
        if isinstance(reply, Finding):
            return reply
        if reply["launches"]:
            return failed(
                "n = 0: enqueue launched a grid without a block; CUDA answers that with error 9, "
                "cudaErrorInvalidConfiguration."
            )
        if reply["status"]:
            return failed(
                f"n = 0, x = {_pointer(x)}: enqueue returned {reply['status']}. An empty tensor is "
                "nothing to "
                "do, not a failure, and its pointers may be null."
            )
    return passed("an empty tensor is success without a launch")


def _propagated(bench, rng) -> Finding:
    for code in (9, 700, int(rng.integers(1, 999))):
        reply = _call(bench, x=512, y=1024, n=8, answer=code)
        if isinstance(reply, Finding):
            return reply
        if reply["status"] == 0:
            return failed(
                f"The launch returned error {code}, and enqueue returned 0: the host goes on with an "
                "output that "
                "nobody wrote."
            )
    return passed("a failing launch becomes a failing enqueue")


PLAN = HostPlan(
    package="grader.exercises.ch00_warm_up",
    harness=(HARNESS, "launch.h"),
    group="status",
    checks=(
        Check(
            id="launches",
            misconception="success-inverted",
            group="status",
            run=_launches,
            seeded=True,
            source=ENQUEUE,
            sentence="A good call launches once, passes its arguments on and returns 0.",
        ),
        Check(
            id="on-stream",
            misconception="default-stream",
            group="status",
            run=_on_stream,
            needs=("launches",),
            source=ENQUEUE,
            sentence="The launch is on the stream that enqueue was given.",
        ),
        Check(
            id="propagated",
            misconception="status-ignored",
            group="status",
            run=_propagated,
            needs=("launches",),
            source=LAUNCH,
            sentence="Where the launch fails, enqueue fails.",
        ),
        Check(
            id="null",
            misconception="assert-on-input",
            group="inputs",
            run=_null,
            source=ENQUEUE,
            sentence="A null pointer with something to do is a failure that is returned.",
        ),
        Check(
            id="negative",
            misconception="size-unchecked",
            group="inputs",
            run=_negative,
            source=ENQUEUE,
            sentence="A negative size is refused before the launch.",
        ),
        Check(
            id="empty",
            misconception="empty-is-error",
            group="inputs",
            run=_empty,
            source=LAUNCH,
            sentence="n = 0 is success without a launch, whatever the pointers are.",
        ),
    ),
)
