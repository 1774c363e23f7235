"""Edits to C++ and CUDA text, by tokens. Comments, strings and preprocessor lines are left alone.

No type is known here, so some edits do not compile; those prove nothing and cost one compilation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grader.proof.edit import ARITHMETIC, LOGICAL, RELATIONAL, Edit, near

_TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|(?m:^[ \t]*\#(?:[^\n\\]|\\.)*(?:\\\n[^\n]*)*))
    |(?P<string>R"(?P<delimiter>[^()\s\\]{0,16})\(.*?\)(?P=delimiter)"
        |"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<number>\.?\d(?:[eEpP][+-]|['\w.])*)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<sign><<<|>>>|<<=|>>=|->\*|\.\.\.|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|.)""",
    re.VERBOSE | re.DOTALL,
)
_TYPES = {
    "auto", "bool", "char", "const", "double", "float", "half", "__half", "int", "long", "short", "signed",
    "unsigned", "void", "volatile", "size_t", "__restrict__",
}  # fmt: skip
_CASTS = {"static_cast", "reinterpret_cast", "const_cast", "dynamic_cast", "template"}
_AFTER_ANGLES = ("(", "::", "{", ">", "*", "&", ",", ")")
_BARRIERS = {"__syncthreads", "__syncwarp", "__threadfence", "__threadfence_block", "__threadfence_system"}
_DIMENSIONS = {"threadIdx": "blockIdx", "blockIdx": "threadIdx", "blockDim": "gridDim", "gridDim": "blockDim"}
_AXES = {"x": "y", "y": "x", "z": "x"}
_NARROWER = {
    "size_t": "int", "ptrdiff_t": "int", "int64_t": "int", "uint64_t": "unsigned",
    "int64": "int", "uint64": "unsigned", "i64": "int", "u64": "unsigned", "double": "float",
}  # fmt: skip
_SPECIFIERS = {"noexcept", "override", "explicit"}
_KEYWORDS = {
    "break", "case", "catch", "continue", "default", "delete", "do", "else", "for", "goto", "if", "return",
    "static_assert", "struct", "switch", "template", "throw", "try", "typedef", "using", "while",
}  # fmt: skip
_FAILURE = re.compile(r"cudaSuccess|status|err|nullptr|fail|Error|STATUS")


@dataclass(frozen=True)
class Token:
    kind: str  # "string", "number", "word" or "sign"
    text: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    """What the compiler sees, without comments and preprocessor lines."""
    found = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup if match.lastgroup != "delimiter" else "string"
        if kind != "skip":
            found.append(Token(kind, match.group(), match.start(), match.end()))
    return found


def edits(text: str) -> Iterator[Edit]:
    """Every edit of the text; the caller picks the lines."""
    all_tokens = tokens(text)
    words = {token.text for token in all_tokens}
    angles = _template_angles(all_tokens)
    depth = 0  # of parentheses: what stands in one is no statement
    for at, token in enumerate(all_tokens):
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        before = all_tokens[at - 1] if at else Token("sign", ";", 0, 0)
        after = all_tokens[at + 1] if at + 1 < len(all_tokens) else Token("sign", ";", len(text), len(text))
        if token.kind == "number":
            for new in near(token.text):
                yield Edit("constant", token.start, token.end, new)
        elif token.kind == "sign":
            if at not in angles:
                yield from _sign(token, before, after)
            if token.text == "?":
                yield Edit("guard", token.start, token.end, "|| true ?")
                yield Edit("guard", token.start, token.end, "&& false ?")
        elif token.kind == "word":
            yield from _word(token, before, after, words)
            yield from _statement(text, all_tokens, at)
            begins = depth == 0 and before.text in (";", "{", "}", ")", "else")
            if begins and (end := _expression(all_tokens, at)):
                yield Edit("statement", token.start, end, "")


def _sign(token: Token, before: Token, after: Token) -> Iterator[Edit]:
    binary = before.kind in ("number", "string") or before.text in (")", "]")
    binary = binary or (before.kind == "word" and before.text not in _TYPES | {"return", "case"})
    sign = token.text
    if sign in RELATIONAL and binary:
        yield Edit("relational", token.start, token.end, RELATIONAL[sign])
    elif sign in ("++", "--"):
        yield Edit("arithmetic", token.start, token.end, ARITHMETIC[sign])
    elif sign in ARITHMETIC and binary:
        yield Edit("arithmetic", token.start, token.end, ARITHMETIC[sign])
    elif sign == "-":
        yield Edit("arithmetic", token.start, token.end, " ")
    elif sign in ("&&", "||") or (sign in LOGICAL and binary and after.text not in (",", ")", ">")):
        yield Edit("logical", token.start, token.end, LOGICAL[sign])
    elif sign == "!" and not binary:
        yield Edit("logical", token.start, token.end, " ")


