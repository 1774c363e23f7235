"""Whole-number expressions over named extents, as a spec writes them: ``"2 * H + 1"``, ``"min(H, W) - 1"``."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterator, Mapping

Expression = int | str

_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv}
_FUNCTIONS = {"min": min, "max": max}
_LARGEST = 2**63 - 1
_LONGEST = 200  # characters; an expression over extents is short


def names(expression: Expression) -> set[str]:
    """The extents that an expression names, a number none; ``ValueError`` for text that is no expression."""
    if not isinstance(expression, str):
        return set()
    return {node.id for node in _checked(expression) if isinstance(node, ast.Name) and node.id not in _FUNCTIONS}


def value(expression: Expression, extents: Mapping[str, int]) -> int:
    """What the expression is worth; ``KeyError`` for an extent without a value, ``ValueError`` for a division by 0
    and for what no 64-bit extent holds."""
    found = expression
    if isinstance(expression, str):
        _checked(expression)
        found = _value(ast.parse(expression.strip(), mode="eval").body, extents)
    if isinstance(found, int) and abs(found) > _LARGEST:
        raise ValueError(f"{expression!r} is {found}, more than 64 bits hold")
    return found


def _value(node: ast.expr, extents: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=number):
            return number
        case ast.Name(id=name):
            return extents[name]
        case ast.UnaryOp(operand=operand):
            return -_value(operand, extents)
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _value(left, extents), _value(right, extents)
            if isinstance(op, ast.FloorDiv) and b == 0:
                raise ValueError("a division by 0")
            return _OPERATORS[type(op)](a, b)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _FUNCTIONS[name](_value(each, extents) for each in arguments)
    raise AssertionError(node)


def _checked(text: str) -> list[ast.AST]:
    """The parts of an expression that holds nothing but what this module knows."""
    problem = ValueError(f"{text!r} is no expression of whole numbers, extents, + - * //, min() and max()")
    try:
        body = ast.parse(text.strip(), mode="eval").body if len(text) <= _LONGEST else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        body = None
    if body is None:
        raise problem
    parts = list(_parts(body))
    if not all(map(_known, parts)):
        raise problem
    return parts


def _parts(node: ast.expr) -> Iterator[ast.AST]:
    yield node
    match node:
        case ast.UnaryOp(operand=operand):
            yield from _parts(operand)
        case ast.BinOp(left=left, right=right):
            yield from _parts(left)
            yield from _parts(right)
        case ast.Call(args=arguments):
            for each in arguments:
                yield from _parts(each)


def _known(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=number):
            return type(number) is int
        case ast.Name():
            return True
        case ast.UnaryOp(op=ast.USub()):
            return True
        case ast.BinOp(op=op):
            return type(op) in _OPERATORS
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return name in _FUNCTIONS and bool(arguments)
    return False
