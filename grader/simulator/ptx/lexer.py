"""PTX text to tokens."""

from __future__ import annotations

import re

from grader.simulator.ptx.errors import PtxError

_TOKEN = re.compile(
    r"""(?P<space>(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)+)
      | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<word>\.[A-Za-z_]\w*|[A-Za-z_$%][\w$%.:]*(?<!:))
      | (?P<number>0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0[xX][0-9a-fA-F]+U?|\d+\.\d+|\d+U?)
      | (?P<mark>[{}()\[\],;:@!|+\-=<>*&~])""",
    re.VERBOSE | re.DOTALL,
)


class Tokens:
    """A cursor over the tokens of a text. ``text[i]`` is a token, ``""`` at the end."""

    def __init__(self, source: str):
        self._source = source
        self.text: list[str] = []
        self._position: list[int] = []
        at, end = 0, len(source)
        match = _TOKEN.match
        while at < end:
            found = match(source, at)
            if found is None:
                raise PtxError(f"unexpected character {source[at]!r}", source.count("\n", 0, at) + 1)
            if found.lastgroup != "space":
                self.text.append(found.group())
                self._position.append(at)
            at = found.end()
        self.text.append("")
        self._position.append(end)
        self.at = 0
        self._line, self._line_position = 1, 0

    @property
    def line(self) -> int:
        """The line of the current token; asked for in order, so that counting stays cheap."""
        position = self._position[self.at]
        if position < self._line_position:
            self._line, self._line_position = 1, 0
        self._line += self._source.count("\n", self._line_position, position)
        self._line_position = position
        return self._line

    def peek(self) -> str:
        return self.text[self.at]

    def next(self) -> str:
        token = self.text[self.at]
        if not token:
            raise PtxError("the text ends in the middle", self.line)
        self.at += 1
        return token

    def accept(self, token: str) -> bool:
        if self.text[self.at] == token:
            self.at += 1
            return True
        return False

    def expect(self, token: str) -> None:
        if not self.accept(token):
            raise PtxError(f"{token!r} expected, {self.peek() or 'the end'!r} found", self.line)

    def integer(self) -> int:
        negative = self.accept("-")
        token = self.next()
        value = parse_integer(token)
        if value is None:
            raise PtxError(f"a number expected, {token!r} found", self.line)
        return -value if negative else value

    def skip_group(self) -> None:
        """Skip a balanced ``{ ... }`` whose first brace is the current token."""
        depth = 0
        while True:
            token = self.next()
            depth += (token == "{") - (token == "}")
            if depth == 0:
                return


def parse_integer(token: str) -> int | None:
    """The value of a PTX integer literal, None if it is none."""
    digits = token.rstrip("U")
    try:
        if digits[:2] in ("0x", "0X"):
            return int(digits, 16)
        if digits[:1] == "0" and digits.isdigit() and len(digits) > 1:
            return int(digits, 8)
        return int(digits) if digits.isdigit() else None
    except ValueError:
        return None
