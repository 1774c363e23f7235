"""Warm children: forked from a process that has their module prepared.

A child whose module can ``prepare`` and that starts no process of its own need not start Python, load a compiler or
import NumPy each time. For each such module, and what it is prepared with, a grader keeps one zygote (``prepared``),
which is confined as every child is. To whoever watches it a fork is a child like any other: ``Forked`` does what
``Executed`` does.
"""

from __future__ import annotations

import json
import logging
import os
import select
import signal
import socket
import struct
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from grader.sandbox import confinement
from grader.sandbox.executed import Executed, kernel_limits
from grader.sandbox.prepared import FORKED, REFUSED, STATUS
from grader.sandbox.processes import look, memory_of
from grader.sandbox.records import Limits
from grader.sandbox.supervisor import Supervisor
from grader.sandbox.wire import Channel, WireError

_LIMITS = Limits(memory_bytes=None, processes=None)  # its forks have their own
# BLAS would start threads, and a fork has none but the one that forked.
_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_PREPARE_SECONDS = 60.0
_FORK_SECONDS = 10.0
_END_SECONDS = 2.0
_CREDENTIALS = struct.Struct("3i")  # struct ucred: process, user, group
_THREADS = 64  # of a fork, besides the processes that its limits would grant another child

log = logging.getLogger(__name__)
_zygotes: dict[str, Zygote] = {}
_hopeless: set[str] = set()  # do not start on this machine
_lock = threading.Lock()


def fork(
    module: str, warm: dict, reads: Sequence[str | Path], channel: int, limits: Limits, cpu_seconds: float | None
) -> Forked | None:
    """A child that runs ``module`` on the descriptor ``channel``, from its zygote, which is started where there is none
    or it died. None where that does not work on this machine; the child is to be started by itself then."""
    key = json.dumps([confinement.current(), module, warm, [str(path) for path in reads]])
    with _lock:
        for _ in range(2):  # the first may find a zygote that died
            if key in _hopeless:
                return None
            if key not in _zygotes:
                try:
                    _zygotes[key] = Zygote(module, warm, reads)
                except OSError as error:
                    log.warning("%s; its children start the slow way", error)
                    _hopeless.add(key)
                    return None
            try:
                return _zygotes[key].fork(channel, limits, cpu_seconds)
            except OSError:
                _zygotes.pop(key).close()
    return None


def close_all() -> None:
    """End the zygotes, and the forks that still run with them."""
    with _lock:
        _hopeless.clear()
        while _zygotes:
            _zygotes.popitem()[1].close()


class Zygote:
    """One prepared process."""

    def __init__(self, module: str, warm: dict, reads: Sequence[str | Path]):
        """``OSError`` where it cannot be started or does not get ready."""
        command = [sys.executable, "-I", "-m", "grader.sandbox.prepared", module]
        self._supervisor = Supervisor(
            lambda channel: Executed(command, channel, _LIMITS, environment=_ENVIRONMENT, reads=reads), _LIMITS
        )
        self._channel = Channel(self._supervisor.connection)
        self._supervisor.timer(_PREPARE_SECONDS)
        self._channel.send({"warm": warm})
        try:
            ready = self._channel.receive()
        except WireError:
            ready = None
        if ready is None:
            self.close()
            raise OSError(f"the zygote of {module} {self._supervisor.outcome.message}")
        self._supervisor.timer(None)

    def fork(self, channel: int, limits: Limits, cpu_seconds: float | None) -> Forked | None:
        """None where the machine has no room for a process. ``OSError`` where the zygote is gone. Not for two threads
        at once."""
        out, theirs_out = os.pipe()
        err, theirs_err = os.pipe()
        life, theirs_life = socket.socketpair()
        # The kernel tells who wrote, by its number here, though it may live in a namespace with numbers of its own.
        life.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        streams = os.fdopen(out, "rb", 0), os.fdopen(err, "rb", 0)
        try:
            self._channel.send({"limits": list(kernel_limits(limits, cpu_seconds).items())})
            self._channel.send_descriptors([channel, theirs_out, theirs_err, theirs_life.fileno()])
            theirs_life.close()  # the zygote holds the only other end now
            life.settimeout(_FORK_SECONDS)
            answer, ancillary, *_ = life.recvmsg(1, socket.CMSG_SPACE(_CREDENTIALS.size))
            if answer == FORKED:
                pid, _, _ = _CREDENTIALS.unpack(ancillary[0][2])
                return Forked(pid, *streams, life)
            if answer != REFUSED:
                raise OSError("the zygote is gone")
            for each in (*streams, life):
                each.close()
            return None
        except BaseException:
            for each in (*streams, life):
                each.close()
            raise
        finally:
            theirs_life.close()
            os.close(theirs_out)
            os.close(theirs_err)

    def close(self) -> None:
        self._supervisor.stop_and_wait()
        self._channel.close()


class Forked:
    """A fork of a zygote, which can start nothing: ``pid``, ``out``, ``err``, ``pidfd`` and methods as ``Executed``."""

    def __init__(self, pid: int, out, err, life: socket.socket):
        """``life``: where the zygote tells how it ended. It lives until it is sent something, so ``pid`` is its own."""
        self.pid, self.out, self.err, self._life = pid, out, err, life
        self.pidfd = os.pidfd_open(pid)
        self._started = process.started if (process := look(self.pid)) else 0

    def go(self) -> None:
        """It waits for its first frame already."""

    def has_ended(self) -> bool:
        return self._ends_within(0)

    def _ends_within(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self.pidfd, select.POLLIN)
        return bool(poll.poll(1000 * seconds))

    def memory(self) -> int:
        return 0 if self.has_ended() else memory_of(self.pid)

    def files(self) -> tuple[int, int]:
        return 0, 0  # it can write none

    def fault(self, stderr: str) -> None:
        """It is confined by its zygote, or is none."""

    def exceeds(self, processes: int) -> bool:
        """Whether it has more threads than so many processes could do with."""
        process = look(self.pid)
        return process is not None and process.started == self._started and process.threads > processes + _THREADS

    def kill(self) -> bool:
        try:
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
        except ProcessLookupError:
            return True
        return self._ends_within(_END_SECONDS)

    def reap(self) -> int | None:
        """As its zygote tells, which alone can; None where that died."""
        self._life.settimeout(_END_SECONDS)
        try:
            return STATUS.unpack(self._life.recv(STATUS.size, socket.MSG_WAITALL))[0]
        except (OSError, struct.error):
            return None

    def release(self) -> None:
        for each in (self.out, self.err, self._life):
            each.close()
        os.close(self.pidfd)

    def abandon(self) -> None:
        self.kill()
        self.release()


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()  # another thread may have held it
    _zygotes.clear()  # they are the parent's


os.register_at_fork(after_in_child=_after_fork)
