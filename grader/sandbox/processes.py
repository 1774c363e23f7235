"""Finds and kills everything that a child has started, by reading /proc.

A process belongs to a child if it is in the child's session, descends from a process known to belong to it,
or carries the child's mark in its environment; the last finds a daemon that left the session and lost its
parents. A program that is made to escape can shed all three (``setsid``, double fork, a new environment, all
between two looks); a control group that counts processes (``pids``), where there is one, finds that too.
"""

from __future__ import annotations

import os
import re
import signal
import time
from dataclasses import dataclass, field

from grader.sandbox.pids import PidsGroup

MARK = "GRADER_CHILD"
_MEMORY = re.compile(rb"^Vm(?:RSS|PTE|Swap):\s+(\d+) kB", re.M)


@dataclass(frozen=True)
class Process:
    pid: int
    parent: int
    session: int
    threads: int
    started: int  # clock ticks since boot; with the pid it names a process for good
    alive: bool  # not a zombie


def look(pid: int) -> Process | None:
    """What /proc says of one process; None when it is gone."""
    try:
        descriptor = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)  # open() takes twice as long
        try:
            fields = os.read(descriptor, 1024).rpartition(b")")[2].split()
        finally:
            os.close(descriptor)
        return Process(
            pid, int(fields[1]), int(fields[3]), int(fields[17]), int(fields[19]),
            fields[0] not in (b"Z", b"X"),
        )  # fmt: skip
    except (OSError, IndexError, ValueError):
        return None


def memory_of(pid: int) -> int:
    """Bytes, 0 when it is gone."""
    try:
        descriptor = os.open(f"/proc/{pid}/status", os.O_RDONLY | os.O_CLOEXEC)
        try:
            text = os.read(descriptor, 8192)
        finally:
            os.close(descriptor)
    except OSError:
        return 0
    return sum(int(kilobytes) << 10 for kilobytes in _MEMORY.findall(text))


def all_processes() -> list[Process]:
    return [process for name in os.listdir("/proc") if name.isdecimal() and (process := look(int(name)))]


def tasks_of_this_user() -> int:
    """Threads that the kernel counts against this user's process limit."""
    count, me = 0, os.getuid()
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                mine = os.stat(f"/proc/{name}").st_uid == me
            except OSError:
                continue
            if mine and (process := look(int(name))):
                count += process.threads
    return count


@dataclass
class Family:
    """A child, by the pid of its session's leader, and everything that it started."""

    root: int
    mark: str
    group: PidsGroup | None = None
    started: int = 0
    known: dict[int, int] = field(default_factory=dict)  # pid -> start time, of the living, root included
    _strangers: set[tuple[int, int]] = field(default_factory=set)

    def __post_init__(self):
        process = look(self.root)
        self.started = process.started if process else 0
        self.known[self.root] = self.started

    def scan(self) -> list[Process]:
        """Look at every process of the machine; the living ones that belong here."""
        grouped = self.group.members() if self.group else set()
        younger = {process.pid: process for process in all_processes() if process.started >= self.started}
        members = {pid for pid, start in self.known.items() if pid in younger and younger[pid].started == start}
        rest = [p for p in sorted(younger.values(), key=lambda p: p.started) if p.pid not in members]
        grew = True
        while grew:  # a parent may have a higher pid than its child
            grew = False
            for process in rest:
                if process.pid not in members and (
                    process.session == self.root
                    or process.parent in members
                    or process.pid in grouped
                    or self._is_marked(process)
                ):
                    members.add(process.pid)
                    grew = True
        self.known = {pid: younger[pid].started for pid in members if younger[pid].alive or pid == self.root}
        return [younger[pid] for pid in members if younger[pid].alive]

    def exceeds(self, limit: int) -> bool:
        """Whether more than ``limit`` processes live in the child's session, as far as a quick look tells.

        It reads the newest numbers first and stops as soon as it knows, so that it is soon done when a child
        starts processes without end: a whole ``scan`` of those lasts longer the more there are.
        """
        if self.group and len(self.group.members()) > limit:
            return True
        count = 0
        for pid in sorted(map(int, filter(str.isdecimal, os.listdir("/proc"))), reverse=True):
            process = look(pid)
            count += process is not None and process.session == self.root and process.alive
            if count > limit:
                return True
        return False

    def memory(self) -> int:
        """Bytes of memory that the known members hold now: resident, swapped out, and page tables, which a program can
        make of any size by reading here and there in memory that it never writes."""
        return sum(memory_of(pid) for pid in list(self.known))

    def kill(self, seconds: float = 2.0) -> bool:
        """Kill every member; whether none is left. The root must not have been reaped yet, so that its number
        cannot belong to another process group.

        The group goes in one call, which no race can beat: a process with a signal pending cannot fork. What
        left the group is killed one by one, and can start no more where there is a control group.
        """
        deadline, pause = time.monotonic() + seconds, 0.0005
        while True:
            _signal(os.killpg, self.root)
            if self.group:
                self.group.kill()
            living = self.scan()
            for process in living:
                _signal(os.kill, process.pid)
            if not living:
                return True
            if time.monotonic() > deadline:
                return False
            time.sleep(pause)
            pause = min(pause * 2, 0.02)

    def _is_marked(self, process: Process) -> bool:
        key = (process.pid, process.started)
        if key in self._strangers:
            return False
        try:
            with open(f"/proc/{process.pid}/environ", "rb") as file:
                if f"{MARK}={self.mark}".encode() in file.read(1 << 20).split(b"\0"):
                    return True
        except OSError:
            pass
        self._strangers.add(key)
        return False


def _signal(send, number: int) -> None:
    try:
        send(number, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
