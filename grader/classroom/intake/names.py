"""A student's folder name from what a platform calls them: readable, safe, the same in every run."""

from __future__ import annotations

import hashlib
import re
import unicodedata

LONGEST = 100  # bytes of UTF-8; file systems take 255, and feedback and history add to it
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")  # no file's name on Windows


def safe(text: str) -> str:
    """Letters and digits of every script, and `. _ @ -`; anything else becomes one `_`."""
    kept = (c if c.isalnum() or unicodedata.category(c)[0] == "M" or c in "._@-" else "_"
            for c in unicodedata.normalize("NFC", text))  # fmt: skip
    name = re.sub(r"_+", "_", "".join(kept)).strip("._-")
    name = name.encode()[:LONGEST].decode(errors="ignore").rstrip("._-")
    return f"{name}_" if _RESERVED.fullmatch(name) else name or "student"


def student_id(name: str, number: str = "") -> str:
    """Of a person whom no roster knows. People with different numbers never share one."""
    if not name:
        return safe(number)
    return f"{safe(name)}_{safe(number)}" if number else as_it_is(name)


def as_it_is(name: str) -> str:
    """The name of a folder that an instructor or nbgrader chose, kept where grading can take it."""
    fits = (
        name.isprintable()
        and not set(name) & set("*?[/\\+")
        and not name.startswith((".", " ", "-"))
        and not _RESERVED.fullmatch(name)
    )
    if fits and len(name.encode("utf-8", "replace")) <= LONGEST and not name.endswith((".", " ")):
        return name
    return apart(safe(name), name)


def apart(student: str, *what: str) -> str:
    """`student` with a mark made of `what`, so that two people whose names look the same stay two."""
    return f"{student}_{hashlib.sha256(repr(what).encode('utf-8', 'replace')).hexdigest()[:6]}"


def comparable(text: str) -> str:
    """A person's or a group's name as far as platforms keep it: Canvas drops all but letters and digits."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())
