"""Edits to Python text: operators and numbers by the tokenizer, guards by the syntax tree."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator

from grader.proof.edit import ARITHMETIC, LOGICAL, RELATIONAL, Edit, near

_NARROWER = {
    "float64": "float32",
    "float32": "float16",
    "int64": "int32",
    "int32": "int16",
    "complex128": "complex64",
}
_OPERANDS = {tokenize.NAME, tokenize.NUMBER, tokenize.STRING}
_SKIPPED = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
}


def edits(text: str) -> Iterator[Edit]:
    """Every edit of the text; the caller picks the lines. SyntaxError passes through: a solution parses."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    yield from _by_tokens(text, starts)
    yield from _guards(text, starts)


def _ends_string(token: tokenize.TokenInfo) -> bool:
    return tokenize.tok_name[token.type].endswith("STRING_END")


def _by_tokens(text: str, starts: list[int]) -> Iterator[Edit]:
    before = None
    inside = 0  # an f-string is left alone: before Python 3.12 it is a single token without places inside
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        name = tokenize.tok_name[token.type]
        inside += name.endswith("STRING_START") - _ends_string(token)
        if token.type in _SKIPPED or inside:
            continue
        start = starts[token.start[0] - 1] + token.start[1]
        end = starts[token.end[0] - 1] + token.end[1]
        keyword = before is not None and before.string in (
            "return",
            "and",
            "or",
            "not",
            "in",
            "if",
            "else",
            "lambda",
        )
        binary = before is not None and not keyword
        binary = binary and (before.type in _OPERANDS or before.string in ")]}" or _ends_string(before))
        word = token.string
        if token.type == tokenize.NUMBER:
            for new in near(word):
                yield Edit("constant", start, end, new)
        elif word in RELATIONAL:
            yield Edit("relational", start, end, RELATIONAL[word])
        elif token.type == tokenize.OP and word in ARITHMETIC and binary:
            yield Edit("arithmetic", start, end, ARITHMETIC[word])
        elif token.type == tokenize.OP and word == "-":
            yield Edit("arithmetic", start, end, " ")
        elif word in LOGICAL and token.type in (tokenize.NAME, tokenize.OP):
            yield Edit("logical", start, end, LOGICAL[word])
        elif word == "not" and (before is None or before.string != "is"):
            yield Edit("logical", start, end, " ")
        elif token.type == tokenize.NAME and word in _NARROWER:
            yield Edit("narrowed", start, end, _NARROWER[word])
        before = token


def _outside_f_strings(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.JoinedStr):
            yield child
            yield from _outside_f_strings(child)


def _guards(text: str, starts: list[int]) -> Iterator[Edit]:
    lines = text.splitlines(keepends=True)

    def offset(line: int, column: int) -> int:  # the tree counts columns in UTF-8 bytes
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    for node in _outside_f_strings(ast.parse(text)):
        words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)  # a docstring, or `...`
        if isinstance(node, ast.Expr | ast.AugAssign) and not words:
            start = offset(node.lineno, node.col_offset)
            yield Edit("statement", start, offset(node.end_lineno, node.end_col_offset), "pass")
        if isinstance(node, ast.If | ast.IfExp):
            start = offset(node.test.lineno, node.test.col_offset)
            end = offset(node.test.end_lineno, node.test.end_col_offset)
            yield Edit("guard", start, end, "True")
            yield Edit("guard", start, end, "False")
        elif (
            isinstance(node, ast.Subscript)
            and isinstance(node.slice, ast.Tuple)
            and len(node.slice.elts) == 2
        ):
            first, second = node.slice.elts  # a[i, j] -> a[j, i]
            start = offset(first.lineno, first.col_offset)
            end = offset(second.end_lineno, second.end_col_offset)
            pair = [ast.get_source_segment(text, part) for part in (second, first)]
            if None not in pair:
                yield Edit("index", start, end, ", ".join(pair))
