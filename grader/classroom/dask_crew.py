"""A crew on other machines: tasks go to the workers of a Dask scheduler, answers come back.

Dask brings the bytes there and tells who is alive. Who gets which task is decided here, two at a time for each worker,
so that it is known what a worker was doing when it died: then its tasks are tried again, each alone on a worker, and
one that two workers died with alone is given up.
"""

from __future__ import annotations

import hashlib
import logging
import queue
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from distributed import Client, Future

from grader.classroom import dask_worker
from grader.classroom.crew import Crew, Done
from grader.classroom.errors import ClassroomError, Stopped
from grader.classroom.task import Answer, Task
from grader.classroom.workers import scheduler_address

DEPTH = 2  # tasks at a worker: one that it does, one that it finds when that is done
DEATHS = 2  # of workers that had this task alone
LOOK = 1.0  # seconds between two looks at who is there
CONNECT = 10.0  # seconds to reach the scheduler
FIRST = 30.0  # seconds to wait for a first worker
AGAIN = 600.0  # and for another one, when all are gone

log = logging.getLogger(__name__)


@dataclass(eq=False)
class _Job:
    name: str
    task: Task
    suspect: bool = False  # a worker died with it, so that it has the next one for itself
    deaths: int = 0  # of workers that it had for itself
    future: Future | None = None


@dataclass(eq=False)
class _Worker:
    address: str
    host: str
    gpu: bool
    kind: str | None  # of confinement
    jobs: list[_Job] = field(default_factory=list)

    def takes(self, job: _Job) -> bool:
        if job.task.gpu and not self.gpu:
            return False
        alone = job.suspect or any(other.suspect for other in self.jobs)
        return len(self.jobs) < (1 if alone else DEPTH)


