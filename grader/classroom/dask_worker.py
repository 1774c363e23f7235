"""What runs on a Dask worker: it says what it would grade with, and has tasks judged by a process beside it.

The judging process is the one that grades on a single machine too (`worker.py`), so a task that crashes or hangs ends
that process and never the Dask worker.
"""

from __future__ import annotations

import functools
import hashlib
import platform
import socket
import threading
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import grader
from grader.classroom import material
from grader.classroom.crew import Crew, local
from grader.classroom.task import Task
from grader.classroom.wheel import course_files, package_files
from grader.course import Chapter, Tree
from grader.sandbox import confinement

_one = threading.Lock()  # a worker may have several threads; a task takes the whole worker


@functools.cache
def versions() -> dict[str, str]:
    """All that a verdict depends on, by name: two machines that agree in it grade alike."""
    tree = material.tree()
    chapters = material.chapters()
    files = package_files(Path(grader.__file__).resolve().parent) | course_files(tree, chapters)
    found = {"the grader": f"{grader.__version__} ({_content(files)})"}
    # A class release has no banks: its checks would judge by the cases alone that students can see.
    banks = _banks(tree, chapters)
    found["the hidden cases"] = _content(banks) if banks else "none"
    found["Python"] = ".".join(platform.python_version_tuple()[:2])
    return found | {name: _version(name) for name in ("numpy", "nvidia-cuda-nvrtc", "distributed")}


def _banks(tree: Tree, chapters: Sequence[Chapter]) -> dict[str, Path]:
    """What lies beside the solved files of chapters: cases that people made."""
    found = {}
    for chapter in chapters:
        solved = {f"{chapter.name}.ipynb", *(name for exercise in chapter.exercises for name in exercise.files)}
        solved |= {f"{exercise.slug.replace('-', '_')}.py" for exercise in chapter.exercises}
        folder = tree.solutions(chapter)
        for path in folder.rglob("*") if folder else ():
            name = path.relative_to(folder).as_posix()
            if path.is_file() and name not in solved and "__pycache__" not in path.parts:
                found[f"{chapter.name}/{name}"] = path
    return found


def _content(files: dict[str, Path]) -> str:
    content = hashlib.sha256()
    for name, path in sorted(files.items()):
        content.update(f"{name}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return content.hexdigest()[:12]


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "none"


def about() -> dict:
    """What a worker is: plain data, so that it can be read even if it is of another version."""
    probes = [confinement.probe(kind) for kind in confinement.KINDS]
    return {
        "versions": versions(),
        "host": socket.gethostname(),
        "confines": [probe.kind for probe in probes if probe.works],
        "blocked": "; ".join(f"{probe.kind}: {probe.found}" for probe in probes if not probe.works),
    }


def perform(expected: dict[str, str], task: bytes) -> tuple[bytes, str]:
    """Judge a `Task`; its `Answer` as bytes, and a sentence where there is none."""
    if versions() != expected:
        return b"", CHANGED
    with _one:
        crew = _judges()
        crew.submit("", Task.from_bytes(task))
        done = crew.wait()
    return done.answer.to_bytes() if done.answer else b"", done.problem


CHANGED = "this worker is of another version"


@functools.cache
def _judges() -> Crew:
    """One judging process, for as long as the worker lives; a guard ends it with the worker."""
    return local(1)
