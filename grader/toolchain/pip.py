"""Runs pip for the plugin lane: under the course's own settings, with its progress, its failures in plain sentences."""

from __future__ import annotations

import contextlib
import errno
import importlib.metadata
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

# Settings of another project must not leak in; indexes, proxies and certificates are the user's and stay.
# `setup/environment.sh` does the same for the first lane.
_FOREIGN = (
    "PIP_REQUIREMENT", "PIP_EDITABLE", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIRE_HASHES", "PIP_DRY_RUN",
    "PIP_PYTHON", "PIP_BUILD_CONSTRAINT", "PIP_IGNORE_INSTALLED", "PIP_PROGRESS_BAR", "PIP_QUIET", "PIP_NO_BINARY",
)  # fmt: skip
_OURS = {"PIP_CONSTRAINT": os.devnull, "PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}

# What pip says, and what that means; the first that fits. Matched against its last lines.
_MEANINGS = (
    (r"No space left on device|Errno 28|Disk quota exceeded", "the disk is full: make room in {place} and in {tmp}"),
    (r"DO NOT MATCH THE HASHES", "what the package index sent is not what the lock pins, so it was not used"),
    (r"externally-managed-environment", "this Python is managed by the system: run the course from its .venv"),
    (r"Permission denied|Errno 13|Read-only file system|Errno 30", "{place} cannot be written"),
    (r"No module named pip\b", "this environment has no pip: `python -m ensurepip` adds it"),
    (r"CERTIFICATE_VERIFY_FAILED|certificate verify failed",
     "the package index's certificate is not trusted here: PIP_CERT names the file with yours"),
    (r"Name or service not known|name resolution|NameResolutionError|NewConnectionError|ConnectTimeout|"
     r"ReadTimeout|Network is unreachable|Connection refused|ProxyError|Connection broken|ConnectionReset",
     "the package index cannot be reached: check the connection to the network"),
    (r"No matching distribution|Could not find a version", "the package index has no file of it for this machine"),
)  # fmt: skip


class PipFailed(Exception):
    """pip did not do it; ``str()`` is the reason, without a capital and a full stop."""


def run_pip(
    arguments: Sequence[str],
    log: Path,
    progress: Callable[[str, str], None],
    keep_open: Sequence[int] = (),
) -> None:
    """Run ``pip arguments``, appending what it says to ``log``; ``PipFailed`` with the reason where it fails.

    ``progress`` is called with a package's name and its size as pip tells it ("61.6 MB", from pip 24.1 on "20 of 61.6
    MB", or ""), and with an empty name once all are there and are being unpacked. An exception in between, such as
    Ctrl-C, ends pip first. pip also holds the descriptors ``keep_open``, so that a lock lives as long as it does.
    """
    verb, *rest = arguments
    command = [sys.executable, "-I", "-m", "pip", verb, *_raw_progress(), *rest]
    lines: list[str] = []
    at = ("", "")
    with log.open("a", encoding="utf-8") as file:
        process = subprocess.Popen(
            command, env=environment(os.environ), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True, pass_fds=keep_open,
        )  # fmt: skip
        try:
            for line in process.stdout:
                lines = [*lines[-40:], line]
                if found := re.match(r"Progress (\d+) of \d+$", line):
                    progress(at[0], f"{int(found[1]) / 1e6:.0f} of {at[1]}")
                    continue
                file.write(line)
                if (seen := follow(line)) is not None:
                    progress(*(at := seen))
            process.wait()
        except BaseException:
            _end(process)
            raise
    if process.returncode != 0:
        raise PipFailed(reason("".join(lines)))


def _raw_progress() -> list[str]:
    """What makes pip tell how many bytes of a file it has; older ones cannot."""
    try:
        version = tuple(map(int, importlib.metadata.version("pip").split(".")[:2]))
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return []
    return ["--progress-bar", "raw"] if version >= (24, 1) else []


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """``given`` with the course's settings for pip and without what would put packages elsewhere."""
    return {name: value for name, value in given.items() if name not in _FOREIGN} | _OURS


def follow(line: str) -> tuple[str, str] | None:
    """What a line of pip's tells of its progress: (package, size); None where it tells nothing."""
    if found := re.match(r"\s*(?:Collecting|Requirement already satisfied:) ([\w.-]+)", line):
        return found[1], ""
    if found := re.match(r"\s*(?:Downloading|Using cached) (?:\S*/)?([A-Za-z0-9_.]+?)-\d\S* \((.+?)\)", line):
        return found[1].replace("_", "-"), found[2]
    return ("", "") if line.startswith("Installing collected packages") else None


def reason(text: str) -> str:
    """Why pip failed, as part of a sentence, from its last lines."""
    for pattern, meaning in _MEANINGS:
        if re.search(pattern, text):
            return meaning.format(place=sys.prefix, tmp=tempfile.gettempdir())
    errors = [line.partition("ERROR: ")[2].strip() for line in text.splitlines() if "ERROR: " in line]
    last = (errors or [line.strip() for line in text.splitlines() if line.strip()] or ["it said nothing"])[-1]
    return f"pip said: {last.rstrip('.')}"


def why_not_written(error: OSError) -> str:
    """The same for a file that could not be written by us."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk is full: make room for {error.filename or sys.prefix}"
    return f"{error.filename or sys.prefix} cannot be written ({(error.strerror or 'unknown reason').lower()})"


def _end(process: subprocess.Popen) -> None:
    """End pip and what it started; it gets a moment to remove its temporary files."""
    for signum in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signum)
        try:
            process.wait(timeout=5)
            return
        except subprocess.TimeoutExpired:
            continue
