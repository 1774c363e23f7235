"""A control group of the kernel that counts a child's processes, where this user may make one (often root).

Nothing that the child starts can leave it without root's rights, and none can be started beyond its limit; so
it holds what a user's process limit, which does not count for root, cannot.
"""

from __future__ import annotations

import functools
import os
import secrets
import signal
from pathlib import Path

_THREADS = 64 + 4 * (os.cpu_count() or 1)  # that honest processes may have besides the processes that they may be


class PidsGroup:
    """One group with one child in it, and all that this starts."""

    def __init__(self, folder: Path):
        self._folder = folder

    @classmethod
    def make(cls, pid: int, processes: int) -> PidsGroup | None:
        """A group with the process ``pid`` in it; None where the machine or this user has none."""
        if (parent := _parent()) is None:
            return None
        group = cls(parent / f"grader-{os.getpid()}-{secrets.token_hex(4)}")
        try:
            group._folder.mkdir()
            (group._folder / "pids.max").write_text(str(processes + _THREADS))
            (group._folder / "cgroup.procs").write_text(str(pid))
            return group
        except OSError:
            group.remove()
            return None

    def members(self) -> set[int]:
        """Process numbers, without zombies."""
        try:
            return {int(line) for line in (self._folder / "cgroup.procs").read_text().split()}
        except (OSError, ValueError):
            return set()

    def kill(self) -> None:
        """Let nothing start any more, and kill what is there."""
        try:
            (self._folder / "pids.max").write_text("0")
        except OSError:
            pass
        for pid in self.members() - {0}:  # 0: a process outside this one's namespace
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass

    def remove(self) -> None:
        """Give it back; one that still holds a process stays."""
        try:
            self._folder.rmdir()
        except OSError:
            pass


@functools.cache
def _parent() -> Path | None:
    """The folder of this process's own group, where groups that count processes can be made."""
    try:
        groups = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines()]
    except OSError:
        return None
    for _, controllers, path in groups:
        if controllers not in ("", "pids"):
            continue
        folder = Path("/sys/fs/cgroup", controllers) / path.lstrip("/")
        if not os.access(folder, os.W_OK) or not (controllers or _delegates_pids(folder)):
            continue
        _tidy(folder)
        return folder
    return None


def _delegates_pids(folder: Path) -> bool:
    try:
        return "pids" in (folder / "cgroup.subtree_control").read_text().split()
    except OSError:
        return False


def _tidy(folder: Path) -> None:
    """Remove the empty groups of graders that were killed."""
    for left in folder.glob("grader-*-*"):
        if not os.path.exists(f"/proc/{left.name.split('-')[1]}"):
            PidsGroup(left).remove()
