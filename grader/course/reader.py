"""One `chapter.toml` to one `Chapter`. Every field is checked; a `CourseError` names file and field."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from grader.course.errors import CourseError
from grader.course.records import (
    HINT_RUNGS,
    KINDS,
    NEEDS,
    STAGES,
    TRACKS,
    Chapter,
    ContractRow,
    Exercise,
    Explain,
    Hint,
    Misconception,
)  # fmt: skip
from grader.course.table import FILE, Table, first_twice
from grader.verdict import Group

_FOLDER = re.compile(r"(\d\d)_[a-z0-9_]+")


def read_chapter(path: Path) -> Chapter:
    """Read `.../NN_name/chapter.toml`.

    Raises `CourseError` for a file that is missing, is no TOML, or breaks a rule of the schema.
    """
    where = f"{path.parent.name}/{path.name}"
    try:
        with path.open("rb") as file:
            data = tomllib.load(file)
    except OSError as error:
        raise CourseError(f"{where}: cannot be read: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CourseError(f"{where}: is not valid TOML: {error}") from None
    return _chapter(Table(data, where), folder=path.parent.name)


def _chapter(table: Table, folder: str) -> Chapter:
    number = table.whole("number", least=0)
    name = table.text("name")
    match = _FOLDER.fullmatch(name)
    if not match or int(match[1]) != number:
        raise table.fail("name", f"{name!r} must be the number in two digits, '_' and small letters, digits or '_'")
    if name != folder:
        raise table.fail("name", f"{name!r} differs from the folder's name, {folder!r}")
    core, full = table.whole("core_minutes", least=1), table.whole("full_minutes", least=1)
    if core > full:
        raise table.fail("core_minutes", f"{core} is more than full_minutes, {full}")
    exercises = tuple(_exercise(item, name, number) for item in table.tables("exercise", "slug"))
    if not exercises:
        raise table.fail("exercise", "a chapter needs at least one")
    if twice := first_twice(exercise.alias for exercise in exercises):
        raise table.fail("exercise", f'two exercises have the alias "{twice}"')
    chapter = Chapter(
        number=number,
        name=name,
        slug=table.slug("slug"),
        title=table.text("title"),
        stage=table.choice("stage", STAGES),
        prerequisites=table.many("prerequisites", int),
        core_minutes=core,
        full_minutes=full,
        summary=table.text("summary"),
        explain=_explain(table.table("explain")) if table.has("explain") else None,
        exercises=exercises,
        kit=_kit(table),
    )
    if number in chapter.prerequisites:
        raise table.fail("prerequisites", f"a chapter cannot need itself, {number}")
    table.end()
    return chapter


def _kit(table: Table) -> tuple[str, ...]:
    """The files of the common kit that the chapter builds on."""
    names = table.many("kit", str) if table.has("kit") else ()
    for name in names:
        if not FILE.fullmatch(name):
            raise table.fail("kit", f"{name!r} must be the plain name of a file in plugin_skeletons/common/")
    return names


def _explain(table: Table) -> Explain:
    explain = Explain(
        id=table.slug("id"),
        points=table.positive("points"),
        prompt=table.text("prompt"),
        rubric=table.many("rubric", str, least=1),
    )
    table.end()
    return explain


def _exercise(table: Table, chapter: str, number: int) -> Exercise:
    slug = table.slug("slug")
    kind = table.choice("kind", KINDS)
    files, cell = _answer(table, kind)
    exercise = Exercise(
        slug=slug,
        alias=table.slug("alias"),
        title=table.text("title"),
        kind=kind,
        track=table.choice("track", TRACKS),
        points=table.positive("points"),
        revision=table.whole("revision", least=1),
        files=files,
        cell=cell,
        needs=_needs(table),
        wall_seconds=table.positive("wall_seconds"),
        summary=table.text("summary"),
        contract=tuple(_rows(table, "contract", "row", lambda t: ContractRow(row=t.text("row"), text=t.text("text")))),
        groups=tuple(_rows(table, "group", "id", _group)),
        hints=tuple(_rows(table, "hint", None, lambda t: Hint(text=t.text("text")))),
        misconceptions=tuple(
            _rows(table, "misconception", "id", lambda t: Misconception(id=t.slug("id"), text=t.text("text")))
        ),
        chapter=chapter,
        number=number,
    )
    if kind == "plugin" and "plugin-lane" not in exercise.needs:
        raise table.fail("needs", 'a plugin exercise needs "plugin-lane", which builds and loads plugins')
    total = sum(group.points for group in exercise.groups)
    if abs(total - exercise.points) > 1e-9:
        raise table.fail("points", f"{exercise.points} is not the sum of its groups, {total}")
    if len(exercise.hints) != HINT_RUNGS:
        raise table.fail(
            "hint",
            f"a ladder has {HINT_RUNGS} rungs (what to look at, the rule, a smaller example, the line "
            f"to change), this one has {len(exercise.hints)}",
        )
    table.end()
    return exercise


def _answer(table: Table, kind: str) -> tuple[tuple[str, ...], str | None]:
    """What is handed in: files for C++ and CUDA, one notebook cell for Python."""
    if kind == "python":
        if table.has("files"):
            raise table.fail("files", 'a Python exercise has "cell" instead')
        return (), table.slug("cell")
    if table.has("cell"):
        raise table.fail("cell", f'only a Python exercise has it; a {kind} exercise has "files"')
    files = table.many("files", str, least=1)
    for name in files:
        if not FILE.fullmatch(name):
            raise table.fail("files", f"{name!r} must be a plain file name, without a folder")
    return files, None


def _needs(table: Table) -> tuple[str, ...]:
    needs = table.many("needs", str)
    for need in needs:
        if need not in NEEDS:
            raise table.fail("needs", f"{need!r} is none of {', '.join(NEEDS)}")
    return needs


def _group(table: Table) -> Group:
    return Group(id=table.slug("id"), title=table.text("title"), points=table.positive("points"))


def _rows(table: Table, field: str, key: str | None, make):
    """The records of an array of tables, at least one, the key unique."""
    records = []
    for item in table.tables(field, key):
        records.append(make(item))
        item.end()
    if not records:
        raise table.fail(field, f"needs at least one [[exercise.{field}]]")
    if key and (twice := first_twice(getattr(record, key) for record in records)):
        raise table.fail(field, f'{key} "{twice}" stands twice')
    return records
