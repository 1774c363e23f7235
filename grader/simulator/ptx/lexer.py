"""PTX text to tokens."""

from __future__ import annotations

import re

from grader.simulator.ptx.errors import PtxError

_TOKEN = re.compile(
    r"""//.*
      | "(?:[^"\\]|\\.)*"
      | \.[A-Za-z_]\w*|[A-Za-z_$%][\w$%.:]*(?<!:)
      | 0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0[xX][0-9a-fA-F]+U?|\d+\.\d+|\d+U?
      | [^ \t\r]""",
    re.VERBOSE | re.ASCII,
)
_MARKS = frozenset("{}()[],;:@!|+-=<>*&~")
_WORD_OR_DIGIT = re.compile(r"[A-Za-z_$%\d]")
_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*"|//[^\n]*)|/\*.*?\*/', re.DOTALL)


class Tokens:
    """A cursor over the tokens of a text. ``text[i]`` is a token, ``""`` at the end."""

    def __init__(self, source: str):
        if "/*" in source:
            source = _COMMENT.sub(lambda found: found[1] or " " + "\n" * found[0].count("\n"), source)
        self.text: list[str] = []
        self._lines: list[int] = []
        number = 0
        # Most of a load's time goes by here: one call of the regular expression for a whole line.
        for number, line in enumerate(source.split("\n"), 1):
            found = _TOKEN.findall(line)
            if found and found[-1].startswith("//"):
                found.pop()
            self.text += found
            self._lines += [number] * len(found)
        self._check()
        self.text.append("")
        self._lines.append(number)
        self.at = 0

    def _check(self) -> None:
        """The expression's last alternative takes any character, so that none is lost."""
        wrong = {t for t in set(self.text) if len(t) == 1 and t not in _MARKS and not _WORD_OR_DIGIT.match(t)}
        for token, line in zip(self.text, self._lines, strict=True) if wrong else ():
            if token in wrong:
                raise PtxError(f"unexpected character {token!r}", line)

    @property
    def line(self) -> int:
        """The line of the current token, counted from 1."""
        return self._lines[self.at]

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
