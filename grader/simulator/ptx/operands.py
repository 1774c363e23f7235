"""The values that stand in instructions and initialisers."""

from __future__ import annotations

import re

from grader.simulator.ptx.errors import PtxError
from grader.simulator.ptx.lexer import Tokens, parse_integer
from grader.simulator.ptx.model import Immediate, Name, Operand, Sum

_WORD = re.compile(r"[%_$A-Za-z][\w$%]*")


def value(tokens: Tokens) -> Operand:
    """A name, a name plus an offset, or a constant."""
    if tokens.accept("-"):
        value = parse_integer(tokens.peek())
        if value is None:
            raise PtxError(f"a number expected, {tokens.peek()!r} found", tokens.line)
        tokens.next()
        return Immediate("int", -value)
    token = tokens.next()
    if token[:2] in ("0f", "0F"):
        return Immediate("f32", int(token[2:], 16))
    if token[:2] in ("0d", "0D"):
        return Immediate("f64", int(token[2:], 16))
    value = parse_integer(token)
    if value is not None:
        return Immediate("int", value)
    if not _WORD.match(token):
        raise PtxError(f"an operand expected, {token!r} found", tokens.line)
    if tokens.accept("+"):
        return Sum(token, tokens.integer())
    return Name(token)
