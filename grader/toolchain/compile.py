"""One request to the compile child, its reply checked: what reads a learner's source is not believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.sandbox import Limits, python_child, run
from grader.toolchain.locate import Nvrtc, supplied_include
from grader.verdict import State

COMPILE_LIMITS = Limits(wall_seconds=20.0, memory_bytes=2 << 30, reply_bytes=128 << 20)


@dataclass(frozen=True, kw_only=True)
class Reply:
    """``state`` is ``PASS`` when the child answered; ``ok`` when the compiler was content."""

    state: State
    ok: bool = False
    result: str = ""
    log: str = ""
    blob: bytes = b""
    message: str = ""
    facts: dict = field(default_factory=dict)  # the answer as it came: what else is in it is not checked


def ask(
    job: str, files: Mapping[str, bytes], limits: Limits, *, module: str = "grader.toolchain.child",
    reads: Sequence[str | Path] = (), warm: dict | None = None, **request,
) -> Reply:  # fmt: skip
    """Have a compile child do a job. ``reads`` and ``warm`` as for ``sandbox.run``; the rest is the job's."""
    header = {"job": job, "files": [[name, len(data)] for name, data in files.items()], **request}
    payload = b"".join(files.values())
    outcome = run(python_child(module), header=header, payload=payload, limits=limits, reads=reads, warm=warm)
    if outcome.state is not State.PASS:
        return Reply(state=_state(outcome.state), log=outcome.stderr, message=_sentence(outcome))
    reply = outcome.header or {}
    if not (isinstance(reply.get("ok"), bool) and all(isinstance(reply.get(key), str) for key in ("result", "log"))):
        return Reply(state=State.GRADER_FAULT, message="The compile process gave an answer that makes no sense.")
    if reply["result"] == "unavailable":
        return Reply(
            state=State.UNSUPPORTED_HERE,
            log=reply["log"],
            message=f"The compiler does not start: {reply['log']}.",
        )
    return Reply(
        state=State.PASS, ok=reply["ok"], result=reply["result"], log=reply["log"], blob=outcome.payload, facts=reply
    )


def _state(state: State) -> State:
    """A compile process that fails by itself is no fault of the source, as far as anyone can tell."""
    return State.GRADER_FAULT if state is State.ERROR else state


def _sentence(outcome) -> str:
    why = outcome.stderr.strip().splitlines()[-1:] if outcome.state is State.ERROR else []
    what = f"The compiler {outcome.message}{': ' if why else ''}{''.join(why)}."
    if outcome.state in (State.TIMEOUT, State.OUT_OF_MEMORY):
        return f"{what} Look for a template, a macro or an array that grows without end."
    if outcome.state is State.CRASH:
        return f"{what} That is a defect of the compiler; a construct in your latest change sets it off."
    return what


def ask_nvrtc(job: str, nvrtc: Nvrtc, files: Mapping[str, bytes], limits: Limits, **request) -> Reply:
    """Have NVRTC do a job, in a child that is warm where children may be."""
    libraries = {"library": str(nvrtc.library), "builtins": str(nvrtc.builtins) if nvrtc.builtins else None}
    reads = [nvrtc.library.parent, nvrtc.include, supplied_include()]
    module = "grader.toolchain.nvrtc_child"
    return ask(job, files, limits, module=module, reads=reads, warm=libraries, **libraries, **request)
