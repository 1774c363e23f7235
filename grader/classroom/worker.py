"""A worker judges tasks: trusted code, in a process of its own, which writes nothing but caches.

``python -I -m grader.classroom.worker`` is what the crew starts on this machine; on other machines ``perform`` is
called by whatever brings the tasks there. What a learner handed in runs in children of the worker, confined.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import io
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from grader.classroom import material
from grader.classroom.task import Answer, Task
from grader.classroom.unjudged import fault
from grader.course import Chapter, Exercise
from grader.sandbox import channel, confinement
from grader.toolchain import cache_folder
from grader.verdict import Verdict

log = logging.getLogger(__name__)
ENOUGH_DISK = 32 << 20  # bytes; below it, compilers and children fail in ways that look like a learner's mistake


def perform(task: bytes) -> bytes:
    """Do one task; `Task` and `Answer` as bytes. Whatever happens to one exercise, the others are judged.

    Sets the confinement of this process's children, so a process does one task at a time.
    """
    began = time.perf_counter()
    wanted = Task.from_bytes(task)
    confinement.use(wanted.confinement)
    chapter = material.chapter(wanted.chapter)
    exercises = {exercise.slug: exercise for exercise in chapter.exercises}
    with _reports() as told, tempfile.TemporaryDirectory(prefix="grader-") as folder:
        stage(Path(folder), chapter, wanted.files)
        verdicts = {slug: _judge(exercises[slug], Path(folder), wanted) for slug in wanted.exercises}
    seconds = round(time.perf_counter() - began, 3)
    return Answer(verdicts=verdicts, seconds=seconds, log=told.getvalue()[-20_000:]).to_bytes()


def stage(folder: Path, chapter: Chapter, files: dict[str, bytes]) -> None:
    """Lay out what is judged: the release's own files, and the handed-in ones over them. A file that was to
    be handed in and was not is absent: the skeleton never stands in for it."""
    wanted = {name for exercise in chapter.exercises for name in exercise.files}
    own = {name: path.read_bytes() for name, path in material.tree().given(chapter).items() if name not in wanted}
    own.pop(f"{chapter.name}.ipynb", None)
    for name, data in (own | files).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _judge(exercise: Exercise, folder: Path, task: Task) -> Verdict:
    """One verdict. Whatever goes wrong in the grader becomes a `grader_fault`, never a lost point or a
    pass."""
    seed = task.seeds[exercise.slug]
    cells = {exercise.slug: task.cells.get(f"{exercise.slug}-answer", "")} if exercise.kind == "python" else {}
    try:
        _need_disk()
        with the_gpu() if "gpu" in exercise.needs else contextlib.nullcontext():
            verdict = material.check(exercise, folder, seed=seed, cells=cells, tell=task.tell)
        if not verdict.passed:
            _need_disk()
        return verdict
    except Exception as problem:
        log.exception("grading %s", exercise.slug)
        return fault(exercise, seed, f"{type(problem).__name__}: {problem}")


def _need_disk() -> None:
    for folder in (Path(tempfile.gettempdir()), cache_folder()):
        while not folder.exists():
            folder = folder.parent
        if shutil.disk_usage(folder).free < ENOUGH_DISK:
            raise OSError(errno.ENOSPC, f"less than {ENOUGH_DISK >> 20} MB are free", str(folder))


@contextlib.contextmanager
def the_gpu() -> Iterator[None]:
    """Hold this machine's GPU, so that one timed job runs at a time, whichever process it comes from."""
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / "gpu.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _reports() -> Iterator[io.StringIO]:
    """What the grader's modules log of their own faults meanwhile: it goes with the answer to who asked."""
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    handler.setLevel(logging.WARNING)
    handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
    logger = logging.getLogger("grader")
    logger.addHandler(handler)
    try:
        yield text
    finally:
        logger.removeHandler(handler)


def main() -> None:
    """Do tasks until the crew closes the channel."""
    crew = channel()
    while (request := crew.receive()) is not None:
        crew.send({}, perform(request[1]))


if __name__ == "__main__":
    main()
