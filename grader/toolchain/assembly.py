"""Looks through a compiler's assembly before the assembler does, which would follow orders to read files.

A compiler gives some strings of a source to the assembler as they are (``section("...")``, ``asm("...")``), and
macros can hide those from any look at the source. What comes out of a compiler for honest source holds no order
to read a file and none that could make up such an order.
"""

from __future__ import annotations

import re

_ORDER = re.compile(
    r"\.(?:incbin|include|macro|endm|exitm|purgem|altmacro|noaltmacro|irpc?|rept?)\b", re.I
)
_STRING = re.compile(r'"(?:\\.|[^"\\])*"')
_DATA = re.compile(r'(?:[.\w$]+:)?\s*\.(?:string|ascii|asciz|ident|file(?:\s+\d+)?)\s+(?:"(?:\\.|[^"\\])*"\s*)+')
_DISGUISE = re.compile(r"['\"\\]|/\*")  # with these, what is a string to us may be none to the assembler


def reads_files(text: str) -> bool:
    """Whether an assembler that reads ``text`` might read another file, or is not certain not to."""
    if not _ORDER.search(text):
        return False
    for line in text.splitlines():
        if _ORDER.search(line) and not _DATA.fullmatch(line.strip()):
            return True
        if _DISGUISE.search(_STRING.sub("", line)):
            return True
    return False
