"""One change to a text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """Replace `text[start:end]` by `new`; `operator` is one of `mutants.OPERATORS`."""

    operator: str
    start: int
    end: int
    new: str


RELATIONAL = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ARITHMETIC = {
    "+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "//": "*", "**": "*",
    "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "++": "--", "--": "++", "<<": ">>", ">>": "<<",
}  # fmt: skip
LOGICAL = {"&&": "||", "||": "&&", "and": "or", "or": "and", "&": "|", "|": "&"}


def near(number: str) -> list[str]:
    """A numeric literal plus and minus 1, a float also 1 % more; none for what is not a plain decimal."""
    body = number.rstrip("fFuUlL")
    suffix = number[len(body) :]
    if body.isdigit():
        return [
            f"{int(body) + 1}{suffix}",
            f"({int(body) - 1}{suffix})" if body == "0" else f"{int(body) - 1}{suffix}",
        ]
    try:
        value = float(body)
    except ValueError:
        return []
    return [f"({changed!r}{suffix})" for changed in (value + 1, value - 1, value * 1.01) if changed != value]
