"""A table of a spec: the readers that only specs need, over those of the course's tables."""

from __future__ import annotations

import math
from typing import Any

from grader.course.table import Table, did_you_mean
from grader.plugin import expressions
from grader.plugin.expressions import Expression
from grader.plugin.fields import field_bytes


class SpecError(Exception):
    """A spec that cannot be used. The text names file, table and key, and says what to do."""


class SpecTable(Table):
    error = SpecError

    def keys(self) -> list[str]:
        return list(self._data)

    def part(self, field: str) -> SpecTable:
        """The table of that name; an empty one where there is none."""
        return self.table(field) if self.has(field) else SpecTable({}, f"{self._where}: [{field}]")

    def parts(self, field: str, name_field: str | None = "name") -> list[SpecTable]:
        return self.tables(field, name_field)

    def is_text(self, field: str) -> bool:
        return self.has(field) and isinstance(self._data[field], str)

    def text_or(self, field: str, default: str | None, *, empty: bool = False) -> str | None:
        if not self.has(field) or (empty and self._data[field] == ""):
            return default if not self.has(field) else ""
        return self.text(field)

    def flag(self, field: str) -> bool:
        value = self._data[field] if self.has(field) else False
        if not isinstance(value, bool):
            raise self.fail(field, f"must be true or false, not {value!r}")
        return value

    def name(self, field: str) -> str:
        value = self.text(field)
        if not value.isidentifier():
            raise self.fail(field, f"{value!r} may hold only letters, digits and '_', and start with no digit")
        return value

    def at_least_zero(self, field: str) -> float:
        value = self._data[field] if self.has(field) else 0.0
        if not _finite(value) or value < 0:
            raise self.fail(field, f"must be a number of at least 0, not {value!r}")
        return float(value)

    def type_names(self, field: str, known: tuple[str, ...], *, twice: bool = False) -> tuple[str, ...]:
        """A list of names out of ``known``."""
        values = self._take(field, list)
        if not values:
            raise self.fail(field, "must not be empty")
        for value in values:
            if value not in known:
                near = did_you_mean(value, known) if isinstance(value, str) else ""
                raise self.fail(field, f"{value!r} is none of {', '.join(known)}{near}")
        if not twice and len(set(values)) < len(values):
            raise self.fail(field, "names a type twice")
        return tuple(values)

    def numbers(self, field: str) -> tuple[float, ...]:
        values = self._take(field, list) if self.has(field) else []
        for value in values:
            if not _number(value):
                raise self.fail(field, f"every item must be a number, not {value!r}")
        return tuple(values)

    def bounds(self, field: str) -> tuple[Expression, Expression] | None:
        """A pair [low, high] of numbers or expressions over extents."""
        if not self.has(field):
            return None
        values = self._take(field, list)
        if len(values) != 2:
            raise self.fail(field, f"must be [lowest, highest], not {values!r}")
        low, high = (v if _finite(v) and isinstance(v, float) else self._expression(field, v) for v in values)
        if not isinstance(low, str) and not isinstance(high, str) and low > high:
            raise self.fail(field, f"the lowest, {low}, lies above the highest, {high}")
        return low, high

    def shape(self, field: str) -> tuple[Expression, ...] | None:
        if not self.has(field):
            return None
        values = tuple(self._expression(field, each) for each in self._take(field, list))
        if len(values) > 8:
            raise self.fail(field, f"has {len(values)} extents; a tensor has 8 at most")
        for value in values:
            if isinstance(value, int) and value < 0:
                raise self.fail(field, f"an extent cannot be {value}; write a name for a dynamic one")
        return values

    def shape_value(self, field: str) -> tuple[Expression, ...] | Expression | None:
        """What a shape input holds: one value, or a list."""
        if not self.has(field):
            return None
        value = self._data[field]
        if isinstance(value, list):
            return tuple(self._expression(field, each) for each in value)
        return self._expression(field, value)

    def _expression(self, field: str, value: Any) -> Expression:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, str):
            try:
                expressions.names(value)
            except ValueError as error:
                raise self.fail(field, str(error)) from None
            return value.strip()
        raise self.fail(field, f"{value!r} must be a whole number, the name of an extent, or an expression of them")

    def attribute_value(self, field: str, kind: str) -> Any:
        """A value that fits the attribute's type; lists become tuples."""
        if not self.has(field):
            raise self.fail(field, "is missing")
        value = _tuples(self._data[field])
        if kind == "char" and not isinstance(value, str) or kind != "char" and isinstance(value, str):
            raise self.fail(field, f"{value!r} is no {'text' if kind == 'char' else f'value of type {kind}'}")
        if kind == "dims" and not isinstance(value, tuple):
            raise self.fail(field, "of dims must be a list of extents, or a list of such lists")
        try:
            _, length = field_bytes(kind, value)
        except (ValueError, TypeError, OverflowError) as error:
            raise self.fail(field, f"{value!r} is no value of type {kind}: {error}") from None
        if not length:
            raise self.fail(field, "must not be empty")
        return value


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _finite(value: Any) -> bool:
    return _number(value) and math.isfinite(value)
