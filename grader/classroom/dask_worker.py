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
from importlib import metadata
from pathlib import Path

import grader
from grader.classroom import material
from grader.classroom.crew import Crew, local
from grader.classroom.task import Task
from grader.classroom.wheel import course_files, package_files
from grader.sandbox import confinement

_one = threading.Lock()  # a worker may have several threads; a task takes the whole worker


@functools.cache
def versions() -> dict[str, str]:
    """All that a verdict depends on, by name: two machines that agree in it grade alike."""
    tree = material.tree()
    files = package_files(Path(grader.__file__).resolve().parent) | course_files(tree, material.chapters())
    content = hashlib.sha256()
    for name, path in sorted(files.items()):
        content.update(f"{name}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    found = {"the grader": f"{grader.__version__} ({content.hexdigest()[:12]})"}
    found["Python"] = ".".join(platform.python_version_tuple()[:2])
    return found | {name: _version(name) for name in ("numpy", "nvidia-cuda-nvrtc", "distributed")}


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
