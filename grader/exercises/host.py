"""Exercises whose answer is host C++: a class or a function that a small harness drives in a run child."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from grader import sandbox, toolchain
from grader.checks import Check, Finding, failed, passed
from grader.exercises.submission import supplied_files
from grader.toolchain.library import lacking
from grader.toolchain.tensorrt import tensorrt_include
from grader.verdict import State

ENDED = {
    State.CRASH: "Your code crashed ({signal}) while the grader called it.",
    State.TIMEOUT: "Your code did not return in {seconds:.0f} s.",
    State.OUT_OF_MEMORY: "Your code needed too much memory.",
    State.ERROR: "Your code ended the process (exit code {code}) instead of returning.",
}
_INCLUDE = re.compile(rb'#\s*include\s*["<](?:\./)?([^">\n]+)[">]')
LONGEST_TEXT = 10_000  # characters
FORGED = "Your code wrote to the grader's private pipe. Leave file descriptors that you did not open alone."


class HostBench:
    """One answer in C++ with the harnesses that drive it. A context manager, as the other benches are."""

    def __init__(
        self,
        files: Mapping[str, bytes],
        harnesses: Mapping[str, bytes],
        limits: sandbox.Limits,
        flags: tuple[str, ...] = (),
    ):
        self.files, self.harnesses, self.limits, self.flags = dict(files), dict(harnesses), limits, flags
        self._programs: dict[str, toolchain.HostProgram] = {}

    def __enter__(self) -> HostBench:
        return self

    def __exit__(self, *_) -> None:
        pass

    def program(self, harness: str) -> toolchain.HostProgram:
        """The answer compiled with one harness file (its ``main``), once: those of its files that this one includes,
        so that a change of one file compiles, and can spoil, no program that is about another."""
        if harness not in self._programs:
            supplied = {n: b for n, b in self.harnesses.items() if n == harness or n.endswith(".h")}
            files = _reached(self.files, supplied[harness])
            source = toolchain.Source(files, next(iter(files)))
            self._programs[harness] = toolchain.compile_host(source, harness=supplied, flags=self.flags)
        return self._programs[harness]

    def run(self, harness: str, request: str = "", *, fields: Mapping[str, type]) -> dict | Finding:
        """What the harness reported, or the finding that says why there is none.

        ``fields``: what a report holds, and whether each is ``int`` or ``str``. The process runs the answer,
        so a report of another form is the answer's doing, not the grader's.
        """
        program = self.program(harness)
        if program.state is not State.PASS:
            return compile_finding(program)
        limits = self.limits
        command = [str(program.path)]
        outcome = sandbox.run(command, header={}, payload=request.encode(), limits=limits, reads=command)
        if outcome.state is State.TIMEOUT:  # once is enough to wait long for
            self.limits = dataclasses.replace(limits, wall_seconds=min(2.0, limits.wall_seconds))
        if outcome.state is State.PASS and outcome.header is not None:
            reply = outcome.header
            if reply.keys() == fields.keys() and all(_is(reply[name], kind) for name, kind in fields.items()):
                return reply
            return failed(FORGED, state=State.ERROR)
        state = State.ERROR if outcome.state is State.PASS else outcome.state
        words = ENDED.get(state, "Your code could not be run.")
        if state is State.ERROR and outcome.exit_code is None:  # stopped for what it did: too many processes, say
            words = f"Your code {outcome.message}."
        message = words.format(signal=outcome.signal, seconds=limits.wall_seconds, code=outcome.exit_code)
        if said := last_words(outcome.stderr):
            message += f" Its last words: “{said}”."
        return failed(message, state=state, signal=outcome.signal, stderr=outcome.stderr[-2000:])


def _reached(files: Mapping[str, bytes], harness: bytes) -> dict[str, bytes]:
    """The files that a harness includes, directly or not, and all units; all files where it includes none of them."""
    waiting = [harness, *(data for name, data in files.items() if not name.endswith((".h", ".hpp", ".cuh")))]
    reached = {name for name in files if not name.endswith((".h", ".hpp", ".cuh"))}
    while waiting:
        named = {name.decode("utf-8", "replace") for name in _INCLUDE.findall(waiting.pop())}
        more = {name for name in files if name in named} - reached
        reached |= more
        waiting += [files[name] for name in more]
    return {name: data for name, data in files.items() if name in reached} or dict(files)


def _is(value, kind: type) -> bool:
    """Whether it can be what a harness reports: a number of 64 bits, or a short text."""
    return type(value) is kind and (len(value) <= LONGEST_TEXT if kind is str else -(2**63) <= value < 2**64)


def last_words(stderr: str) -> str:
    """What a dying process said: an assert and an uncaught exception tell there what happened."""
    lines = [line.strip() for line in stderr.strip().splitlines()[-2:]]
    if len(lines) == 2 and not lines[1].startswith("what():"):
        del lines[0]
    return re.sub(r"^\S+\.bin: (answer/)?", "", " ".join(lines))[:200]  # assert starts with the program's name


def compile_finding(program) -> Finding:
    diagnostics = [dataclasses.asdict(d) for d in program.diagnostics]
    return failed(program.message or "The file does not compile.", state=program.state, diagnostics=diagnostics)


@dataclass(frozen=True, kw_only=True)
class HostPlan:
    """``harness`` names files in the chapter's ``harness`` folder; the first, with ``main``, must compile.

    ``flags`` are g++'s, beside those of ``toolchain.compile_host``. ``tensorrt``: all files may include TensorRT's
    headers, and the exercise needs the plugin lane. ``supplied``: files of the chapter's skeletons, or of the common
    kit ("common/status.h"), that the answer may include.
    """

    package: str  # "grader.exercises.ch00_warm_up"
    harness: tuple[str, ...]
    checks: tuple[Check, ...]
    group: str
    flags: tuple[str, ...] = ()
    tensorrt: bool = False
    supplied: tuple[str, ...] = ()

    def all_checks(self) -> tuple[Check, ...]:
        compiles = Check(
            id="compiles", misconception=None, group=self.group, run=self._compiles,
            sentence="The file compiles as C++17 and links with the code that calls it.",
        )  # fmt: skip
        return compiles, *(dataclasses.replace(c, needs=("compiles", *c.needs)) for c in self.checks)

    def bench(self, job) -> HostBench | Finding:
        files = job.files()
        if isinstance(files, Finding):
            return files
        folder = resources.files(self.package) / "harness"
        harnesses = {name: (folder / name).read_bytes() for name in self.harness}
        harnesses["report.h"] = (resources.files("grader.exercises") / "harness" / "report.h").read_bytes()
        supplied = supplied_files(self.supplied, job.exercise.chapter)
        if isinstance(supplied, Finding):
            return supplied
        headers = tensorrt_include() if self.tensorrt else None
        if self.tensorrt and headers is None:
            return failed(lacking("TensorRT's headers were"), state=State.UNSUPPORTED_HERE)
        flags = (*self.flags, *(("-isystem", str(headers)) if headers else ()))
        limits = sandbox.Limits(wall_seconds=job.exercise.wall_seconds, memory_bytes=1 << 30, reply_bytes=0)
        return HostBench(files | supplied, harnesses, limits, flags)

    def _compiles(self, bench: HostBench, rng) -> Finding:
        program = bench.program(self.harness[0])
        if program.state is State.PASS:
            return passed(diagnostics=[dataclasses.asdict(d) for d in program.diagnostics])
        return compile_finding(program)
