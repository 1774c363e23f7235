"""Who is in the class: a CSV file of the instructor's own, or what Canvas or Moodle exports.

| kind | its columns | made by |
|---|---|---|
| plain | `id`; any of `name`, `email`, `canvas`, `moodle`, `group`, `submitted` | the instructor |
| canvas | `Student` (or `LastName`, `FirstName`), `ID`, `Section` | Canvas, Grades, Export (`gradebook_exporter.rb`) |
| worksheet | `Identifier`, `Grade`, `Status`; mostly `Full name` | Moodle, Assignment, Download grading worksheet |
| moodle | `First name`, `Last name`; `Email address`, `Username` or `ID number` | Moodle, Grades, Export, Plain text |

`name` is "Ada Lovelace" or "Lovelace, Ada", `canvas` Canvas' user id, `moodle` the participant's number, `submitted`
when the work was handed in (ISO 8601).

A student's id, the folder's name, is the column `id`; from Canvas `SIS Login ID`, else `SIS User ID`; from Moodle
`Email address`, else `Username`, else `ID number`; else name and number as without a roster.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from grader.classroom import folder
from grader.classroom.errors import ClassroomError
from grader.classroom.folder import Unreadable, printable
from grader.classroom.intake import times
from grader.classroom.intake.handin import Sender
from grader.classroom.intake.names import comparable, safe, student_id
from grader.classroom.notebook_text import decode

LARGEST = 32 << 20
_LAST = ("last name", "surname")


@dataclass(frozen=True)
class Person:
    """One row. `canvas` is the user id in Canvas, `moodle` the participant's number in one assignment of Moodle's."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()  # other forms of the name
    email: str = ""
    login: str = ""
    canvas: str = ""
    moodle: str = ""
    group: str = ""
    submitted: datetime | None = None  # naive UTC
    row: tuple[str, ...] = ()
    last: str = ""  # of the name, where the file says it

    @property
    def names(self) -> set[str]:
        """Every form of the name, `comparable`."""
        return {comparable(name) for name in (self.name, *self.aliases)}

    @property
    def turned(self) -> set[str]:
        """The name with its last words first: Canvas' archive says "lovelaceada", a roster "Ada Lovelace"."""
        words = self.name.split()
        return {comparable("".join(words[n:] + words[:n])) for n in range(1, len(words))}

    @property
    def last_and_first(self) -> tuple[str, str]:
        """The name in two parts; without better knowledge the last word is the last name."""
        last = self.last or self.name.rpartition(" ")[2]
        return last, self.name.removesuffix(last).strip()


@dataclass(frozen=True)
class Roster:
    """`header` and `rows` are the file's own, for the file that goes back; `people` has a person for each row that is
    one, in order, and their `row`."""

    path: Path
    kind: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    people: tuple[Person, ...]
    _index: dict[tuple[str, str], list[Person]] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        for person in self.people:
            keys = [("id", person.id.casefold()), ("canvas", person.canvas), ("moodle", person.moodle)]
            keys += [("id", other.casefold()) for other in (person.login, person.email)]
            keys += [("name", name) for name in person.names] + [("turned", name) for name in person.turned]
            keys += [("group", comparable(person.group))]
            for key in dict.fromkeys(keys):
                if key[1]:
                    self._index.setdefault(key, []).append(person)

    def find(self, sender: Sender) -> tuple[list[Person], str]:
        """Whose hand-in that is (several: a group's), and what is doubtful about it."""
        if group := self._index.get(("group", comparable(sender.name)), []):
            return group, ""
        if sender.platform == "canvas" and (people := self._index.get(("canvas", sender.number), [])):
            return people[:1], "" if self._same_name(people[0], sender) else self._doubt(people[0])
        if sender.platform == "moodle" and (people := self._index.get(("moodle", sender.number), [])):
            # A group's number may be that of a participant, so the name counts as well.
            return (people[:1], "") if self._same_name(people[0], sender) else ([], self._doubt(people[0]))
        if sender.platform in ("canvas", "moodle"):
            name = comparable(sender.name)
            people = self._index.get(("name", name)) or self._index.get(("turned", name), [])
            return (people, "") if len(people) < 2 else ([], f"{len(people)} people in the roster are called so")
        return self._index.get(("id", sender.name.casefold()), [])[:1], ""

    @staticmethod
    def _same_name(person: Person, sender: Sender) -> bool:
        names = person.names | person.turned | {"participant"}
        return not (person.name and sender.name) or comparable(sender.name) in names

    @staticmethod
    def _doubt(person: Person) -> str:
        return (
            f"the roster calls that number {printable(person.name)}. If it is a group's, name the groups in a column "
            "'group' of the roster"
        )


