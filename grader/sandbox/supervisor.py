"""Watches one child from a thread: output, exit, memory, processes, wall clock."""

from __future__ import annotations

import atexit
import math
import os
import selectors
import signal
import socket
import threading
import time
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

from grader.sandbox.output import HeadAndTail
from grader.sandbox.records import Limits, Outcome
from grader.verdict.records import State

if TYPE_CHECKING:
    from grader.sandbox.executed import Executed
    from grader.sandbox.zygote import Forked

_LOOK_SECONDS = 0.02  # between looks at the memory of known processes, while something is asked of the child
_IDLE_SECONDS = 0.5
_SCAN_SECONDS = 0.05  # between looks at all processes of the machine, or longer where that takes long
_running: weakref.WeakSet[Supervisor] = weakref.WeakSet()


class Supervisor:
    """One running child. ``connection`` is our end of its channel; ``done`` is set when ``outcome`` is.

    ``OSError`` when it cannot be started. All methods may be called from any thread.
    """

    def __init__(self, begin: Callable[[int], Executed | Forked], limits: Limits):
        """``begin`` starts the child, which is given the descriptor of its end of the channel."""
        self.limits = limits
        self.done = threading.Event()
        self.outcome: Outcome | None = None
        self._reason: tuple[State, str] | None = None
        self._timed: float | None = None
        self._deadline: float | None = None
        self._sleeps_until = math.inf  # the thread, if nothing wakes it; infinite while it works that out
        # The lock keeps a wake-up call from a descriptor that is closed by now, and another's.
        self._waking, self._deaf = threading.Lock(), False
        self._began = time.monotonic()
        self._output = {1: HeadAndTail(limits.output_bytes), 2: HeadAndTail(limits.output_bytes)}
        self._process, self._wake = None, None
        self.connection, theirs = socket.socketpair()
        try:
            self._process = begin(theirs.fileno())
            self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
            self._start_watching()
        except BaseException:
            self._undo_start()
            raise
        finally:
            theirs.close()
        _running.add(self)
        try:
            self._process.go()
        except BaseException:  # such as a keyboard interrupt
            self.stop(State.ERROR, "was stopped: its start was interrupted")
            raise

    def _start_watching(self) -> None:
        try:
            threading.Thread(target=self._watch, name=f"child {self._process.pid}", daemon=True).start()
        except RuntimeError as error:
            raise OSError(str(error)) from error

    def _undo_start(self) -> None:
        self.connection.close()
        if self._process:
            self._process.abandon()
        if self._wake is not None:
            os.close(self._wake)

    def timer(self, seconds: float | None) -> None:
        """Stop the child as ``TIMEOUT`` that many seconds from now; None: it is idle, without a timer."""
        self._timed = seconds
        now = time.monotonic()
        self._deadline = None if seconds is None else now + seconds
        # To wake the thread takes longer than a short call: it is left alone where it looks soon by itself.
        if seconds is not None and self._sleeps_until > min(now + seconds, now + 2 * _LOOK_SECONDS):
            self._rouse()

    def stop(self, state: State, message: str) -> None:
        """Have the child killed; returns at once. An earlier reason, or an end of its own, is kept."""
        self._reason = self._reason or (state, message)
        self._rouse()

    def stop_and_wait(self) -> None:
        """End it, if it has not ended, and wait until it is gone."""
        self.stop(State.ERROR, "was stopped: it is no longer needed")
        self.done.wait()

    def _rouse(self) -> None:
        with self._waking:
            if not self._deaf:
                os.eventfd_write(self._wake, 1)

    # What follows runs in the thread.

    def _watch(self) -> None:
        process = self._process
        with selectors.PollSelector() as selector:
            for stream, number in ((process.out, 1), (process.err, 2)):
                os.set_blocking(stream.fileno(), False)
                selector.register(stream, selectors.EVENT_READ, number)
            selector.register(self._wake, selectors.EVENT_READ, None)
            if process.pidfd is not None:  # on a kernel without, the loop finds the exit when it next looks
                selector.register(process.pidfd, selectors.EVENT_READ, None)
            try:
                self._attend(selector)
                ended_itself = process.has_ended()
                all_gone = process.kill()
                self._drain(selector)
                self.outcome = self._judge(ended_itself, all_gone)
            except Exception as error:  # a fault of ours must not leave a caller waiting
                process.kill()
                message = f"could not be watched any longer: {error!r}"
                self.outcome = Outcome(state=State.GRADER_FAULT, message=message)
            finally:
                with self._waking:
                    self._deaf = True
                self._shut_down()
                self.done.set()

    def _attend(self, selector) -> None:
        """Until the child ends or must be ended."""
        look_at = scan_at = self._began + _LOOK_SECONDS
        idle = False
        while not self._process.has_ended():
            self._sleeps_until = math.inf  # first of all: a deadline set after this wakes it
            now, deadline = time.monotonic(), self._deadline
            if deadline is not None and now >= deadline:
                how_long = _seconds(self._timed)
                self.stop(State.TIMEOUT, f"was stopped after {how_long}: it did not end by itself")
            if idle and deadline is not None:  # a call began
                look_at, scan_at = min(look_at, now + _LOOK_SECONDS), min(scan_at, now + _SCAN_SECONDS)
            idle = deadline is None
            if now >= scan_at:
                worked = -time.thread_time()  # of the processor: waiting for it calls for no longer pause
                self._check_processes()
                self._check_files()
                worked += time.thread_time()
                pause = _IDLE_SECONDS if idle else _SCAN_SECONDS
                scan_at = now + max(pause, min(20 * worked, _IDLE_SECONDS))
            if now >= look_at:
                self._check_memory(self._process.memory())
                look_at = now + (_IDLE_SECONDS if idle else _LOOK_SECONDS)
            if self._reason:
                return
            self._sleeps_until = until = min(look_at, math.inf if deadline is None else deadline)
            self._read(selector, max(0.0, until - time.monotonic()))

    def _read(self, selector, seconds: float) -> None:
        """Wait for output or a wake-up call, at most so long."""
        for key, _ in selector.select(seconds):
            if key.fileobj == self._wake:
                os.eventfd_read(self._wake)
            elif key.data:
                try:
                    data = os.read(key.fd, 65536)
                except BlockingIOError:
                    continue
                self._output[key.data].add(data)
                if not data:
                    selector.unregister(key.fileobj)

    def _drain(self, selector) -> None:
        """Take what the dead have left in the pipes; a survivor may hold them open, so not for ever."""
        until = time.monotonic() + 0.5
        while (open_pipes := [key for key in selector.get_map().values() if key.data]) and time.monotonic() < until:
            for key in open_pipes:
                try:
                    data = os.read(key.fd, 65536)
                except BlockingIOError:
                    time.sleep(0.002)
                    continue
                self._output[key.data].add(data)
                if not data:
                    selector.unregister(key.fileobj)

    def _check_memory(self, used: int) -> None:
        limit = self.limits.memory_bytes
        if limit is not None and used > limit:
            self.stop(State.OUT_OF_MEMORY, f"was stopped: it used more than {_size(limit)} of memory")

    def _check_processes(self) -> None:
        limit = self.limits.processes
        if limit is not None and self._process.exceeds(limit):
            self.stop(State.ERROR, f"was stopped: it started more than {limit} processes")

    def _check_files(self) -> None:
        size, count = self._process.files()
        most, largest = self.limits.home_files, self.limits.home_bytes
        if most is not None and count > most:
            self.stop(State.ERROR, f"was stopped: it made more than {most} files")
        elif largest is not None and size > largest:
            self.stop(State.ERROR, f"was stopped: it wrote more than {_size(largest)} of files")

    def _judge(self, ended_itself: bool, all_gone: bool) -> Outcome:
        status = self._process.reap()
        if not self._reason and (fault := self._process.fault(self._output[2].text())):
            return Outcome(state=State.GRADER_FAULT, message=f"could not be confined: {fault}")
        code = status if status is not None and status >= 0 else None
        name = _signal_name(-status) if status is not None and status < 0 else None
        if status is None:
            state, message = State.GRADER_FAULT, "ended, and how it ended could not be found out"
        elif ended_itself and name:
            state, message = _crash(name)
        elif ended_itself and code:
            state, message = State.ERROR, f"ended with exit code {code}"
        else:
            state, message = State.PASS, ""
        if self._reason and (not ended_itself or state is State.PASS):
            state, message = self._reason
        if not all_gone:
            message = "; ".join(filter(None, [message, "something that it started could not be killed"]))
        return Outcome(
            state=state, exit_code=code, signal=name, message=message, seconds=time.monotonic() - self._began,
            stdout=self._output[1].text(), stderr=self._output[2].text(),
        )  # fmt: skip

    def _shut_down(self) -> None:
        try:  # a survivor may hold the other end: no reader waits for it
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        os.close(self._wake)
        self._process.release()


