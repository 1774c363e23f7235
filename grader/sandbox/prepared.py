"""The zygote: ``python -I -m grader.sandbox.prepared MODULE --channel=N``, a process that children are forked from.

It imports a module of ours, lets it prepare itself, and waits. For each request it forks. The fork takes the
descriptors that came with the request for its channel, stdout and stderr, drops all that is the zygote's, gives up its
rights (no file to write, no process to start, no signal to others, no socket to open), and then runs the module's
``main`` as a program of its own would. The zygote reads no channel of a fork, and so nothing that comes from a learner.

Four descriptors follow each request of the parent: channel, stdout, stderr, and a socket for this fork alone. The fork
says there that it is there, which tells the parent its number; the zygote, how it ended.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import resource
import select
import signal
import struct
import sys

from grader.sandbox import landlock
from grader.sandbox.launcher import confine_self
from grader.sandbox.wire import Channel, channel

FORKED, REFUSED = b"F", b"R"  # first byte on a fork's socket: by the fork, or by the zygote where there is none
STATUS = struct.Struct("<i")  # what follows: an exit code, or the negative number of a signal
_SET_PDEATHSIG, _SET_DUMPABLE = 1, 4  # linux/prctl.h
_libc = ctypes.CDLL(None)


def main() -> None:
    module = importlib.import_module(sys.argv[1])
    control = channel()
    request = control.receive()
    if request is None:
        return
    if not landlock.version():  # what a fork writes another would read
        raise SystemExit("the kernel has no Landlock, which keeps forks apart")
    module.prepare(**request[0]["warm"])
    if (threads := len(os.listdir("/proc/self/task"))) != 1:  # a fork has one, and the others' locks as they were
        raise SystemExit(f"{sys.argv[1]} has {threads} threads once it is prepared; only one can be forked")
    _libc.prctl(_SET_DUMPABLE, 0, 0, 0, 0)  # no fork can read the memory of the zygote or of another fork
    gc.collect()
    gc.freeze()  # collections in the forks do not copy what was made here
    control.send({"ready": True})
    if _serve(control):
        module.main()


def _serve(control: Channel) -> bool:
    """Fork until the parent is gone: False then; True in a fork."""
    forks: dict[int, tuple[int, int]] = {}  # pidfd -> process, the socket for it
    poll = select.poll()
    poll.register(control.fileno(), select.POLLIN)
    while True:
        for descriptor, _ in poll.poll():
            if descriptor in forks:
                poll.unregister(descriptor)
                _tell_end(*forks.pop(descriptor))
                os.close(descriptor)
                continue
            if (request := control.receive()) is None:
                return False
            pipe, out, err, life = control.receive_descriptors(4)
            zygote = os.getpid()
            if (pid := _fork()) == 0:
                control.close()
                os.write(life, FORKED)
                _become_child(request[0]["limits"], pipe, out, err, zygote)
                return True
            for each in (pipe, out, err):
                os.close(each)
            if pid is None:
                os.write(life, REFUSED)
                os.close(life)
                continue
            pidfd = os.pidfd_open(pid)
            forks[pidfd] = pid, life
            poll.register(pidfd, select.POLLIN)


def _fork() -> int | None:
    try:
        return os.fork()
    except OSError:  # the machine has no room for a process
        return None


def _tell_end(pid: int, life: int) -> None:
    _, status = os.waitpid(pid, 0)
    try:
        os.write(life, STATUS.pack(os.waitstatus_to_exitcode(status)))
    except OSError:  # nobody waits for it
        pass
    os.close(life)


def _become_child(limits: list[list[int]], pipe: int, out: int, err: int, zygote: int) -> None:
    _libc.prctl(_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != zygote:  # it ended before that
        os._exit(1)
    os.dup2(out, 1)
    os.dup2(err, 2)
    os.closerange(3, pipe)
    os.closerange(pipe + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    sys.argv[1:] = [f"--channel={pipe}"]
    confine_self(read=("/",), devices=("/dev/null",), processes=False, limits=limits)  # "/": what the zygote may read


if __name__ == "__main__":
    main()
