"""Ask a child process: once (``run``), or again and again (``Child``)."""

from __future__ import annotations

import dataclasses
import os
import sys
import threading
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path

from grader.sandbox import confinement, zygote
from grader.sandbox.executed import Executed
from grader.sandbox.records import DEFAULT, Limits, Outcome
from grader.sandbox.supervisor import Supervisor
from grader.sandbox.wire import Channel, WireError
from grader.sandbox.zygote import Forked
from grader.verdict.records import State

_GRACE = 0.5  # seconds for a child whose channel closed to end by itself


class ChildEnded(Exception):
    """The child died, hung, or broke the wire format; ``outcome`` says which and is never a pass."""

    def __init__(self, outcome: Outcome):
        super().__init__(f"the program {outcome.message}")
        self.outcome = outcome


def python_child(module: str) -> list[str]:
    """The command that runs a module in a child: isolated from the user's environment and folders."""
    return [sys.executable, "-I", "-m", module]


def run(
    command: Sequence[str], *, header: dict | None = None, payload=b"", limits: Limits = DEFAULT,
    cwd: str | Path | None = None, env: Mapping[str, str] | None = None, reads: Sequence[str | Path] = (),
    warm: dict | None = None,
) -> Outcome:  # fmt: skip
    """Run a program to its end; send one request if ``header`` is given; keep the last frame that it sends.

    Without ``cwd`` it runs in an empty temporary folder. ``env`` is added to the short clean environment.
    ``reads``: files and folders that a confined child needs beside the program itself, see ``confinement``.
    ``warm``: what the command's module prepares itself with, see ``Child``. With a request, ending without an answer is
    an ``ERROR``. Never raises for what the program does.
    """
    try:
        child = Child(
            command, limits=limits, cwd=cwd, env=env, reads=reads, warm=warm,
            _cpu_seconds=limits.wall_seconds * (os.cpu_count() or 1),
        )  # fmt: skip
    except ChildEnded as ended:
        return ended.outcome
    with child:
        return child._run(header, payload)


class Child:
    """A child that answers one frame with one frame. A context manager; safe to share between threads."""

    def __init__(
        self, command: Sequence[str], *, limits: Limits = DEFAULT, cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None, pass_fds: Sequence[int] = (), reads: Sequence[str | Path] = (),
        warm: dict | None = None, _cpu_seconds: float | None = None,
    ):  # fmt: skip
        """Start it. ``ChildEnded`` (``GRADER_FAULT``) when the machine refuses; a command that does not exist
        shows at the first call. ``pass_fds``: descriptors that it gets too, under the same numbers. ``reads``: files
        and folders that a confined child needs beside the program itself, see ``confinement``.

        ``warm``: the module of a ``python_child`` command starts no process and writes no file, and can be prepared:
        where children are confined, this one is forked from a process (``zygote``) that has called the module's
        ``prepare(**warm)``. Only without ``cwd``, ``env`` and ``pass_fds``."""

        def begin(channel: int) -> Executed | Forked:
            if warm is not None and confinement.current():
                forked = zygote.fork(command[-1], warm, reads, channel, limits, _cpu_seconds)
                if forked is not None:
                    return forked
            return Executed(command, channel, limits, cwd, env, _cpu_seconds, pass_fds, reads)

        try:
            self._supervisor = Supervisor(begin, limits)
        except OSError as error:
            raise ChildEnded(Outcome(state=State.GRADER_FAULT, message=f"could not be started: {error}")) from error
        self._channel = Channel(self._supervisor.connection, max_payload=limits.reply_bytes)
        self._lock = threading.Lock()
        self._malformed: str | None = None
        self._forgotten = weakref.finalize(self, self._supervisor.stop, State.ERROR, "was stopped: nobody uses it")
        self._forgotten.atexit = False  # the supervisor has its own, which waits

    @property
    def outcome(self) -> Outcome | None:
        """How it ended; None while it runs."""
        return self._supervisor.outcome if self._supervisor.done.is_set() else None

    def call(self, header: dict, payload=b"", *, wall_seconds: float | None = None) -> tuple[dict, bytes]:
        """Send a request and wait for the answer. ``ChildEnded`` when none comes; the child is dead then."""
        with self._lock:
            if self.outcome:
                raise ChildEnded(self._without_answer(self.outcome))
            self._supervisor.timer(self._supervisor.limits.wall_seconds if wall_seconds is None else wall_seconds)
            try:
                self._send(header, payload)
                reply = self._receive()
            except BaseException:  # such as a keyboard interrupt: the answer would be taken for the next one's
                self._supervisor.stop(State.ERROR, "was stopped: the call was interrupted")
                raise
            if reply is None:
                raise ChildEnded(self._without_answer(self._end()))
            self._supervisor.timer(None)
            return reply

    def close(self) -> None:
        """End it: it sees the end of its channel, and is killed if it does not go at once."""
        if not self._supervisor.done.is_set():
            self._channel.finish()
            if not self._supervisor.done.wait(_GRACE):
                self._supervisor.stop(State.ERROR, "was stopped: it did not end when its work was done")
                self._supervisor.done.wait()
        self._channel.close()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *exception) -> None:
        self.close()

    def _run(self, header: dict | None, payload) -> Outcome:
        self._supervisor.timer(self._supervisor.limits.wall_seconds)
        last: tuple[dict, bytes] | None = None
        try:
            if header is not None:
                self._send(header, payload)
                self._channel.finish()
            while (reply := self._receive()) is not None:
                last = reply
        except BaseException:
            self._supervisor.stop(State.ERROR, "was stopped: the run was interrupted")
            raise
        self._supervisor.done.wait()
        outcome = self._supervisor.outcome
        if self._malformed or (header is not None and last is None):
            return self._without_answer(outcome)
        return outcome if last is None else dataclasses.replace(outcome, header=last[0], payload=last[1])

    def _send(self, header: dict, payload) -> None:
        try:
            self._channel.send(header, payload)
        except OSError:  # it is gone; the missing answer tells how
            pass

    def _receive(self) -> tuple[dict, bytes] | None:
        try:
            return self._channel.receive()
        except WireError as error:
            self._malformed = f"sent a malformed answer: {error}"
            self._supervisor.done.wait(_GRACE / 5)  # a frame cut short is mostly a crash, which says more
            self._supervisor.stop(State.ERROR, self._malformed)
            return None

    def _end(self) -> Outcome:
        if not self._supervisor.done.wait(_GRACE):
            self._supervisor.stop(State.ERROR, "closed its channel without an answer")
            self._supervisor.done.wait()
        return self._supervisor.outcome

    def _without_answer(self, outcome: Outcome) -> Outcome:
        if outcome.state is not State.PASS:
            return outcome
        message = self._malformed or "ended without an answer"
        return dataclasses.replace(outcome, state=State.ERROR, message=message)
