"""A TOML table read field by field: every wrong, missing or unknown field is named with its file."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Any

from grader.course.errors import CourseError

SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")  # nbgrader refuses a dot in a grade id
FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")  # a plain name: no folder, no "..", no leading dot or dash
_TYPES = {str: "text", int: "a whole number", list: "a list", dict: "a table"}


class Table:
    """Takes fields out of `data`, checking each; `end()` then refuses what nobody asked for."""

    error: type[Exception] = CourseError  # what `fail` makes; other rooms read their own tables with their own error

    def __init__(self, data: dict[str, Any], where: str):
        self._data = data
        self._where = where
        self._asked: set[str] = set()

    def fail(self, field: str, problem: str) -> Exception:
        return self.error(f'{self._where}: field "{field}": {problem}')

    def has(self, field: str) -> bool:
        self._asked.add(field)
        return field in self._data

    def _take(self, field: str, kind: type) -> Any:
        if not self.has(field):
            raise self.fail(field, "is missing")
        value = self._data[field]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self.fail(field, f"must be {_TYPES[kind]}, not {value!r}")
        return value

    def text(self, field: str) -> str:
        value = self._take(field, str).strip()
        if not value:
            raise self.fail(field, "must not be empty")
        return value

    def slug(self, field: str) -> str:
        value = self._take(field, str)
        if not SLUG.fullmatch(value):
            raise self.fail(field, f"{value!r} may hold only letters, digits, '-' and '_'")
        return value

    def choice(self, field: str, choices: Sequence[str]) -> str:
        value = self._take(field, str)
        if value not in choices:
            raise self.fail(field, f"{value!r} is none of {', '.join(choices)}")
        return value

    def whole(self, field: str, *, least: int) -> int:
        value = self._take(field, int)
        if value < least:
            raise self.fail(field, f"must be at least {least}, not {value}")
        return value

    def positive(self, field: str) -> float:
        """A number of any kind above 0, finite."""
        if not self.has(field):
            raise self.fail(field, "is missing")
        value = self._data[field]
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
            raise self.fail(field, f"must be a number above 0, not {value!r}")
        return value

    def many(self, field: str, kind: type, *, least: int = 0) -> tuple:
        """A list whose items are all of one type, none twice."""
        values = self._take(field, list)
        for value in values:
            if not isinstance(value, kind) or isinstance(value, bool):
                raise self.fail(field, f"every item must be {_TYPES[kind]}, not {value!r}")
        if len(values) < least:
            raise self.fail(field, f"needs at least {least} item{'s' if least > 1 else ''}")
        if (twice := first_twice(values)) is not None:
            raise self.fail(field, f"{twice!r} stands twice")
        return tuple(values)

    def table(self, field: str) -> Table:
        return type(self)(self._take(field, dict), f"{self._where}: [{field}]")

    def tables(self, field: str, name_field: str | None = None) -> list[Table]:
        """An array of tables; errors inside one name it by `name_field`, or by its place. Absent: none."""
        if not self.has(field):
            return []
        found = []
        for place, item in enumerate(self._take(field, list), start=1):
            if not isinstance(item, dict):
                raise self.fail(field, f"must be written as [[{field}]] tables")
            name = item.get(name_field) if name_field else None
            label = f'"{name}"' if isinstance(name, str) else f"number {place}"
            found.append(type(self)(item, f"{self._where}: {field} {label}"))
        return found

    def end(self) -> None:
        """Refuse unknown fields: a misspelt one must not be ignored in silence."""
        for field in self._data:
            if field not in self._asked:
                raise self.fail(field, "is unknown" + did_you_mean(field, self._asked))


def first_twice(values: Iterable[Any]) -> Any | None:
    """The first value that occurs a second time, else None."""
    seen = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`; did you mean "x"?` with the nearest known name, or nothing when none is near."""
    near = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.5)
    return f'; did you mean "{near[0]}"?' if near else ""
