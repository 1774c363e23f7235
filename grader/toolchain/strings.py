"""Strings that compilers hand on to an assembler as they are: in attributes, pragmas and the labels of names.

Such a string may only be a plain name or an option. This look at the source says so at the line; what macros
hide from it, ``assembly`` finds in what comes out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from grader.toolchain.lexer import Token

IN_ATTRIBUTE = "A string in an attribute may hold letters, digits, _, . and $ only."
IN_PRAGMA = "A string in a pragma may hold one plain name or option only."
IN_LABEL = "A name may not be given another one by asm(...): leave that out."

_NAME = re.compile(r'"[A-Za-z0-9_.$]*"')
_OPTIONS = re.compile(r'"[A-Za-z0-9_.$,=+-]*"')
_STRING = re.compile(r'"(?:\\.|[^"\\])*"?')
_OPENINGS = {"__attribute__", "__attribute", "__declspec"}
_TEXT = {"deprecated", "nodiscard", "unavailable", "warning", "error"}  # shown to people, by the compiler
_TAKES_OPTIONS = {"target", "target_clones", "optimize"}
_FREE_PRAGMA = re.compile(r"\s*(?:message\b|(?:GCC|clang)\s+(?:error|warning)\b)")
_ASSEMBLY = {"asm", "__asm", "__asm__"}
_BEFORE_STATEMENT = {"else", "do"}
_OPEN, _CLOSE = {"(", "[", "{"}, {")", "]", "}"}


def check_strings(tokens: Sequence[Token]) -> Iterator[tuple[str, int]]:
    """(message, line) for each string in an attribute or a name's label that is not plain."""
    texts = [token.text for token in tokens]
    depth, callees = 0, []  # inside an attribute: its open brackets, and what stands before each
    for index, token in enumerate(tokens):
        text, before = token.text, texts[index - 1] if index else ""
        if not depth:
            following = texts[index + 1] if index + 1 < len(texts) else ""
            if (text in _OPENINGS and following == "(") or (text == following == "["):
                depth, callees = 1, []
            elif text in _ASSEMBLY and following == "(" and _declares(tokens[index - 1] if index else None):
                yield IN_LABEL, token.line
        elif text in _OPEN:
            callees.append(before.strip("_"))
        elif text in _CLOSE:
            callees = callees[:-1]
            depth = 1 if callees else 0
        elif token.kind == "string" and not _is_plain(text, callees[-1] if callees else ""):
            yield IN_ATTRIBUTE, token.line


def check_pragma_strings(text: str) -> str | None:
    """Why the text of a pragma is refused; None when its strings are plain, or shown to people only."""
    if _FREE_PRAGMA.match(text) or all(_OPTIONS.fullmatch(string) for string in _STRING.findall(text)):
        return None
    return IN_PRAGMA


def _is_plain(string: str, callee: str) -> bool:
    if callee in _TEXT:
        return True
    return bool((_OPTIONS if callee in _TAKES_OPTIONS else _NAME).fullmatch(string))


def _declares(before: Token | None) -> bool:
    """Whether ``asm`` after this token labels a name, as in ``int x asm("y")``; else it is a statement."""
    if before is None:
        return False
    return before.text == "]" or (before.kind == "name" and before.text not in _BEFORE_STATEMENT)
