"""The compile cache: one folder of entries whose name is the hash of all that went in.

Written by the grader's parent process only, each entry in one step (a rename), with a hash of its content
inside, so that a damaged or half-written entry is found, dropped and made again. Unusable folders switch the
cache off.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import tempfile
from pathlib import Path

MAX_BYTES = 512 << 20
_PRUNE_ONE_IN = 32


def cache_folder() -> Path:
    """``$GRADER_CACHE``, else the user's cache folder. May not exist yet."""
    if chosen := os.environ.get("GRADER_CACHE"):
        return Path(chosen).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if not os.path.isabs(base):  # this user has no home, as in some containers
        return _for_this_process()
    return Path(base) / "tensorrt-plugin-course"


@functools.cache
def _for_this_process() -> Path:
    return Path(tempfile.mkdtemp(prefix="grader-cache-"))


def key_of(*parts) -> str:
    """A name for what plain data (text, numbers, lists, dicts, bytes) describe."""
    text = json.dumps(parts, sort_keys=True, default=lambda data: hashlib.sha256(data).hexdigest())
    return hashlib.sha256(text.encode()).hexdigest()


class Cache:
    """Entries of one kind: a small JSON object and a blob, under one key."""

    def __init__(self, kind: str, *, max_bytes: int = MAX_BYTES):
        self.folder = cache_folder() / kind
        self._max_bytes = max_bytes

    def get(self, key: str) -> tuple[dict, bytes] | None:
        """An entry as it was put; None where there is none or it is damaged (it is removed then)."""
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        try:
            first, _, blob = data.partition(b"\n")
            entry = json.loads(first)
            if entry["key"] == key and entry["sha256"] == _digest(entry["facts"], blob):
                os.utime(path)  # the oldest by last use are pruned first
                return entry["facts"], blob
        except (ValueError, KeyError, TypeError, OSError):
            pass
        path.unlink(missing_ok=True)
        return None

    def put(self, key: str, facts: dict, blob: bytes) -> None:
        """Keep an entry; a cache that cannot be written is no error."""
        first = json.dumps({"key": key, "sha256": _digest(facts, blob), "facts": facts})
        try:
            write_atomically(self._path(key), first.encode() + b"\n" + blob)
            if int(key[:8], 16) % _PRUNE_ONE_IN == 0:
                self.prune()
        except OSError:
            pass

    def executable(self, key: str, blob: bytes, *, suffix: str = ".bin") -> Path:
        """``blob`` as an executable file beside the entry, verified or rewritten; or ``OSError``."""
        path = self.folder / f"{key}{suffix}"
        try:
            if path.read_bytes() == blob and os.access(path, os.X_OK):
                return path
        except OSError:
            pass
        write_atomically(path, blob, mode=0o755)
        return path

    def prune(self) -> None:
        """Remove the entries that were not used for longest until the rest fits."""
        files = sorted(
            (
                (facts.st_mtime, facts.st_size, path)
                for path in self.folder.iterdir()
                if (facts := path.stat())
            ),
            reverse=True,
        )
        total = 0
        for _, size, path in files:
            total += size
            if total > self._max_bytes:
                path.unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.entry"


def write_atomically(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Readers see the old content or the new, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            os.fchmod(file.fileno(), mode)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _digest(facts: dict, blob: bytes) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode() + b"\n" + blob).hexdigest()
