"""What the host answers to each command and method, as a pattern: what does not fit was not written by the host.

A plugin shares the process with the host and can write to its channel. That is found out here, once, so that nobody
else has to doubt what an answer is made of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Pattern = Callable[[Any], bool]


def _anything(_: Any) -> bool:
    return True


def _null(value: Any) -> bool:
    return value is None


def _integer(value: Any) -> bool:
    return type(value) is int


def _text(value: Any) -> bool:
    return type(value) is str


def _bytes(value: Any) -> bool:
    return type(value) is bytes


def _or_null(pattern: Pattern) -> Pattern:
    return lambda value: value is None or pattern(value)


def _row(*patterns: Pattern) -> Pattern:
    """A list of so many items, each as its pattern says."""
    return lambda value: (
        type(value) is list and len(value) == len(patterns) and all(p(v) for p, v in zip(patterns, value, strict=True))
    )


def _rows(pattern: Pattern) -> Pattern:
    return lambda value: type(value) is list and all(map(pattern, value))


def _node(value: Any) -> bool:
    """A node of a shape expression: ["c", value], ["s", name], or [kind, number, operand, operand]."""
    if type(value) is not list or not value:
        return False
    if value[0] in ("c", "s"):
        return len(value) == 2 and (_integer if value[0] == "c" else _text)(value[1])
    kinds = {"o": range(9), "z": range(-(1 << 31), 1 << 31)}
    return (
        value[0] in ("o", "z") and len(value) == 4 and _integer(value[1]) and value[1] in kinds[value[0]]
        and all(map(_or_null(_integer), value[2:]))
    )  # fmt: skip


_named = _or_null(_text)
_object = _or_null(_row(_integer, _integer))  # its number and its address
_fields = _or_null(_rows(_row(_named, _integer, _integer, _or_null(_bytes), _named)))
_shape = _or_null(_rows(_or_null(_integer)))
_pair = _row(_integer, _integer)

_COMMANDS: dict[str, Pattern] = {
    "load": lambda value: _row(_text)(value) or _row(_null, _rows(_text), _rows(_integer))(value),
    "list": _row(_or_null(_rows(_or_null(_integer))), _integer, _or_null(_integer), _rows(_integer)),
    "creator": _row(_named, _integer, _named, _named, _named, _fields),
    "look-up": _or_null(_integer),
    "register": _integer,
    "create": _object,
    "deserialize": _object,
    "unload": _integer,
    "lives": _row(_integer, _integer, _integer),
    "fuzz": _pair,
    "threads": _rows(_rows(_integer)),
    "gpu": _row(_integer, _or_null(lambda value: _integer(value) or _bytes(value))),
}
_METHODS: dict[str, Pattern] = {
    # V2's attachToContext gives nothing.
    **dict.fromkeys(("clone", "attachToContext"), _object),
    **dict.fromkeys(("getPluginName", "getPluginType", "getPluginVersion", "getPluginNamespace"), _named),
    **dict.fromkeys(("getTimingCacheID", "getMetadataString"), _named),
    **dict.fromkeys(("getFieldsToSerialize", "sameFields"), _fields),
    **dict.fromkeys(("getOutputDataTypes", "getValidTactics"), _row(_integer, _rows(_integer))),
    "getCapabilityInterface": _or_null(_row(_named, _integer, _integer, _integer)),
    "getOutputShapes": _row(_integer, _rows(_node), _rows(_shape)),
    "getOutputDimensions": _row(_rows(_node), _shape),
    "formatCombinations": _row(_rows(_rows(_pair)), _integer, _integer),
    "serialize": _row(_integer, _or_null(_bytes), _integer),
    **dict.fromkeys(("setPluginNamespace", "configurePlugin", "terminate", "detachFromContext"), _or_null(_integer)),
}


def fits(command: str, arguments: list, result: Any) -> bool:
    """Whether the host can have given this result. What is not in the tables is an integer, or null for nothing."""
    if command == "call":
        return _METHODS.get(arguments[1], _integer)(result)
    return _COMMANDS.get(command, _anything)(result)
