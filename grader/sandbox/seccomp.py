"""A seccomp filter: a small program that the kernel runs at each system call of this process and its descendants.

It refuses what a confined child has no use for; it is the second line behind namespaces in one kind of confinement, and
beside Landlock the first in the other.
"""

from __future__ import annotations

import ctypes
import errno
import os

try:
    from grader.sandbox import syscalls
except ImportError:  # in the launcher, which finds its neighbours by their folder
    import syscalls

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000  # x86-64's second set of numbers, which no filter of ours knows
_NAMESPACES = 0x7E020000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_THREAD = 0x00010000  # CLONE_THREAD
_AF_UNIX = 1
_DUMPABLE = 4  # PR_SET_DUMPABLE: what sets it to 0 cannot be watched

_LOAD, _EQUAL, _AT_LEAST, _HAS_BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data; arguments of 8 bytes, low half first
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_REFUSE = _ERRNO | errno.EPERM
_PRETEND = _ERRNO

_PR_SET_SECCOMP, _MODE_FILTER = 22, 2


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def supported() -> bool:
    """Whether this machine's numbers are known."""
    return os.uname().machine in _ARCHITECTURES


def restrict(
    *, processes: bool = True, metadata: bool = True, signals: bool = True, local_socket: bool = False
) -> None:
    """Put the filter on this thread, for good. ``no_new_privs`` must be set. ``OSError`` when the kernel refuses.

    ``processes``: whether it may start processes and programs; threads it may always. ``metadata``: whether it may
    change modes, owners and times of files; ``signals``: whether it may send them to other processes. The last two are
    for a child with a user of its own, or that sees nothing but its own. ``local_socket``: whether it may wait at a
    socket of its own, of the machine's own kind (AF_UNIX), as NVIDIA's driver does; it can connect to none.
    """
    code = program(
        os.uname().machine, os.getpid(), processes=processes, metadata=metadata, signals=signals,
        local_socket=local_socket,
    )  # fmt: skip
    library = ctypes.CDLL(None, use_errno=True)
    described = _Program(len(code) // 8, code)
    if library.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(described), 0, 0):
        number = ctypes.get_errno()
        raise OSError(number, f"the kernel refuses a seccomp filter: {os.strerror(number)}")


def program(
    machine: str, pid: int, *, processes: bool, metadata: bool, signals: bool, local_socket: bool = False
) -> bytes:
    """The filter as the kernel takes it, for the process ``pid`` on a ``machine``."""
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, _ARCHITECTURES[machine]), (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]  # fmt: skip
    if machine == "x86_64":
        steps += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _KILL)]

    def rule(table: str, *body) -> None:
        """For each call of the table: ``body``, which ends with an answer; any other call goes past it."""
        for number in syscalls.numbers(table, machine):
            steps.extend([(_EQUAL, 0, len(body), number), *body])

    def argument(index: int):
        return (_LOAD, 0, 0, _ARGUMENTS + 8 * index)

    def only(index: int, *values: int):
        """Allow the call if its argument is one of the values, else refuse it."""
        tests = [(_EQUAL, len(values) - at, 0, value) for at, value in enumerate(values)]
        return argument(index), *tests, refuse, allow

    def never(index: int, *values: int):
        """Refuse the call if its argument is one of the values, else allow it."""
        tests = [(_EQUAL, len(values) - at, 0, value) for at, value in enumerate(values)]
        return argument(index), *tests, allow, refuse

    refuse, allow, pretend = (_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _PRETEND)
    if processes:
        rule(syscalls.CLONE, argument(0), (_HAS_BITS, 0, 1, _NAMESPACES), refuse, allow)
    else:
        rule(syscalls.CLONE, argument(0), (_HAS_BITS, 1, 0, _NAMESPACES), (_HAS_BITS, 1, 0, _THREAD), refuse, allow)
        rule(syscalls.PROCESSES, refuse)
    if local_socket:
        rule(syscalls.SOCKET, *only(0, _AF_UNIX))
        rule(syscalls.WAITING, allow)
    rule(syscalls.SOCKET + "," + syscalls.WAITING, refuse)
    rule(syscalls.REFUSED, refuse)
    rule(syscalls.ABSENT, (_RETURN, 0, 0, _ERRNO | errno.ENOSYS))
    rule(syscalls.PRETENDED, pretend)
    if not metadata:
        rule(syscalls.METADATA, pretend)
        rule(syscalls.PRCTL, argument(0), (_EQUAL, 0, 1, _DUMPABLE), pretend, allow)
    if not signals:
        rule(syscalls.SIGNALS, *only(0, pid))
    rule(syscalls.OF_ITSELF, *only(0, 0, pid))
    rule(syscalls.FCNTL, *never(1, *syscalls.FCNTL_REFUSED))
    rule(syscalls.IOCTL, *never(1, *syscalls.IOCTL_REFUSED))
    steps.append(allow)
    return b"".join(
        code.to_bytes(2, "little") + bytes([yes, no]) + value.to_bytes(4, "little") for code, yes, no, value in steps
    )
