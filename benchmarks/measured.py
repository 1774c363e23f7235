"""A command's time, processor time and memory, with all that it starts."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_SECONDS = 0.25  # between looks at the memory


@dataclass(frozen=True)
class Measured:
    status: int
    seconds: float
    processor_seconds: float
    own_peak_mb: float  # resident, of the command's own process
    peak_mb: float  # of it and all that it started, what they share counted once
    output: str


def measure(
    command: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: Path | None = None,
    look: Callable[[list[int]], None] = lambda processes: None,
) -> Measured:  # fmt: skip
    """Run a command to its end. ``look`` is called now and then with the numbers of its processes, its own first."""
    began = time.perf_counter()
    process = subprocess.Popen(command, env=env, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    own_peak, peak, ended = 0.0, 0.0, threading.Event()

    def watch() -> None:
        nonlocal own_peak, peak
        while not ended.wait(_SECONDS):
            processes = family(process.pid)
            own_peak = max(own_peak, resident_mb(process.pid))
            peak = max(peak, sum(map(proportional_mb, processes)))
            look(processes)

    watcher = threading.Thread(target=watch)
    watcher.start()
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    ended.set()
    process.returncode = os.waitstatus_to_exitcode(status)
    watcher.join()
    return Measured(
        process.returncode, time.perf_counter() - began, usage.ru_utime + usage.ru_stime, own_peak, peak,
        output,
    )  # fmt: skip


def family(pid: int) -> list[int]:
    """A process and its descendants."""
    parents: dict[int, list[int]] = {}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(name))
    found = [pid]
    for each in found:
        found += parents.get(each, [])
    return found


def resident_mb(pid: int) -> float:
    return _field(pid, "status", "VmRSS:")


def proportional_mb(pid: int) -> float:
    """Of memory that n processes share, each has the n-th part."""
    return _field(pid, "smaps_rollup", "Pss:")


def _field(pid: int, file: str, name: str) -> float:
    try:
        for line in Path(f"/proc/{pid}/{file}").read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0