def read_roster(path: Path) -> Roster:
    """`ClassroomError` names the file, the line and the column that are wrong."""
    try:
        text = decode(folder.read_file(path, LARGEST)).removeprefix("\ufeff")
    except Unreadable as problem:
        raise ClassroomError(f"{path} cannot be read as a roster: {problem}") from None
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)
    limit = csv.field_size_limit(LARGEST)  # Moodle writes whole texts into a cell
    try:
        rows = [tuple(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)]
    except csv.Error as problem:
        raise ClassroomError(f"{path} is not a CSV file: {problem}") from None
    finally:
        csv.field_size_limit(limit)
    if not rows or not any(rows[0]):
        raise ClassroomError(f"{path} is empty; a roster has a line of column names and then a line for each student")
    header, kind = rows[0], _kind(path, rows[0])
    rows = [row + ("",) * (len(header) - len(row)) for row in rows]
    columns = {name.strip().casefold(): place for place, name in reversed(list(enumerate(header)))}
    people, seen = [], {}
    for line, row in enumerate(rows[1:], 2):
        try:
            person = _person(kind, columns, row)
        except ClassroomError as problem:
            raise ClassroomError(f"{path}, line {line}: {problem}") from None
        if person is None:
            continue
        if not person.id:
            raise ClassroomError(f"{path}, line {line}: no id for {printable(person.name) or 'this row'}")
        if before := seen.get(person.id.casefold()):
            raise ClassroomError(f"{path}, line {line}: the id {person.id} is that of line {before} too")
        seen[person.id.casefold()] = line
        people.append(person)
    return Roster(path, kind, header, tuple(rows[1:]), tuple(people))


def _kind(path: Path, header: tuple[str, ...]) -> str:
    names = {name.strip().casefold() for name in header}
    if {"identifier", "grade", "status"} <= names:
        return "worksheet"
    if {"id", "section"} <= names and ("student" in names or {"lastname", "firstname"} <= names):
        return "canvas"
    if "first name" in names and names & {*_LAST} and names & {"email address", "id number", "username"}:
        return "moodle"
    if "id" in names:
        return "plain"
    found = ", ".join(printable(name, 30) for name in header[:8])
    raise ClassroomError(
        f"{path}, line 1: no roster has these columns: {found}. Give it a column 'id' (and 'name', 'email'), or take "
        "what Canvas or Moodle exports, in English."
    )


def _person(kind: str, columns: dict[str, int], row: tuple[str, ...]) -> Person | None:
    """None for a row that is nobody."""

    def cell(*names: str) -> str:
        found = (row[columns[name]].strip() for name in names if name in columns)
        return next((value for value in found if value), "")

    if not any(value.strip() for value in row):
        return None
    if kind == "plain":
        given, name = cell("id"), cell("name")
        last, comma, first = (part.strip() for part in name.partition(","))
        turned = bool(comma and last and first and "," not in first)  # "Lovelace, Ada"
        return Person(
            id=safe(given) if given else "",
            name=f"{first} {last}" if turned else name or given,
            last=last if turned else "",
            aliases=(f"{last} {first}",) if turned else (),
            email=cell("email", "e-mail"),
            canvas=cell("canvas", "canvas_id"),
            moodle=cell("moodle", "moodle_id"),
            group=cell("group"),
            submitted=_time(cell("submitted")),
            row=row,
        )
    if kind == "canvas":
        if not cell("id"):  # "Points Possible", "Manual Posting"
            return None
        if "student" in columns:
            last, _, first = (part.strip() for part in _unquoted(cell("student")).partition(","))
        else:
            last, first = cell("lastname"), cell("firstname")
        name, login = f"{first} {last}".strip(), cell("sis login id", "sis user id")
        return Person(
            id=safe(login) if login else student_id(name, cell("id")),
            name=name,
            last=last,
            aliases=(f"{last} {first}",),
            login=login,
            canvas=cell("id"),
            group=cell("group"),
            row=row,
        )
    number, last, given = "", "", cell("email address", "username", "id number")
    if kind == "worksheet":
        number = (re.findall(r"\d+", cell("identifier")) or [""])[-1]
        name, aliases = cell("full name"), ()
        if not number:
            return None
    else:
        first, last = cell("first name"), cell(*_LAST)
        name, aliases = f"{first} {last}".strip(), (f"{last} {first}",)
    return Person(
        id=safe(given) if given else student_id(name or "Participant", number) if number else "",
        name=name,
        last=last,
        aliases=aliases,
        email=cell("email address"),
        login=cell("username"),
        moodle=number,
        group=cell("group"),
        row=row,
    )


def _time(text: str) -> datetime | None:
    time = times.parse(text) if text else None
    if text and time is None:
        raise ClassroomError(f"the time {printable(text)} in the column 'submitted' is not like 2026-11-30 17:05 UTC")
    return time


def _unquoted(name: str) -> str:
    """Canvas writes a name that a spreadsheet would run as a formula as ="NAME"."""
    return name[2:-1] if name.startswith('="') and name.endswith('"') else name