_MEANINGS = {
    "SIGSEGV": "it touched memory that is not its own", "SIGBUS": "it touched memory that is not there",
    "SIGABRT": "it called abort, often by a failed assert or an uncaught exception",
    "SIGFPE": "an integer was divided by zero", "SIGILL": "it ran into an instruction that does not exist",
    "SIGTRAP": "it ran into a trap", "SIGXFSZ": "it wrote a larger file than it may",
    "SIGKILL": "something else on the machine killed it, often because memory ran out",
}  # fmt: skip


def _crash(name: str) -> tuple[State, str]:
    if name == "SIGXCPU":
        return State.TIMEOUT, "was stopped: it used all its processor time"
    meaning = f": {_MEANINGS[name]}" if name in _MEANINGS else ""
    return State.CRASH, f"ended by {name}{meaning}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _seconds(value: float | None) -> str:
    return f"{value:g} second{'' if value == 1 else 's'}"


def _size(count: int) -> str:
    return f"{count / (1 << 20):.0f} MB" if count < 1 << 30 else f"{count / (1 << 30):.3g} GB"


os.register_at_fork(after_in_child=_running.clear)  # a fork watches over none of them


@atexit.register
def _stop_all() -> None:
    running = [supervisor for supervisor in _running if not supervisor.done.is_set()]
    for supervisor in running:
        supervisor.stop(State.ERROR, "was stopped: the grader ended")
    for supervisor in running:
        supervisor.done.wait(2)
