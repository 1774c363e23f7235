"""A Dask worker's preload: the toy course, and words in an answer cell that do something to the worker itself.

Settings come by the environment: TOY_ROOT, TOY_VERSION (another version of the grader), TOY_UNCONFINED (a machine that
forbids confinement).
"""

import os
import signal
import time
from pathlib import Path

import classroom_toy as toy

import grader
from grader.classroom import dask_worker
from grader.sandbox import confinement

toy.patch(Path(os.environ["TOY_ROOT"]), workers=True)
grader.__version__ = os.environ.get("TOY_VERSION", grader.__version__)
works = "TOY_UNCONFINED" not in os.environ
found = "works" if works else "user namespaces are switched off"
confinement.probe = lambda kind: confinement.Probe(kind, works, found)
perform = dask_worker.perform


def act(expected, task):
    if b"slow" in task:
        time.sleep(1)
    if b"kill-worker" in task:
        os.kill(os.getpid(), signal.SIGKILL)
    return perform(expected, task)


act.__module__, act.__qualname__ = perform.__module__, perform.__qualname__
dask_worker.perform = act
