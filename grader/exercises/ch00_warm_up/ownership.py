"""ownership: device memory is given back once, by the object that owns it, and never shared by copies."""

from __future__ import annotations

import dataclasses

from grader.checks import Check, Finding, failed, passed
from grader.exercises.host import HostPlan

HARNESS = "ownership.cpp"
FREE = "CUDA 13.0 cuda_runtime_api.h, cudaFree: an error if already called for this pointer; 0 does nothing"
RULE = (
    "C++17 [class.copy.ctor], [class.copy.assign]: the default copies each member; C++ Core Guidelines, C.21"
)
HELD = {
    "uninitialised": "memory that nobody has written",
    "given back": "memory that was already given back",
    "no device memory": "no memory on the device",
    "too little memory": "memory that is too small, or not the start of a block",
    "no clone": "nothing: clone() returned null",
}


def _values(rng, count: int) -> str:
    """Weights as text; quarters, none of them 0."""
    return " ".join(f"{k / 4:g}" for k in rng.integers(1, 33, count))


# What the harness tells at the end of every story, and of each.
BOOKS = dict.fromkeys(("allocations", "frees", "live", "freed_twice", "freed_unknown", "bad_copies"), int)
STORIES = {
    "one": {"made": str},
    "clone": {"cloned": str, "after_change": str, "after_delete": str},
    "assign": {"allowed": int, "held": str},
    "self": {"allowed": int, "held": str},
    "move": {"allowed": int, "held": str},
}


def _play(bench, story: str, values: str) -> dict | Finding:
    """Let the harness play a story with these weights; a crash is told with its likely reason."""
    reply = bench.run(HARNESS, f"{story} {values}", fields={**STORIES[story], **BOOKS})
    if isinstance(reply, Finding) and reply.detail.get("signal") in ("SIGSEGV", "SIGBUS"):
        reason = (
            "A device pointer cannot be followed on the host, as in mWeights[k]: deviceCopy moves the values."
        )
        return dataclasses.replace(reply, message=f"{reply.message} {reason}")
    return reply


def _balance(reply: dict, story: str) -> Finding | None:
    """What is wrong with the device's books at the end of a story, if anything."""
    if reply["freed_twice"]:
        return failed(
            f"{story}: the same memory was given back twice. On a GPU the second cudaFree is an error, or "
            "frees what has meanwhile become somebody else's.",
            books=reply,
        )
    if reply["freed_unknown"]:
        return failed(f"{story}: deviceFree got an address that deviceAlloc never gave out.", books=reply)
    if reply["live"]:
        return failed(
            f"{story}: {_never_freed(reply['live'], reply['allocations'])} never given back.",
            books=reply,
        )
    if reply["bad_copies"]:
        return failed(f"{story}: deviceCopy was given memory that is gone, null or too small.", books=reply)
    return None


def _never_freed(live: int, allocations: int) -> str:
    if allocations == 1:
        return "the only allocation was"
    return f"{live} of {allocations} allocations {'was' if live == 1 else 'were'}"


def _destroyed(bench, rng) -> Finding:
    values = _values(rng, 3)
    reply = _play(bench, "one", values)
    if isinstance(reply, Finding):
        return reply
    if reply["made"] != values:
        return failed(f"A layer made from {values} holds {HELD.get(reply['made'], reply['made'])}.")
    return _balance(reply, "One layer made and destroyed") or passed("what was taken is given back")


def _clone_own(bench, rng) -> Finding:
    values = _values(rng, int(rng.integers(3, 7)))
    reply = _play(bench, "clone", values)
    if isinstance(reply, Finding):
        return reply
    moments = (
        ("cloned", "The clone of a layer with the weights {values} holds {held}."),
        (
            "after_change",
            "The original's weights were overwritten, and the clone's changed with them: both hold the same "
            "memory. Expected {values}, found {held}.",
        ),
        ("after_delete", "The original was destroyed, and the clone is left with {held}; expected {values}."),
    )
    for moment, words in moments:
        if reply[moment] != values:
            return failed(words.format(values=values, held=HELD.get(reply[moment], reply[moment])))
    return passed("the clone has the same weights in memory of its own")


def _clone_freed(bench, rng) -> Finding:
    reply = _play(bench, "clone", _values(rng, 4))
    if isinstance(reply, Finding):
        return reply
    return _balance(reply, "A layer and its clone, both destroyed") or passed("two allocations, two frees")


def _assigned(bench, rng) -> Finding:
    values = _values(rng, 4)
    for story, words in (("assign", "`a = b`, then both destroyed"), ("self", "`a = a`, then destroyed")):
        reply = _play(bench, story, values)
        if isinstance(reply, Finding):
            return reply
        if problem := _balance(reply, words):
            return problem
        if reply["allowed"] and reply["held"] != values:
            return failed(f"{words}: a holds {HELD.get(reply['held'], reply['held'])}, expected {values}.")
    return passed(
        "assignment is right" if reply["allowed"] else "assignment is forbidden, and the compiler says so"
    )


def _moved(bench, rng) -> Finding:
    values = _values(rng, 4)
    reply = _play(bench, "move", values)
    if isinstance(reply, Finding):
        return reply
    if problem := _balance(reply, "`WeightsLayer b(std::move(a))`, then both destroyed"):
        return problem
    if reply["allowed"] and reply["held"] != values:
        return failed(
            f"After `WeightsLayer b(std::move(a))`, b holds {HELD.get(reply['held'], reply['held'])}."
        )
    return passed("moving is right" if reply["allowed"] else "moving is forbidden, and the compiler says so")


PLAN = HostPlan(
    package="grader.exercises.ch00_warm_up",
    harness=(HARNESS, "device.h"),
    group="freed-once",
    checks=(
        Check(
            id="destroyed",
            misconception="leak",
            group="freed-once",
            run=_destroyed,
            source=FREE,
            sentence="A layer that is destroyed gives its memory back, once.",
        ),
        Check(
            id="clone-own",
            misconception="shared-buffer",
            group="deep-copy",
            run=_clone_own,
            seeded=True,
            source=RULE,
            sentence="A clone has memory of its own, with the same weights in it.",
        ),
        Check(
            id="clone-freed",
            misconception="copy-unbalanced",
            group="deep-copy",
            run=_clone_freed,
            needs=("destroyed",),
            source=FREE,
            sentence="A layer and its clone give back two pieces of memory, each once.",
        ),
        Check(
            id="assigned",
            misconception="assignment-forgotten",
            group="freed-once",
            run=_assigned,
            needs=("clone-own", "clone-freed"),
            source=RULE,
            sentence="Assignment is forbidden, or gives the old memory back and copies deeply.",
        ),
        Check(
            id="moved",
            misconception="move-keeps-pointer",
            group="freed-once",
            run=_moved,
            needs=("clone-own", "clone-freed"),
            source=RULE,
            sentence="Where a layer can be moved, only one of the two gives the memory back.",
        ),
    ),
)
