"""What a child may use, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass

from grader.verdict.records import State


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a child and everything that it starts may use. ``None``: no limit."""

    wall_seconds: float = 20.0  # of a run, or of one call
    memory_bytes: int | None = 2 << 30  # resident, summed over the child and what it started
    processes: int | None = 64
    file_bytes: int | None = 64 << 20  # of one file
    home_bytes: int | None = 512 << 20  # of all files of a confined child
    home_files: int | None = 20_000  # of a confined child, folders included
    output_bytes: int = 1 << 20  # of stdout and of stderr; head and tail are kept
    reply_bytes: int = 1 << 30  # of one answer's payload


DEFAULT = Limits()


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a child ended.

    ``PASS``: it exited with 0 (and answered, if it was asked something). ``ERROR``: another exit code, an
    answer missing or malformed, too many processes or files. ``CRASH``, ``TIMEOUT``, ``OUT_OF_MEMORY`` as named.
    ``GRADER_FAULT``: how it ended could not be found out, or it could not be confined and never ran.
    """

    state: State
    exit_code: int | None = None
    signal: str | None = None  # "SIGSEGV"
    stdout: str = ""
    stderr: str = ""
    header: dict | None = None  # last framed reply on the private channel
    payload: bytes = b""
    seconds: float = 0.0
    message: str = ""  # one plain sentence when it did not pass, as in "the program …"
