"""Which ``#if`` lines are certain not to ask about files of the machine.

``__has_include("/home/someone/file")`` tells whether a file exists, and its name can be put together by
macros (``a##b``, or a header's macro that does so). So a condition may hold numbers, operators, names, and
macros of the learner's own that expand to numbers and operators; nothing in it may be called but the
compiler's own questions. (A macro that replaces one of a library's, used in that library's own ``#if``, can
still ask; it learns whether a file exists and nothing of what is in it.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from grader.toolchain.lexer import Directive

MESSAGE = "Write this condition with numbers and plain names: no strings, no macros with parameters."
NAME_PLAINLY = "Name the file plainly: __has_include(<file.h>), without a macro."

_HAS_INCLUDE = re.compile(r'\b__has_include\s*\(\s*("[^"]*"|<[^<>]*>)\s*\)')
_PROBE = re.compile(r"__has_(?:include|embed)")
_DEFINED = re.compile(r"\bdefined\s*(?:\(\s*[^\W\d][\w$]*\s*\)|[^\W\d][\w$]*)")
_QUESTION = re.compile(r"\b__has_(?:cpp_attribute|attribute|builtin|feature|extension)\s*\(\s*[\w:]+\s*\)")
_CALL = re.compile(r"(?<![\w$])[^\W\d][\w$]*\s*\(")
_NAME = re.compile(r"(?<![\w$'.])[^\W\d][\w$]*")
_DEFINITION = re.compile(r"([^\W\d][\w$]*)(\(?)(.*)", re.S)
_BODY = re.compile(r"[\w\s$+\-*/%<>=!&|^~?:()'.]*")


def own_macros(directives: Iterable[Directive]) -> dict[str, list[str | None]]:
    """Every definition of each macro in the learner's files: its text, or None for one with parameters."""
    macros: dict[str, list[str | None]] = {}
    for directive in directives:
        if directive.name == "define" and (found := _DEFINITION.match(directive.text)):
            macros.setdefault(found[1], []).append(None if found[2] else found[3])
    return macros


def not_plain(macros: Mapping[str, list[str | None]]) -> set[str]:
    """The macros that expand to more than numbers and operators, by themselves or through others. Worked out once for
    all conditions, and without recursion: a file may hold a chain of ten thousand."""
    users: dict[str, list[str]] = {}
    left, found = [], set()
    for name, bodies in macros.items():
        for body in bodies:
            if body is None or not _is_plain(body):
                left.append(name)
            else:
                for used in set(_NAME.findall(body)):
                    users.setdefault(used, []).append(name)
    while left:
        if (name := left.pop()) not in found:
            found.add(name)
            left += users.get(name, ())
    return found


def check_condition(
    text: str, macros: Mapping[str, list[str | None]], refused: set[str], check_target: Callable[[str], str | None]
) -> str | None:
    """Why a condition is refused; None when it is harmless. ``refused``: what ``not_plain`` found in ``macros``;
    ``check_target`` judges the name of a header."""
    for found in _HAS_INCLUDE.finditer(text):
        if message := check_target(found[1][1:-1]):
            return message
    rest = _HAS_INCLUDE.sub("0", text)
    if "__has_include" not in macros:
        rest = re.sub(r"\bdefined\s*(?:\(\s*__has_include\s*\)|__has_include\b)", "1", rest)
    if _PROBE.search(rest):
        return NAME_PLAINLY
    rest = _DEFINED.sub("1", rest)
    if not any(name in macros for name in _NAME.findall("".join(_QUESTION.findall(rest)))):
        rest = _QUESTION.sub("1", rest)
    return None if _is_plain(rest) and refused.isdisjoint(_NAME.findall(rest)) else MESSAGE


def _is_plain(text: str) -> bool:
    return bool(_BODY.fullmatch(text)) and not _CALL.search(text) and _balanced(text)


def _balanced(text: str) -> bool:
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0
