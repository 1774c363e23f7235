"""Why a plugin process ended, from what the host's handlers wrote on stderr (``host/crash.cpp``)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.sandbox import Outcome
from grader.verdict import State

_FAULT = re.compile(r"^grader-host: fault ([0-9a-f]+) (device|past-end (\d+) (\d+) (.*)|over (.*)|other)$", re.M)
_EXCEPTION = re.compile(r"^grader-host: exception (.*)$", re.M)
_NO_CHANNEL = 71  # host/main.cpp
_FORGED = " A plugin leaves alone what it did not open: the descriptors of the process are the host's."
_PROGRAM = re.compile(r"^host-[0-9a-f]+: ")  # assert() begins with the program's name
# What is read when these have returned; a list that is gone by then crashes the reader.
_LISTS = {"getFieldsToSerialize": "the plugin", "getFieldNames": "the creator"}
_LONGEST = 240  # characters of the plugin's own last line that are shown


@dataclass(frozen=True)
class LastWords:
    """``kind``: "device" (the host touched device memory), "past-end" (of what was lent to the call), "over" (what was
    lent was used after the call), "exception" (left a noexcept function), "crash", "exit", "timeout", "memory",
    "stopped" (for a forged answer, a closed channel, processes without end)."""

    kind: str
    sentence: str
    address: int | None = None
    what: str = ""  # "the input descriptors", "a field's data"; the exception


def last_words(outcome: Outcome, method: str) -> LastWords:
    """``method``: what was being called, as in ``enqueue``. The sentence is for learners."""
    call = f"{method}()" if re.fullmatch(r"\w+", method) else method
    if outcome.state is State.TIMEOUT:
        return LastWords("timeout", f"{call} did not return.")
    if outcome.state is State.OUT_OF_MEMORY:
        return LastWords("memory", f"{call} needed too much memory.")
    if outcome.state is State.ERROR and outcome.exit_code is None:  # it was stopped, and the message says why
        hint = _FORGED if "answer" in outcome.message else ""
        return LastWords("stopped", f"In {call} the plugin process {outcome.message}.{hint}")
    if outcome.exit_code == _NO_CHANNEL:
        return LastWords("stopped", f"In {call} the plugin process lost its channel to the grader.{_FORGED}")
    if outcome.state is not State.CRASH:
        code = f" with exit code {outcome.exit_code}" if outcome.exit_code is not None else ""
        return LastWords(
            "exit", f"The process ended{code} in {call}: a plugin returns a status and never ends the process."
        )
    if exceptions := _EXCEPTION.findall(outcome.stderr):
        what = exceptions[-1]
        sentence = (
            f"An exception left {call}, which is noexcept, so the process ended: {what}. Catch it and return a status."
        )
        return LastWords("exception", sentence, what=what)
    if not (faults := list(_FAULT.finditer(outcome.stderr))):
        return LastWords("crash", f"The process was ended by {outcome.signal} in {call}{_own_words(outcome)}.")
    return _fault(faults[-1], call)


def _own_words(outcome: Outcome) -> str:
    """What the plugin wrote last, as an assertion or a macro that aborts does; only after an abort."""
    lines = [line.strip() for line in outcome.stderr.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("grader-host:")]
    own = [_PROGRAM.sub("", line)[:_LONGEST].rstrip(".") for line in lines[-1:]]
    return f", which wrote: {own[0]}" if own and outcome.signal == "SIGABRT" else ""


def _fault(fault: re.Match, call: str) -> LastWords:
    address = int(fault[1], 16)
    if fault[2] == "device":
        sentence = f"{call} touched device memory on the host, at {address:#x}: only kernels and CUDA's copies may."
        return LastWords("device", sentence, address)
    if fault[6]:
        sentence = (
            f"{call} used {fault[6]} of an earlier call: TensorRT takes it away when the call returns, so copy it."
        )
        return LastWords("over", sentence, address, fault[6])
    if fault[5]:
        sentence = f"{call} went past the end of {fault[5]}: byte {fault[3]} of {fault[4]}, counted from 0."
        return LastWords("past-end", sentence, address, fault[5])
    where = "a null pointer" if address < 4096 else f"an address that is not its own, {address:#x}"
    if owner := _LISTS.get(call.removesuffix("()")):
        sentence = (
            f"{call}, or reading what it returned, crashed: {where} was used. The list and all that it points to must "
            f"still be there when the method has returned: keep them in members of {owner}, of this very object."
        )
        return LastWords("crash", sentence, address)
    return LastWords("crash", f"{call} crashed: it used {where}.", address)
