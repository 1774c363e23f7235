"""All chapters of a tree, checked against each other, and the search by name.

Every function reads the pristine tree unless it is given another, so that grading cannot be led astray by
`GRADER_COURSE`; commands that may follow an author pass `authors_tree()`.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from grader.course.errors import CourseError
from grader.course.reader import read_chapter
from grader.course.records import Chapter, Exercise
from grader.course.table import did_you_mean
from grader.course.tree import Tree, pristine


def chapters(tree: Tree | None = None) -> list[Chapter]:
    """The chapters by number. Raises `CourseError` where a file is wrong or two contradict each other."""
    tree = tree or pristine()
    stamps = []
    for path in tree.chapter_files():
        stat = path.stat()
        stamps.append((path, stat.st_mtime_ns, stat.st_size))
    return list(_read(tuple(stamps)))


def find(name: str, tree: Tree | None = None) -> Exercise:
    """The exercise of a slug (`masked-gelu-forward`) or dotted alias (`10.forward`).

    Raises `CourseError` with the nearest name where there is no such exercise.
    """
    known: dict[str, Exercise] = {}
    for chapter_ in chapters(tree):
        for exercise in chapter_.exercises:
            known[exercise.slug] = known[exercise.dotted] = exercise
    return _look_up(name, known, "exercise")


def chapter(name: str | int, tree: Tree | None = None) -> Chapter:
    """The chapter of a number (`10`), folder name (`10_masked_gelu`) or slug (`masked-gelu`)."""
    known: dict[str, Chapter] = {}
    for chapter_ in chapters(tree):
        for key in (str(chapter_.number), f"{chapter_.number:02}", chapter_.name, chapter_.slug):
            known[key] = chapter_
    return _look_up(str(name), known, "chapter")


def _look_up(name: str, known: dict, kind: str):
    folded = {key.casefold(): value for key, value in known.items()}
    try:
        return folded[name.strip().casefold()]
    except KeyError:
        hint = did_you_mean(name.strip().casefold(), folded) or ". `grader list` shows all of them"
        raise CourseError(f'there is no {kind} "{name}"{hint}') from None


@lru_cache(maxsize=8)  # keyed by what the files are: an edited file is read again
def _read(stamps: tuple[tuple[Path, int, int], ...]) -> tuple[Chapter, ...]:
    found = sorted((read_chapter(path) for path, *_ in stamps), key=lambda c: c.number)
    taken: dict[tuple[str, str], str] = {}  # (name space, value) -> the file that has it
    for chapter_ in found:
        file = f"{chapter_.name}/chapter.toml"
        # nbgrader's grade ids: exercises and explained answers share one name space.
        claims = [("chapter", "number", str(chapter_.number)), ("chapter", "slug", chapter_.slug)]
        claims += [("grade id", "exercise.slug", exercise.slug) for exercise in chapter_.exercises]
        if chapter_.explain:
            claims.append(("grade id", "explain.id", chapter_.explain.id))
        for space, field, value in claims:
            if other := taken.get((space, value.casefold())):
                raise CourseError(f'{file}: field "{field}": "{value}" is already taken in {other}')
            taken[space, value.casefold()] = file
    _check_prerequisites(found)
    return tuple(found)


def _check_prerequisites(found: list[Chapter]) -> None:
    """Every prerequisite exists, and no chapter needs itself in a roundabout way."""
    by_number = {chapter_.number: chapter_ for chapter_ in found}
    for chapter_ in found:
        for number in chapter_.prerequisites:
            if number not in by_number:
                raise CourseError(
                    f'{chapter_.name}/chapter.toml: field "prerequisites": there is no chapter {number}'
                )
    for start in found:
        waiting, seen = list(start.prerequisites), set()
        while waiting:
            number = waiting.pop()
            if number == start.number:
                raise CourseError(
                    f'{start.name}/chapter.toml: field "prerequisites": '
                    f"chapter {number} needs itself in a circle"
                )
            if number not in seen:
                seen.add(number)
                waiting += by_number[number].prerequisites
