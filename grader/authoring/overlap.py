"""How much of a solution stands where learners read: no line in a hint, no run of lines in a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from grader.authoring.clone import Clone
from grader.authoring.leaks import SHORTEST_LINE, canonical
from grader.authoring.master import Master
from grader.course import Chapter, Exercise

LONGEST_RUN = 2  # telling lines in a row that a worked example may share with a solution


def in_hints(clone: Clone, chapter: Chapter) -> Iterator[tuple[str, int, str]]:
    """Slug, rung and solution line, for each line of a solution that a hint spells out."""
    for exercise in chapter.exercises:
        lines = [line for line in _own_lines(clone, exercise) if len(canonical(line)) >= SHORTEST_LINE]
        for rung, hint in enumerate(exercise.hints, 1):
            yield from (
                (exercise.slug, rung, line) for line in lines if canonical(line) in canonical(hint.text)
            )


def in_master(clone: Clone, master: Master, chapter: Chapter) -> Iterator[tuple[int, str]]:
    """Line of the master and slug, where more than `LONGEST_RUN` lines of a solution follow each other."""
    text = [(block.line + offset, canonical(line)) for block in master.blocks
            for offset, line in enumerate(block.source.split("\n"))]  # fmt: skip
    text = [(number, line) for number, line in text if len(line) >= SHORTEST_LINE]
    for exercise in chapter.exercises:
        own = [canonical(line) for line in _own_lines(clone, exercise)]
        own = [line for line in own if len(line) >= SHORTEST_LINE]
        for start in range(len(own) - LONGEST_RUN):
            run = own[start : start + LONGEST_RUN + 1]
            for at in range(len(text) - LONGEST_RUN):
                if all(wanted in line for wanted, (_, line) in zip(run, text[at:], strict=False)):
                    yield text[at][0], exercise.slug


def _own_lines(clone: Clone, exercise: Exercise) -> list[str]:
    """The lines of the solution that the skeleton has not."""
    names = exercise.files or (clone.answer(exercise.chapter, exercise.slug).name,)
    given = "\n".join(_text(clone.root / "plugin_skeletons" / exercise.chapter / name) for name in names)
    solved = [_text(clone.root / "solutions" / exercise.chapter / name) for name in names]
    known = {canonical(line) for line in given.split("\n")}
    return [line.strip() for text in solved for line in text.split("\n") if canonical(line) not in known]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""
