"""Those who do the tasks: workers on this machine. (`dask_crew.py`: on others.)

A crew is given tasks and gives answers back as they are done, in any order. It never raises for what a task does to a
worker: one that dies, or hangs beyond what the task can take, costs a retry, then a sentence in place of the answer.
Whoever keeps a crew asks for `room` first, so that few tasks are in memory at a time.
"""

from __future__ import annotations

import os
import queue
import shutil
import sys
import tempfile
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from grader.classroom import material
from grader.classroom.task import Answer, Task
from grader.sandbox import Child, ChildEnded, Limits
from grader.toolchain import cache_folder

TASKS_A_WORKER = 200  # then a fresh one takes its place, so that no leak of any library grows for ever
TRIES = 2  # of a task with one exercise. One with more is tried once, since the batch then has each done by itself
COMMAND: tuple[str, ...] = (sys.executable, "-I", "-m", "grader.classroom.worker")


@dataclass(frozen=True)
class Done:
    """A task that is over. `answer` is None where no worker could do it; `problem` says why, as a sentence."""

    name: str
    answer: Answer | None
    problem: str = ""


class Crew(ABC):
    """Used by one thread; leaving its ``with`` closes it."""

    @property
    @abstractmethod
    def room(self) -> int:
        """How many more tasks it takes now: enough that no worker waits, no more."""

    @property
    @abstractmethod
    def pending(self) -> int:
        """How many tasks were submitted and not yet returned by `wait`."""

    @abstractmethod
    def submit(self, name: str, task: Task) -> None:
        """Have a task done. `name` comes back with the answer; it is not shown to the workers."""

    @abstractmethod
    def wait(self) -> Done:
        """The next task that is over. Only while some are pending. `KeyboardInterrupt` passes through."""

    @abstractmethod
    def close(self) -> None:
        """Stop what is under way, and leave no process behind."""

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_) -> None:
        self.close()


class LocalCrew(Crew):
    """Worker processes on this machine. A thread each talks to one worker, starts it and replaces it."""

    def __init__(self, jobs: int, *, command: Sequence[str] | None = None):
        """`jobs` workers; they start with their first task."""
        self._jobs, self._pending, self._closed = jobs, 0, False
        self._command = list(command or COMMAND)
        self._temporary = tempfile.mkdtemp(prefix="grader-")
        os.chmod(self._temporary, 0o711)  # confined children of other users pass through, and cannot look round
        self._tasks: queue.SimpleQueue[tuple[str, Task] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[Done] = queue.SimpleQueue()
        self._workers: dict[int, Child] = {}
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._serve, args=(number,), name=f"worker {number}", daemon=True)
            for number in range(jobs)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def room(self) -> int:
        return 2 * self._jobs - self._pending  # one under way and one that waits, a worker

    @property
    def pending(self) -> int:
        return self._pending

    def submit(self, name: str, task: Task) -> None:
        self._pending += 1
        self._tasks.put((name, task))

    def wait(self) -> Done:
        done = self._done.get()
        self._pending -= 1
        return done

    def close(self) -> None:
        with self._lock:
            self._closed = True
            workers = list(self._workers.values())
        for _ in self._threads:
            self._tasks.put(None)
        closing = [threading.Thread(target=worker.close) for worker in workers]
        for thread in closing:
            thread.start()
        for thread in (*closing, *self._threads):
            thread.join()
        shutil.rmtree(self._temporary, ignore_errors=True)

    # What follows runs in the threads.

    def _serve(self, number: int) -> None:
        done = 0
        while (item := self._tasks.get()) is not None and not self._closed:
            name, task = item
            try:
                answer, problem = self._do(number, task)
            except Exception as unforeseen:  # of ours: the one who waits must hear of it
                answer, problem = None, f"{type(unforeseen).__name__}: {unforeseen}"
            done += 1
            if done % TASKS_A_WORKER == 0:
                self._dismiss(number)
            self._done.put(Done(name, answer, problem))
        self._dismiss(number)

    def _do(self, number: int, task: Task) -> tuple[Answer | None, str]:
        problem, text, seconds = "", task.to_bytes(), patience(task)
        for _ in range(TRIES if len(task.exercises) == 1 else 1):
            if self._closed:
                break
            try:
                _, answer = self._worker(number).call({}, text, wall_seconds=seconds)
                return Answer.from_bytes(answer), ""
            except ChildEnded as ended:
                told = ended.outcome.stderr.strip().splitlines()[-1:]
                problem = " ".join([f"The process that judged it {ended.outcome.message}.", *told])
            except ValueError as malformed:
                problem = f"The process that judged it gave no sound answer: {malformed}."
            self._dismiss(number)
        return None, problem

    def _worker(self, number: int) -> Child:
        if (worker := self._workers.get(number)) is None or worker.outcome:
            limits = Limits(memory_bytes=None, processes=None, file_bytes=None)  # its children have their own
            environment = {"TMPDIR": self._temporary, "GRADER_CACHE": str(cache_folder())}
            worker = Child(self._command, limits=limits, env=environment)
            with self._lock:
                self._workers[number] = worker
        return worker

    def _dismiss(self, number: int) -> None:
        with self._lock:
            worker = self._workers.pop(number, None)
        if worker:
            worker.close()


def local(jobs: int) -> Crew:
    """The crew that grades on this machine; the one place where tests put another."""
    return LocalCrew(jobs)


def patience(task: Task) -> float:
    """Seconds after which a worker that has not answered hangs: far beyond what the slowest submission can take."""
    exercises = {exercise.slug: exercise for exercise in material.chapter(task.chapter).exercises}
    return 60 + sum(material.patience(exercises[slug]) for slug in task.exercises)


def default_jobs() -> int:
    """One worker for each processor that this process may use."""
    return len(os.sched_getaffinity(0))
