"""Exercises whose answer is one self-contained Python cell."""

from __future__ import annotations

from dataclasses import dataclass

from grader import sandbox
from grader.checks import Check, Finding, failed, passed
from grader.sandbox import plain
from grader.verdict import State

LARGEST_CELL = 1 << 20  # characters; beyond some, a cell does not fit into a frame
LONGEST_ERROR = 2000  # characters
LARGEST_REPLY = 128 << 20  # bytes of arrays
ENDED = {
    State.CRASH: "The cell crashed the Python process ({signal}).",
    State.TIMEOUT: "The cell did not finish in {seconds:.0f} s.",
    State.OUT_OF_MEMORY: "The cell needed too much memory.",
    State.ERROR: "The cell ended its Python process before it answered.",
}


class PythonBench:
    """Runs functions of one cell, each call batch in a fresh child. A context manager for symmetry with the others."""

    def __init__(self, source: str, limits: sandbox.Limits, through: str | None = None):
        self.source, self.limits, self.through = source, limits, through

    def __enter__(self) -> PythonBench:
        return self

    def __exit__(self, *_) -> None:
        pass

    def call(self, function: str, *argument_lists: tuple) -> list | Finding:
        """What ``function`` returns for each tuple of plain arguments, or the finding that says why not."""
        structure, payload = plain.encode(list(argument_lists))
        header = {"source": self.source, "function": function, "calls": structure, "through": self.through}
        outcome = sandbox.run(
            sandbox.python_child("grader.exercises.python_child"), header=header, payload=payload, limits=self.limits,
            warm={},
        )  # fmt: skip
        reply = outcome.header
        if outcome.state in (State.CRASH, State.TIMEOUT, State.OUT_OF_MEMORY) or reply is None:
            state = State.ERROR if outcome.state is State.PASS else outcome.state
            words = ENDED.get(state, "The cell could not be run.")
            return failed(words.format(signal=outcome.signal, seconds=self.limits.wall_seconds), state=state)
        if "values" not in reply:
            line = reply.get("line") if type(reply.get("line")) is int else None
            where = f" (line {line} of the cell)" if line is not None else ""
            error = reply.get("error")  # as the child sends it, or whatever the cell sent in its place
            words = error[:LONGEST_ERROR] if type(error) is str else "The cell failed."
            return failed(f"{words}{where}", state=State.ERROR, source_line=line)
        try:
            values = plain.decode(reply["values"], outcome.payload)
        except ValueError as error:
            return failed(f"{function} must return plain Python values and NumPy arrays: {error}.", state=State.ERROR)
        if not isinstance(values, list) or len(values) != len(argument_lists):
            return failed(f"{function} did not answer every call.", state=State.ERROR)
        return values


@dataclass(frozen=True, kw_only=True)
class PythonPlan:
    """``checks`` run after ``defines``: the cell parses and defines ``function``. ``group`` owns that check.

    ``through``: a module of ``grader.exercises.adapters``, whose ``call(function, *arguments)`` stands between the
    plain arguments of ``PythonBench.call`` and what the function takes and returns, such as a graph.
    """

    function: str
    checks: tuple[Check, ...]
    group: str
    through: str | None = None

    def all_checks(self) -> tuple[Check, ...]:
        defines = Check(
            id="defines", misconception=None, group=self.group, run=lambda bench, rng: _defines(bench, self.function),
            sentence=f"The cell is valid Python and defines {self.function}().",
        )  # fmt: skip
        return defines, *self.checks

    def bench(self, job) -> PythonBench | Finding:
        source = job.cell()
        if isinstance(source, Finding):
            return source
        if len(source) > LARGEST_CELL:
            return failed(
                f"The answer cell is larger than {LARGEST_CELL >> 20} MB: it cannot be an answer.", state=State.ERROR
            )
        limits = sandbox.Limits(wall_seconds=job.exercise.wall_seconds, memory_bytes=1 << 30, reply_bytes=LARGEST_REPLY)
        return PythonBench(source, limits, self.through)


def _defines(bench: PythonBench, function: str) -> Finding:
    """Tried in the child: a strange enough text ends the process that parses it."""
    values = bench.call(function)
    return values if isinstance(values, Finding) else passed()
