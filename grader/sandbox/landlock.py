"""Landlock: the kernel lets a process give up its right to files, for itself and all that it will start.

Anyone may do so, without namespaces and without rights (https://docs.kernel.org/userspace-api/landlock.html). Rules
allow, and nothing else is left: no file that no rule names can be opened, made, renamed or removed. Not covered are
asking whether a file exists and changing modes, owners and times, for which ``seccomp`` stands in.
"""

from __future__ import annotations

import ctypes
import errno
import os

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # system calls, the same numbers on all machines
_PATH_BENEATH = 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE, _IOCTL = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14, 1 << 15
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}  # by the version that has them
_TCP = 3  # to bind and to connect, since version 4
_SCOPES = 3  # abstract sockets and signals stay within, since version 6
_SINCE_TCP, _SINCE_SCOPES = 4, 6


def version() -> int:
    """The version of Landlock that the kernel has; 0: none, or switched off."""
    found = _library().syscall(_CREATE, None, 0, 1)
    return max(0, found)


def switched_off() -> bool:
    """Whether the kernel has it and was started without."""
    return _library().syscall(_CREATE, None, 0, 1) < 0 and ctypes.get_errno() == errno.EOPNOTSUPP


def keeps_signals_in() -> bool:
    """Whether the kernel also keeps signals from reaching processes outside."""
    return version() >= _SINCE_SCOPES


def restrict(*, read=(), names=(), write=(), devices=()) -> None:
    """Give up everything but: to read and execute beneath ``read``, to list names beneath ``names``, to do anything
    beneath ``write``, to read, write and control ``devices``. Paths that do not exist are passed over. ``no_new_privs``
    must be set. ``OSError`` when the kernel refuses."""
    abi = version()
    handled = max(rights for since, rights in _RIGHTS.items() if since <= abi) if abi else 0
    library = _library()
    attributes = b"".join(
        number.to_bytes(8, "little")
        for number, since in ((handled, 1), (_TCP, _SINCE_TCP), (_SCOPES, _SINCE_SCOPES))
        if since <= abi
    )
    rules = _checked(library.syscall(_CREATE, attributes, len(attributes), 0), "has no Landlock")
    try:
        for paths, rights in (
            (read, _EXECUTE | _READ_FILE | _READ_DIR), (names, _READ_DIR), (write, handled & ~_IOCTL),
            (devices, _READ_FILE | _WRITE_FILE | _IOCTL | _READ_DIR),
        ):  # fmt: skip
            for path in paths:
                _allow(library, rules, path, rights & handled)
        _checked(library.syscall(_RESTRICT, rules, 0), "refuses Landlock rules")
    finally:
        os.close(rules)


def _allow(library, rules: int, path, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    try:
        is_folder = os.stat(descriptor).st_mode & 0o170000 == 0o040000
        rights &= -1 if is_folder else _FILE_RIGHTS
        rule = rights.to_bytes(8, "little") + descriptor.to_bytes(4, "little")
        _checked(library.syscall(_ADD, rules, _PATH_BENEATH, rule, 0), f"refuses a Landlock rule for {path}")
    finally:
        os.close(descriptor)


def _library():
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return library


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno() or errno.ENOSYS
        raise OSError(number, f"the kernel {what}: {os.strerror(number)}")
    return result
