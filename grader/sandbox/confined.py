"""One confined child, as its supervisor sees it: the command that starts it, what it is told, what it says.

The child is started by the launcher, which confines itself first; in the kind "bubblewrap" that happens inside
namespaces. What the launcher says comes on a socket that the child does not have.
"""

from __future__ import annotations

import functools
import marshal
import os
import resource
import socket
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from grader.sandbox import bubblewrap, confinement, launcher, tidy
from grader.sandbox.records import Limits
from grader.sandbox.view import DEVICES, PACKAGE, around, is_open, view

# Users that no system gives to anybody (https://systemd.io/UIDS-GIDS); a child's is this and its process number, so
# that no two children that run at the same time are the same user.
FIRST_USER = 1_900_000_000
_THREADS = 64 + 4 * (os.cpu_count() or 1)  # that honest processes may have besides the processes that they may be
# CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_KILL, CAP_SETGID, CAP_SETUID, CAP_SETPCAP, CAP_SYS_PTRACE
_RIGHTS = sum(1 << right for right in (0, 1, 3, 5, 6, 7, 8, 19))
_FILES = 1024  # open files of one process
_SPARE = 16 << 20  # bytes of the home's file system beyond its limit, so that the limit is told and not "no space left"
# What of /proc speaks of the machine and not of its processes.
_PROC = (
    "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version", "/proc/filesystems", "/proc/devices",
    "/proc/sys/vm", "/proc/sys/kernel/osrelease",
)  # fmt: skip
# Imported and not run as a file: Python keeps what it compiled of a module.
_LAUNCH = "import sys; sys.path.insert(0, {!r}); import launcher; launcher.main()"
# In a source tree the folder of the package holds much else, and Python cannot import from a folder whose names it may
# not list: the child is given the package under another name.
_IMPORT = (
    "import sys, runpy; sys.path.insert(0, sys.argv.pop(1)); module = sys.argv.pop(1);"
    " runpy.run_module(module, run_name='__main__', alter_sys=True)"
)


class Confined:
    """``command`` is started with the descriptor ``theirs``; then ``start``, and ``listen`` from time to time."""

    def __init__(
        self, kind: str, command: Sequence[str], limits: Limits, *, home: str, cwd: str | Path | None,
        reads: Iterable[str | Path],
    ):  # fmt: skip
        self._limits, self._home, self._private = limits, home, kind == "bubblewrap"
        self.ended: int | None = None  # as waitpid gives it; None: what the process that was started ended with counts
        self.in_memory = 0  # bytes of its files that lie in memory
        self._ready, self._failure = False, ""
        self._folder: int | None = None  # its home, as it sees it
        self.others = bubblewrap.PROCESSES if self._private else 0  # processes that are none of the child's own
        self._view = view([*reads, *([] if cwd is None else [cwd])])
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        folder = os.path.dirname(launcher.__file__)
        start = [sys.executable, "-I", "-S", "-c", _LAUNCH.format(folder), f"--control={self._theirs.fileno()}"]
        if self._private:
            if (bwrap := bubblewrap.program()) is None:
                raise OSError(bubblewrap.MISSING)
            space = None if limits.home_bytes is None else limits.home_bytes + _SPARE
            words = bubblewrap.command(bwrap, self._view, home=home, cwd=str(cwd or home), home_bytes=space)
            self.command = [*words, *start, *command]
        else:
            self.command = [*start, *self._importable(list(command))]

    @property
    def descriptor(self) -> int:
        """The launcher's end, to be passed on."""
        return self._theirs.fileno()

    def start(self, pid: int) -> None:
        """Tell the launcher, which was started as ``pid``, what to give up."""
        self._theirs.close()
        seen = {"read": ["/"]} if self._private else {"read": around(self._view), "names": self._names()}
        seen["read"] += ["/proc"] if self._private else [f"/proc/{pid}", *_PROC]
        uid = FIRST_USER + pid if _can_be_another() and self._for_everybody() else None
        limits = [(resource.RLIMIT_NOFILE, _FILES), (resource.RLIMIT_MSGQUEUE, 0), (resource.RLIMIT_RTPRIO, 0)]
        if self._limits.processes is not None and (uid is not None or self._private and _counts_by_namespace()):
            limits.append((resource.RLIMIT_NPROC, self._limits.processes + _THREADS))
        confine = {
            **seen, "write": [self._home], "devices": [*DEVICES, *self._view.devices], "uid": uid,
            "private": self._private, "driver": bool(self._view.devices), "limits": limits,
        }  # fmt: skip
        self._ours.send(marshal.dumps({"home": self._home, "confine": confine}))

    def listen(self) -> None:
        """Take what the launcher has said."""
        try:
            while True:
                said, descriptors, _, _ = socket.recv_fds(self._ours, 1, 1)
                if said == launcher.HOME and descriptors:
                    (self._folder,) = descriptors
                elif said == launcher.CONFINED:
                    self._ready = True
                elif said == launcher.ENDED:
                    self.ended = int.from_bytes(self._ours.recv(4), "little")
                elif said == launcher.FAILED:
                    self._failure = self._ours.recv(1000).decode(errors="replace")
                else:
                    return
        except OSError:  # nothing more now
            pass

    def fault(self, stderr: str) -> str | None:
        """Why the child, which has ended, never ran; None where it did."""
        if self._failure or self._ready:
            return self._failure or None
        return stderr.strip() or "it ended before it was"

    def files(self, members: Iterable[int]) -> tuple[int, int]:
        """Bytes and number of the files in its home, and of those that it holds open there."""
        if not self._private:
            return tidy.of_folder(self._home, self._limits, members)
        self.listen()
        if self._folder is None:  # not yet
            return 0, 0
        self.in_memory, count = tidy.of_file_system(self._folder)
        return self.in_memory, count

    def close(self) -> None:
        for end in (self._ours, self._theirs):
            end.close()
        if self._folder is not None:
            os.close(self._folder)
            self._folder = None

    def _for_everybody(self) -> bool:
        """Whether a user that nobody is can read what the child is to read."""
        paths = [sys.executable, *self._view.read, *self._view.again]
        return all(is_open(path, parents=not self._private) for path in paths)

    def _names(self) -> list[str]:
        """The folders that Python looks through for the package."""
        return [str(PACKAGE), str(PACKAGE.parent)] if _installed() else [str(PACKAGE), confinement.roof()]

    def _importable(self, command: list[str]) -> list[str]:
        if _installed() or command[1:3] != ["-I", "-m"]:
            return command
        return [command[0], "-I", "-c", _IMPORT, confinement.roof(), *command[3:]]


@functools.cache
def _can_be_another() -> bool:
    """Whether this process may start one as another user, and then watch, end and clean up after it."""
    status = Path("/proc/self/status").read_text()
    rights = int(status.partition("CapEff:")[2].split()[0], 16)
    return os.getuid() == 0 and rights & _RIGHTS == _RIGHTS


def _installed() -> bool:
    """Whether the package lies among others, whose names are no secret."""
    return PACKAGE.parent.name in ("site-packages", "dist-packages")


def _counts_by_namespace() -> bool:
    """Whether the limit on processes counts those of the child's own user namespace alone, as since Linux 5.14."""
    release = os.uname().release.split(".")
    return os.getuid() != 0 and (int(release[0]), int("".join(filter(str.isdecimal, release[1])))) >= (5, 14)
