"""Judges many answers in worker processes; what was found is kept by content: a proof can be resumed."""

from __future__ import annotations

import multiprocessing
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from grader.proof.code import compiled_code
from grader.toolchain.cache import Cache, key_of
from grader.verdict import State, Verdict

Check = Callable[..., Verdict]  # `grader.exercises.check`, or a stand-in in tests
CodeOf = Callable[[str, str, Mapping[str, bytes]], str | None]  # slug, kind, files


@dataclass(frozen=True)
class Task:
    """One answer to judge. `same_as` is the code of the solution: an answer with the same code is not run."""

    slug: str
    kind: str  # of the exercise: "kernel", "cpp", "python" or "plugin"
    files: dict[str, bytes]
    seed: int | None = None  # hidden cases too
    same_as: str | None = None


@dataclass(frozen=True)
class Result:
    """A verdict cut down to what proofs look at: per check its state, message, misconception, and more."""

    state: str
    failed: dict[str, dict[str, Any]]  # checks that ran and did not pass
    blocked: dict[str, dict[str, Any]]
    passed: dict[str, dict[str, Any]]
    same_code: bool = False  # compiled to the solution's own code: equivalent for certain

    @property
    def fleeting(self) -> bool:
        """Whether a busy or small machine may be the reason: such a result is not kept."""
        states = {self.state, *(found["state"] for found in self.failed.values())}
        return bool(states & {State.GRADER_FAULT, State.TIMEOUT, State.OUT_OF_MEMORY, State.UNSUPPORTED_HERE})

    @property
    def checks(self) -> dict[str, dict[str, Any]]:
        return {**self.passed, **self.blocked, **self.failed}


class Judge:
    """`many` judges a list of tasks. A context manager: leaving it ends the workers.

    `jobs` of 0 judges in this process. A worker imports the code that judges once; so workers are made anew
    where that code has changed, and what they found while it changed is not kept.
    """

    def __init__(self, check: Check | None = None, code_of: CodeOf | None = None, *, jobs: int = 2, keep: bool = True):
        self.check, self.code_of, self.jobs = check, code_of, jobs
        self.cache = Cache("proof") if keep else None
        self.pool: ProcessPoolExecutor | None = None
        self.pool_salt = ""
        self.judged = self.recalled = 0

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *_) -> None:
        self._end_workers()

    def many(
        self,
        tasks: list[Task],
        salt_of: Callable[[], str],
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Result]:
        """The results in order; `salt_of` hashes all but the answer that a verdict depends on, as of now."""
        salt = salt_of()
        keys = [key_of(salt, asdict(task)) for task in tasks]
        results: dict[int, Result] = {}
        for at, key in enumerate(keys):
            if self.cache and (entry := self.cache.get(key)):
                results[at] = Result(**entry[0])
        self.recalled += len(results)
        waiting = [at for at in range(len(tasks)) if at not in results]
        for at, result in self._run(waiting, tasks, salt):
            results[at] = result
            self.judged += 1
            if self.cache and not result.fleeting and salt_of() == salt:
                self.cache.put(keys[at], asdict(result), b"")
            if progress:
                progress(len(results), len(tasks))
        return [results[at] for at in range(len(tasks))]

    def _run(self, waiting: list[int], tasks: list[Task], salt: str) -> Iterator[tuple[int, Result]]:
        if not self.jobs:
            yield from ((at, judge(tasks[at], self.check, self.code_of)) for at in waiting)
            return
        if salt != self.pool_salt:
            self._end_workers()
        if self.pool is None:
            self.pool = ProcessPoolExecutor(self.jobs, mp_context=multiprocessing.get_context("spawn"))
            self.pool_salt = salt
        futures: dict[Future, int] = {
            self.pool.submit(judge, tasks[at], self.check, self.code_of): at for at in waiting
        }
        for future in as_completed(futures):
            yield futures[future], future.result()

    def _end_workers(self) -> None:
        if self.pool:
            self.pool.shutdown(cancel_futures=True)
        self.pool = None


def judge(task: Task, check: Check | None = None, code_of: CodeOf | None = None) -> Result:
    """Judge one answer. What goes wrong in the judging code is a grader fault, its error the message."""
    try:
        return _judge(task, check, code_of)
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        fault = {"state": State.GRADER_FAULT, "message": message, "misconception": None, "hidden": False}
        return Result(State.GRADER_FAULT, {"(grader)": fault}, {}, {})


def _judge(task: Task, check: Check | None, code_of: CodeOf | None) -> Result:
    if check is None:
        from grader.exercises import check
    if task.same_as is not None and (code_of or compiled_code)(task.slug, task.kind, task.files) == task.same_as:
        return Result(State.PASS, {}, {}, {}, same_code=True)
    with tempfile.TemporaryDirectory(prefix="proof-") as folder:
        cells = None
        if task.kind == "python":
            cells = {task.slug: next(iter(task.files.values())).decode()}
        else:
            for name, data in task.files.items():
                (Path(folder) / name).write_bytes(data)
        verdict = check(task.slug, Path(folder), seed=task.seed, hidden=task.seed is not None, cells=cells)
    parts: tuple[dict, dict, dict] = ({}, {}, {})  # failed, blocked, passed
    for found in verdict.checks:
        part = 2 if found.state is State.PASS else 1 if found.blocked_by else 0
        parts[part][found.check] = {
            "state": str(found.state),
            "message": found.message,
            "misconception": found.misconception,
            "hidden": found.hidden,
        }
    return Result(str(verdict.state), *parts)