def _word(token: Token, before: Token, after: Token, words: set[str]) -> Iterator[Edit]:
    if token.text in _DIMENSIONS and after.text == ".":
        yield Edit("index", token.start, token.end, _DIMENSIONS[token.text])
    elif token.text in _AXES and before.text == ".":
        yield Edit("index", token.start, token.end, _AXES[token.text])
    elif token.text in _SPECIFIERS and after.text != "(":
        yield Edit("specifier", token.start, token.end, "")
    elif token.text in _NARROWER:
        yield Edit("narrowed", token.start, token.end, _NARROWER[token.text])
    elif token.text == "long" and after.text == "long":
        yield Edit("narrowed", token.start, after.end, "int")
    elif token.text == "float" and words & {"half", "__half"} and after.kind == "word":
        yield Edit("narrowed", token.start, token.end, "__half")


def _statement(text: str, all_tokens: list[Token], at: int) -> Iterator[Edit]:
    """Dropped guards, barriers and status checks: what begins with the word at `at`."""
    token = all_tokens[at]
    opening = at + 1
    if token.text == "if" and opening < len(all_tokens) and all_tokens[opening].text == "constexpr":
        opening += 1
    closing = _closing(all_tokens, opening)
    if closing is None:
        if token.text == "return":
            yield from _returned(text, all_tokens, at)
        return
    start, end = all_tokens[opening].start, all_tokens[closing].end
    if token.text == "if":
        body = all_tokens[closing + 1 : closing + 3]
        leaves = any(word.text in ("return", "throw") for word in body)
        operator = "status" if leaves and _FAILURE.search(text[start:end]) else "guard"
        yield Edit(operator, start, end, "(false)")
        yield Edit(operator, start, end, "(true)")
    elif token.text in _BARRIERS and all_tokens[closing + 1 : closing + 2]:
        yield Edit("barrier", token.start, end, "")
    elif token.text.isupper() and "CHECK" in token.text:
        yield Edit("status", token.start, all_tokens[opening].start, "(void)")
    elif token.text == "return":
        yield from _returned(text, all_tokens, at)


def _expression(all_tokens: list[Token], at: int) -> int | None:
    """Where the statement at `at` ends, before its `;`, if it is a call, an assignment or a delete."""
    first, second = all_tokens[at], all_tokens[at + 1 : at + 2]
    if first.text in _TYPES or (first.text in _KEYWORDS and first.text != "delete"):
        return None
    declares = second and second[0].kind == "word" and first.text != "delete"
    if first.text in _BARRIERS or declares:
        return None
    depth = 0
    acts = first.text == "delete"
    for token in all_tokens[at:]:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(token.text, 0)
        if depth < 0 or token.text in ("{", "}"):
            return None
        acts = acts or token.text == "(" or token.text.endswith("=")
        if token.text == ";":
            return token.start if acts and depth == 0 else None
    return None


def _returned(text: str, all_tokens: list[Token], at: int) -> Iterator[Edit]:
    """`return call(...);` with the call made and what it returned thrown away."""
    end = next((i for i in range(at, len(all_tokens)) if all_tokens[i].text == ";"), None)
    if end is None or end < at + 4 or all_tokens[at + 1].kind != "word" or all_tokens[end - 1].text != ")":
        return
    called = next((i for i in range(at + 1, end) if all_tokens[i].text == "("), None)
    if called is not None and _closing(all_tokens, called) == end - 1:
        expression = text[all_tokens[at + 1].start : all_tokens[end].start]
        yield Edit(
            "status", all_tokens[at].start, all_tokens[end].end, f"{{ (void)({expression}); return {{}}; }}"
        )


def _closing(all_tokens: list[Token], opening: int) -> int | None:
    """The index of the parenthesis that closes the one at `opening`; None where there is none."""
    if opening >= len(all_tokens) or all_tokens[opening].text != "(":
        return None
    depth = 0
    for at in range(opening, len(all_tokens)):
        depth += {"(": 1, ")": -1}.get(all_tokens[at].text, 0)
        if depth == 0:
            return at
    return None


def _template_angles(all_tokens: list[Token]) -> set[int]:
    """Indices of `<` and `>` around template arguments: after a cast, or or types only."""
    found: set[int] = set()
    for at, token in enumerate(all_tokens):
        if token.text != "<" or not at or all_tokens[at - 1].kind != "word":
            continue
        depth = 0
        for end in range(at, min(at + 40, len(all_tokens))):
            text = all_tokens[end].text
            depth += {"<": 1, ">": -1, ">>": -2}.get(text, 0)
            if depth <= 0:
                after = all_tokens[end + 1] if end + 1 < len(all_tokens) else token
                if all_tokens[at - 1].text in _CASTS or after.kind == "word" or after.text in _AFTER_ANGLES:
                    found |= {at, end}
                break
            plain = all_tokens[end].kind in ("word", "number") or text in ("<", "::", ",", "*", "&", "...")
            if not plain and all_tokens[at - 1].text not in _CASTS:
                break
    return found