class DaskCrew(Crew):
    """The workers of the scheduler at `address`, as many as come, for as long as they stay.

    `confine`: "auto" for what each worker can, one kind that each must be able to, or None: submissions are trusted.
    `say` hears, in sentences, of workers that are refused or gone and of what is waited for. `ClassroomError` where no
    scheduler or no fit worker is there; `Stopped` from `wait` where they are lost for good.
    """

    def __init__(self, address: str, *, confine: str | None, say: Callable[[str], None] = log.warning):
        self._address, self._confine, self._say = address, confine, say
        self._waiting: deque[_Job] = deque()
        self._sent: dict[str, tuple[_Job, _Worker]] = {}  # by Dask's key
        self._ended: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._workers: dict[str, _Worker] = {}
        self._refused: dict[str, str] = {}  # address -> why
        self._said: set[str] = set()
        self._over: deque[Done] = deque()
        self._client = _connect(address)
        try:
            began = self._looked = self._had_workers = time.monotonic()
            self._look()
            while not self._workers and not self._refused and time.monotonic() < began + FIRST:
                time.sleep(LOOK / 4)
                self._look()
            if not self._workers:
                why = "\n".join(self._refused.values()) or "no worker has come to it"
                raise ClassroomError(f"the Dask scheduler at {address} has no worker that can grade: {why}")
        except BaseException:
            self.close()
            raise

    @property
    def room(self) -> int:
        return DEPTH * max(1, len(self._workers)) - self.pending

    @property
    def pending(self) -> int:
        return len(self._waiting) + len(self._sent) + len(self._over)

    def submit(self, name: str, task: Task) -> None:
        self._waiting.append(_Job(name, task))
        self._send()

    def wait(self) -> Done:
        while not self._over:
            try:
                self._end(self._ended.get(timeout=LOOK))
            except queue.Empty:
                pass
            if time.monotonic() > self._looked + LOOK:
                self._look()
            self._send()
        return self._over.popleft()

    def close(self) -> None:
        """What workers are doing at this moment they finish, and nobody hears of it."""
        futures = [job.future for job, _ in self._sent.values()]
        self._sent.clear()
        try:
            if futures and self._client.status == "running":
                self._client.cancel(futures)
        finally:
            self._client.close(timeout=5)

    def _send(self) -> None:
        """Give waiting tasks to workers that have room for them, the least busy first."""
        if self._client.status != "running":
            return  # `wait` will tell
        for _ in range(len(self._waiting)):
            job = self._waiting.popleft()
            fit = [worker for worker in self._workers.values() if worker.takes(job)]
            if not fit:
                self._waiting.append(job)
                continue
            worker = min(fit, key=lambda one: len(one.jobs))
            task = replace(job.task, confinement=worker.kind).to_bytes()
            key = f"grade-{hashlib.sha256(task).hexdigest()}-{worker.address}-{job.deaths}-{job.suspect}"
            while key in self._sent:
                key += "+"  # two students, one text, one seed: as good as impossible
            job.future = self._client.submit(
                dask_worker.perform, self._versions, task, key=key, workers=[worker.address],
                allow_other_workers=False, resources={"GPU": 1} if job.task.gpu else None, pure=False,
            )  # fmt: skip
            worker.jobs.append(job)
            self._sent[key] = (job, worker)
            job.future.add_done_callback(self._ended.put)

    def _end(self, future: Future) -> None:
        """Take what came of a task."""
        if future.key not in self._sent:  # it was taken from a worker that is gone
            return
        if future.status != "finished":
            return self._failed(future)
        try:
            answer, problem = future.result(timeout=LOOK)
        except TimeoutError:  # its worker died with the answer, which a look will tell, or is slow to hand it over
            self._ended.put(future)
            return
        job, worker = self._sent.pop(future.key)
        worker.jobs.remove(job)
        job.future = None
        if problem == dask_worker.CHANGED:
            self._refuse(worker.address, f"worker {worker.address} on {worker.host} was replaced by another version")
            self._workers.pop(worker.address, None)
            self._waiting.append(job)
            return
        try:
            self._over.append(Done(job.name, Answer.from_bytes(answer) if answer else None, problem))
        except ValueError as malformed:
            self._over.append(Done(job.name, None, f"worker {worker.address}: {malformed}"))

    def _failed(self, future: Future) -> None:
        self._still_there()
        job, worker = self._sent[future.key]
        error = future.exception(timeout=CONNECT) if future.status == "error" else None
        if error is None or type(error).__name__ == "KilledWorker":
            self._workers.pop(worker.address, None)
            self._lose(worker)
        else:
            self._sent.pop(future.key)
            worker.jobs.remove(job)
            self._over.append(Done(job.name, None, f"worker {worker.address}: {type(error).__name__}: {error}"))

    def _lose(self, worker: _Worker) -> None:
        """A worker died with its tasks: try each again, alone, or give it up."""
        alone = len(worker.jobs) == 1
        for job in worker.jobs:
            key = job.future.key
            self._sent.pop(key)
            job.future.release()
            job.future, job.suspect = None, True
            job.deaths += alone
            if job.deaths >= DEATHS:
                self._over.append(
                    Done(job.name, None, f"{job.deaths} workers died judging it, the last one {worker.address}.")
                )
            else:
                self._waiting.appendleft(job)
        worker.jobs = []

    def _look(self) -> None:
        """See who is gone and who is new."""
        self._still_there()
        try:  # not by client.scheduler_info, whose answer Dask's own timer overwrites with one that lists no workers
            ask = self._client.scheduler.identity
            there = self._client.sync(ask, n_workers=-1, callback_timeout=3 * CONNECT)["workers"]
        except (OSError, TimeoutError):
            self._lost()
        self._looked = time.monotonic()
        for address in [address for address in self._workers if address not in there]:
            worker = self._workers.pop(address)
            self._say(f"worker {address} on {worker.host} is gone; what it was judging is judged again")
            self._lose(worker)
        new = [address for address in there if address not in self._workers and address not in self._refused]
        if new:
            self._take_on(new, there)
        self._tell_what_is_waited_for()

    def _take_on(self, addresses: list[str], there: dict) -> None:
        """Ask new workers what they are, and refuse those that would grade differently or unconfined."""
        self._versions = dask_worker.versions()
        found = self._client.run(dask_worker.about, workers=addresses, on_error="return")
        for address in addresses:
            about = found.get(address)
            if not isinstance(about, dict):
                if about is None or isinstance(about, OSError):
                    continue  # it left meanwhile
                self._refuse(address, f"worker {address} cannot tell what it is: {type(about).__name__}: {about}")
                continue
            named = f"worker {address} on {about['host']}"
            differs = [
                f"{name} {about['versions'].get(name, 'none')} instead of {version}"
                for name, version in self._versions.items()
                if about["versions"].get(name) != version
            ]
            kind = self._confine
            if kind == "auto":
                kind = next(iter(about["confines"]), kind)
            if differs:
                self._refuse(address, f"{named} would grade differently: it has {', '.join(differs)}")
            elif kind is not None and kind not in about["confines"]:
                self._refuse(address, f"{named} cannot confine what students handed in: {about['blocked']}")
            else:
                gpu = there[address].get("resources", {}).get("GPU", 0) >= 1
                self._workers[address] = _Worker(address, about["host"], gpu, kind)

    def _refuse(self, address: str, why: str) -> None:
        self._refused[address] = why
        self._say(f"{why}; it gets no task")

    def _tell_what_is_waited_for(self) -> None:
        now = time.monotonic()
        if self._workers:
            self._had_workers = now
            if any(job.task.gpu for job in self._waiting) and not any(w.gpu for w in self._workers.values()):
                self._say_once(
                    "what is left needs a GPU, and no worker has one: start one there with  --resources GPU=1"
                )
        elif self.pending:
            self._say_once(f"no worker is left at {self._address}; waiting for one")
            if now > self._had_workers + AGAIN:
                raise Stopped(
                    f"no worker has come to {self._address} for {AGAIN / 60:g} minutes; what was graded is kept: start "
                    "workers first"
                )

    def _say_once(self, sentence: str) -> None:
        if sentence not in self._said:
            self._said.add(sentence)
            self._say(sentence)

    def _still_there(self) -> None:
        if self._client.status != "running":
            self._lost()

    def _lost(self) -> None:
        raise Stopped(
            f"the Dask scheduler at {self._address} is lost; what was graded is kept: start it again first"
        ) from None


def _connect(address: str) -> Client:
    """`ClassroomError` where no scheduler answers, or it could not be trusted."""
    address = scheduler_address(address)
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is said here
    try:
        return Client(address, timeout=CONNECT, set_as_default=False, name="grader")
    except (OSError, TimeoutError, TypeError, ValueError, RuntimeError) as problem:  # most: certificates are not set
        told = (str(problem).strip().splitlines() or [type(problem).__name__])[0]
        raise ClassroomError(f"no Dask scheduler answers at {address}: {told}") from None
