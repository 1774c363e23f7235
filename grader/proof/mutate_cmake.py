"""Edits to a ``CMakeLists.txt``: a command less, an argument less, another number."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.proof.edit import Edit, near

_COMMAND = re.compile(r"(?m)^[ \t]*(?P<name>[A-Za-z_]\w*)[ \t]*\(")
_ARGUMENT = re.compile(r'#[^\n]*|"(?:\\.|[^"\\])*"|(?P<end>\))|[^\s()"#]+|\(', re.DOTALL)


def edits(text: str) -> Iterator[Edit]:
    """Every edit of the text; the caller picks the lines."""
    position = 0
    while command := _COMMAND.search(text, position):
        arguments, end = [], len(text)
        for found in _ARGUMENT.finditer(text, command.end()):
            if found["end"]:
                end = found.end()
                break
            if not found[0].startswith("#"):
                arguments.append(found)
        yield Edit("statement", command.start("name"), end, "")
        for argument in arguments:
            yield Edit("argument", argument.start(), argument.end(), "")
            for new in near(argument[0]):
                yield Edit("constant", argument.start(), argument.end(), new)
        position = end
