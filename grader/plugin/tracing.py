"""A plugin library that stands for another one and keeps a journal of every call that is made to it.

It serves wherever the other would be loaded (``loadLibrary``, ``trtexec --dynamicPlugins``, a session of our own),
under the same creators' names, so that a plan built with one loads with the other.

>>> stand = stand_for(library, journal, folder)      # folder/libmine.traced.so
>>> calls = read_journal(journal)                    # after it was used
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from grader.plugin.build import build

SOURCES = Path(__file__).parent / "tracer"
KEYS = ("seq", "object", "interface", "method", "arguments", "result", "seconds")
MOST_BYTES = 256 << 20  # of a journal


def stand_for(library: Path, journal: Path, folder: Path, *, headers: Path | None = None) -> Path:
    """The library to load in place of ``library``. ``HostUnavailable`` without a compiler or TensorRT's headers.

    ``headers``: of the TensorRT that will load it, where that is another than the course's. A journal that exists is
    continued; several processes may write to one.
    """
    made = folder / f"{library.stem}.traced.so"
    shutil.copyfile(build(SOURCES, shared=True, headers=headers), made)
    os.chmod(made, 0o755)
    for path in (library, journal):
        if "\n" in str(path):
            raise ValueError("a path with a line break in it")
    made.with_name(made.name + ".trace").write_text(f"{library.absolute()}\n{journal.absolute()}\n")
    return made


def read_journal(journal: Path) -> list[dict]:
    """The calls in the order in which they began, of each process by itself; a line cut short by a crash is left out.

    Each has the keys of ``KEYS``, ``process`` and ``thread``. Nothing was called where there is no such file.
    """
    try:
        with open(journal, encoding="utf-8", errors="replace") as file:
            lines = file.read(MOST_BYTES).splitlines()
    except FileNotFoundError:
        return []
    calls = [call for line in lines if (call := _call(line))]
    processes = list(dict.fromkeys(call.get("process") for call in calls))
    return sorted(calls, key=lambda call: (processes.index(call.get("process")), call["seq"]))


def _call(line: str) -> dict | None:
    try:
        call = json.loads(line)
    except ValueError:
        return None
    whole = isinstance(call, dict) and all(key in call for key in KEYS) and isinstance(call["seq"], int)
    return call if whole else None
