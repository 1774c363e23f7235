"""A child that is a program of its own: started behind a gate, found again with all that it starts, and ended.

The gate is a shell that waits for a line, so that the child's limits hold before its first instruction; nothing runs
between fork and exec, which keeps this safe in a process with threads.
"""

from __future__ import annotations

import math
import os
import resource
import secrets
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from grader.sandbox import confinement, guard, tidy
from grader.sandbox.confined import Confined
from grader.sandbox.environment import clean_environment
from grader.sandbox.pids import PidsGroup
from grader.sandbox.processes import MARK, Family, tasks_of_this_user
from grader.sandbox.records import Limits

_GATE = 'read -r go && exec "$@" </dev/null'
_SPARE_TASKS = 256  # what this user may start elsewhere meanwhile


class Executed:
    """``pid``; ``out`` and ``err``, our ends of its output; ``pidfd``, or None on a kernel without.

    ``OSError`` when it cannot be started. It waits at the gate until ``go``.
    """

    def __init__(
        self, command: Sequence[str], channel: int, limits: Limits, cwd: str | Path | None = None,
        environment: Mapping[str, str] | None = None, cpu_seconds: float | None = None,
        pass_fds: Sequence[int] = (), reads: Sequence[str | Path] = (),
    ):  # fmt: skip
        """``channel``: the descriptor that it gets as ``--channel=N``, its last argument."""
        self._process, self._group, self._confined, self.pidfd = None, None, None, None
        self.home = tempfile.mkdtemp(prefix="grader-")
        try:
            if kind := confinement.current():
                self._confined = Confined(kind, command, limits, home=self.home, cwd=cwd, reads=reads)
                command, pass_fds = self._confined.command, [*pass_fds, self._confined.descriptor]
            self._start(command, channel, limits, cwd, environment, cpu_seconds, pass_fds)
        except BaseException:
            self.abandon()
            raise

    def _start(self, command, channel, limits, cwd, environment, cpu_seconds, pass_fds) -> None:
        mark = secrets.token_hex(8)
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", _GATE, "sh", *command, f"--channel={channel}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            pass_fds=[channel, *pass_fds], start_new_session=True, cwd=cwd or self.home,
            env={**clean_environment(self.home, environment), MARK: mark},
        )  # fmt: skip
        self.pid, self.out, self.err = self._process.pid, self._process.stdout, self._process.stderr
        if limits.processes is not None:
            self._group = PidsGroup.make(self.pid, limits.processes + self._others)
        self._family = Family(self.pid, mark, self._group)
        _apply(limits, self.pid, cpu_seconds)
        guard.add(self.pid)
        if self._confined:
            self._confined.start(self.pid)
        self.pidfd = _pidfd(self.pid)

    def go(self) -> None:
        """Open the gate."""
        try:
            with self._process.stdin as gate:
                gate.write(b"go\n")
        except BrokenPipeError:  # it ended already; whoever watches it finds out how
            pass

    def has_ended(self) -> bool:
        try:  # WNOWAIT: it stays a zombie, so that its number names nobody else while its group is killed
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True

    def memory(self) -> int:
        """Bytes of memory that it and what it started hold, as far as they were seen; files that lie in memory too."""
        return self._family.memory() + (self._confined.in_memory if self._confined else 0)

    def exceeds(self, processes: int) -> bool:
        """Whether more than so many processes belong to it. Looks at every process of the machine."""
        most = processes + self._others
        return self._family.exceeds(most) or len(self._family.scan()) > most

    def files(self) -> tuple[int, int]:
        """Bytes and number of its files, of a confined child, which can write to its home alone."""
        return self._confined.files(list(self._family.known)) if self._confined else (0, 0)

    def fault(self, stderr: str) -> str | None:
        """Why a child that has ended was not confined, and so never ran; None where it was, or need not be."""
        return self._confined.fault(stderr) if self._confined else None

    @property
    def _others(self) -> int:
        """Processes that stand around a confined child and are none of its own."""
        return self._confined.others if self._confined else 0

    def kill(self) -> bool:
        """Kill it and all that it started; whether nothing is left."""
        return self._family.kill()

    def reap(self) -> int | None:
        """Its exit code, or the negative number of the signal that ended it; None where someone else has reaped it or
        it cannot die."""
        until = time.monotonic() + 2
        guard.drop(self.pid)
        try:
            while not (found := os.waitpid(self.pid, os.WNOHANG))[0] and time.monotonic() < until:
                time.sleep(0.005)
        except ChildProcessError:
            found = (0, 0)
        # Set, so that subprocess does not wait again.
        self._process.returncode = os.waitstatus_to_exitcode(found[1])
        if self._confined:
            self._confined.listen()
            if found[0] and self._confined.ended is not None:
                return os.waitstatus_to_exitcode(self._confined.ended)
        return self._process.returncode if found[0] else None

    def release(self) -> None:
        """Give back what its start took."""
        for stream in (self.out, self.err):
            stream.close()
        self._give_back()

    def abandon(self) -> None:
        """Undo a start: nobody watches it yet."""
        if self._process:
            self._process.kill()
            guard.drop(self._process.pid)
            self._process.communicate()
        self._give_back()

    def _give_back(self) -> None:
        if self.pidfd is not None:
            os.close(self.pidfd)
        if self._group:
            self._group.remove()
        if self._confined:
            self._confined.close()
        tidy.remove(self.home)


def kernel_limits(limits: Limits, cpu_seconds: float | None) -> dict[int, int]:
    """The kernel's own limits, by kind; they are a second line behind the watchdog."""
    wanted = {resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: limits.file_bytes}
    wanted[resource.RLIMIT_CPU] = None if cpu_seconds is None else math.ceil(cpu_seconds)
    return {kind: value for kind, value in wanted.items() if value is not None}


def _apply(limits: Limits, pid: int, cpu_seconds: float | None) -> None:
    """Set the kernel's limits; a refusal is no error."""
    wanted = kernel_limits(limits, cpu_seconds)
    if limits.processes is not None and os.getuid() != 0:  # the kernel counts per user, and not for root
        wanted[resource.RLIMIT_NPROC] = tasks_of_this_user() + limits.processes + _SPARE_TASKS
    for kind, value in wanted.items():
        try:
            hard = resource.prlimit(pid, kind)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.prlimit(pid, kind, (value, value))
        except OSError:
            pass
    try:  # where the machine itself runs out of memory, the kernel takes the child and not the notebook
        Path(f"/proc/{pid}/oom_score_adj").write_text("1000")
    except OSError:
        pass


def _pidfd(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except OSError:  # kernels before 5.3: the loop finds the exit when it next looks
        return None
