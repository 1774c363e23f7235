"""Writes a table for a platform or a spreadsheet: whole or not at all, and with nothing in it that would be run."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from grader.classroom import durable
from grader.classroom.errors import ClassroomError

_RUN = tuple("=+-@\t\r\n＝＋－＠")  # the wide ones count where Chinese or Japanese is written


@dataclass
class Outcome:
    """What went out: how many rows, and what the instructor must know."""

    rows: int
    told: list[str] = field(default_factory=list)


def refuse_empty(outcome: Outcome, path: Path) -> None:
    """`ClassroomError` for a file without a grade, which would look like one."""
    if not outcome.rows:
        raise ClassroomError(f"No grade can go out, so {path} was not written. {' '.join(outcome.told)}")


def cell(value) -> str:
    """A value as text. What a spreadsheet would run as a formula is kept as text by a leading quote."""
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value.lstrip(" ").startswith(_RUN) and value != "-" else str(value)


def write_table(path: Path, rows: Iterable[Iterable], *, separator: str = ",") -> None:
    """Every text of `rows` goes through `cell`; numbers are to be given as numbers or as text that is one."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator)
    for row in rows:
        writer.writerow([cell(value) for value in row])
    durable.write(path, text.getvalue().encode("utf-8", "replace"), 0o666)
