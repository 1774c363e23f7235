"""Times as nbgrader writes them: `2026-11-30 12:00:00.000000 UTC`. Everything here is naive UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_LONGEST = 100  # characters
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?) ?([A-Za-z][\w/+-]*|[+-]\d\d:?\d\d)?")


def parse(text: str) -> datetime | None:
    """None for what is no such time, or whose time zone nobody knows."""
    match = _STAMP.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if not match:
        return None
    try:
        time = datetime.fromisoformat(match[1])
        return time - _offset(match[2] or "UTC", time)
    except (ValueError, OverflowError, OSError):  # OSError: a zone's name is looked for among files
        return None


def _offset(zone: str, time: datetime) -> timedelta:
    if zone in ("UTC", "GMT", "Z"):
        return timedelta()
    if zone[0] in "+-":
        digits = zone[1:].replace(":", "")
        offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
        return offset if zone[0] == "+" else -offset
    from dateutil.tz import gettz  # as nbgrader does

    if (found := gettz(zone)) is None:
        raise ValueError(f"no such time zone: {zone}")
    return time.replace(tzinfo=found).utcoffset() or timedelta()


def stamp(time: datetime) -> str:
    """As nbgrader's `timestamp.txt` has it."""
    return f"{time:%Y-%m-%d %H:%M:%S.%f} UTC"


def now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)


def of_file(seconds: float) -> datetime | None:
    """A file's time of change, None if it is none that can be."""
    try:
        return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        return None
