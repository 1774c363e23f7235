"""Confines the process that it runs in, then becomes the child: ``main`` with ``--control=N COMMAND...``.

The supervisor sends on descriptor N what to do (by ``marshal``: nobody else writes there, and ``json`` takes 10 ms to
load). It is sent back a descriptor of the child's home, by which it sees how full that is, and a byte once nothing of
the grader can be reached any more. In namespaces this is process 1: it starts the child, waits, and sends how it ended,
which bubblewrap could not tell (it makes exit code 139 of a SIGSEGV); the kernel kills whatever is left then.

It is started for each child, hence the few imports. ``confine_self`` also serves forked processes that execute no
program.
"""

from __future__ import annotations

import ctypes
import os
import sys

try:
    from grader.sandbox import landlock, seccomp
except ImportError:  # started as the launcher, which finds its neighbours by their folder
    import landlock
    import seccomp

HOME, CONFINED, FAILED, ENDED = b"H", b"C", b"F", b"E"  # first byte of a message to the supervisor

_NO_NEW_PRIVILEGES, _BOUNDING_DROP, _AMBIENT, _AMBIENT_CLEAR, _DEATH_SIGNAL, _DUMPABLE = 38, 24, 47, 4, 1, 4  # prctl
_CAPABILITIES_V3 = 0x20080522
_SIGKILL = 9


def confine_self(
    *, read=(), names=(), write=(), devices=(), uid: int | None = None, private: bool = False, processes: bool = True,
    driver: bool = False, limits=(),
) -> None:  # fmt: skip
    """Give up, in this process and all that it will start, whatever a stranger's code has no use for. For good.

    ``read``: files and folders to read and execute; ``names``: folders in which to list names, at all depths;
    ``write``: folders to do anything in; ``devices``: files to read, write and control. ``uid``: the user and group to
    become, which needs root; None: stay. ``private``: this process sees no others, being in namespaces of its own.
    ``processes``: whether it may start processes and programs (threads it may always). ``driver``: NVIDIA's must work
    in it, which names its threads in /proc and has a local socket. ``limits``: pairs of a ``resource.RLIMIT_...`` and a
    number. ``OSError`` when the kernel refuses; half of it may be done then, and the
    process must end.
    """
    _limit(limits)
    if uid is not None:
        for folder in write:
            os.chown(folder, uid, uid)
    library = ctypes.CDLL(None, use_errno=True)
    _call(library.prctl, _NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if landlock.version():
        own_process = ["/proc" if private else f"/proc/{os.getpid()}"] if driver else []
        landlock.restrict(read=read, names=names, write=[*write, *own_process], devices=devices)
    elif not private:
        raise OSError("the kernel has no Landlock")
    _drop_rights(library, uid)
    own = private or uid is not None
    signals = own or landlock.keeps_signals_in()
    seccomp.restrict(processes=processes, metadata=own, signals=signals, local_socket=driver)


def _drop_rights(library, uid: int | None) -> None:
    for capability in range(64):  # ends with an error at the first that there is not, or where it is not allowed
        if library.prctl(_BOUNDING_DROP, capability, 0, 0, 0):
            break
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    library.prctl(_AMBIENT, _AMBIENT_CLEAR, 0, 0, 0)
    header = _CAPABILITIES_V3.to_bytes(4, "little") + bytes(4)
    _call(library.capset, header, bytes(24))


def _limit(limits) -> None:
    import resource

    for kind, value in limits:
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))


def _call(function, *arguments) -> None:
    if function(*arguments):
        number = ctypes.get_errno()
        raise OSError(number, f"{function.__name__}: {os.strerror(number)}")


def main() -> None:
    import _socket  # ``socket`` takes longer to import than all the rest here
    import marshal

    control = _socket.socket(fileno=int(sys.argv[1].removeprefix("--control=")))
    os.set_inheritable(control.fileno(), False)
    command = sys.argv[2:]
    try:
        asked = marshal.loads(control.recv(1 << 20))
        home = os.open(asked["home"], os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, home.to_bytes(4, sys.byteorder))
        control.sendmsg([HOME], [rights])  # now: the filter refuses this call
        if asked["confine"]["private"] and (child := os.fork()):
            os._exit(_first(child, control))
        confine_self(**asked["confine"])
    except BaseException as error:
        os.write(control.fileno(), FAILED + f"{type(error).__name__}: {error}".encode()[:1000])
        os._exit(125)
    os.write(control.fileno(), CONFINED)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        why = "not found" if isinstance(error, FileNotFoundError) else error.strerror
        os.write(2, f"{command[0]}: {why}\n".encode())
        os._exit(126 if isinstance(error, PermissionError) else 127)


def _first(child: int, control) -> int:
    """Process 1 of the namespace: wait for the child, and for whatever lost its parent, and tell how it ended."""
    for descriptor in os.listdir("/proc/self/fd"):  # the child's are its own: it may close its channel
        if int(descriptor) > 2 and int(descriptor) != control.fileno():
            try:
                os.close(int(descriptor))
            except OSError:  # that of the listing
                pass
    library = ctypes.CDLL(None, use_errno=True)
    _drop_rights(library, None)
    library.prctl(_DEATH_SIGNAL, _SIGKILL, 0, 0, 0)  # bubblewrap's process was killed: all go
    library.prctl(_DUMPABLE, 0, 0, 0, 0)  # and its memory is nobody's
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == child:
            os.write(control.fileno(), ENDED + status.to_bytes(4, "little"))
            return 0
