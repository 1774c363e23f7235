"""Small file helpers of the workspace."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from datetime import datetime
from pathlib import Path


def write_atomically(path: Path, data: bytes) -> None:
    """Write the whole file or nothing: a reader, or a machine that stops half-way, never sees a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp gives 0600; keep what the file had, else the usual 0644 less the umask.
        os.chmod(temporary, path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def read_or_none(path: Path) -> bytes | None:
    """The file's bytes, None where there is no such file. A folder or a pipe in its place is an ``OSError``."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would keep us waiting for ever
            raise OSError(errno.EISDIR, "is no ordinary file", str(path))
        return path.read_bytes()
    except FileNotFoundError:
        return None


def new_timestamped(folder: Path) -> Path:
    """A path under `folder` named by local date and time that does not exist yet; not created."""
    stem = datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
    path, count = folder / stem, 1
    while path.exists():
        count += 1
        path = folder / f"{stem}_{count}"
    return path
