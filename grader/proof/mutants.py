"""Automatic mutants: one small change each in the lines that a learner writes, with a lasting id.

`OPERATORS` says what is changed. C++ and CUDA are changed by tokens (`mutate_cpp.py`), Python by the standard
tokenizer and syntax tree (`mutate_python.py`), CMake by commands (`mutate_cmake.py`); each gives `Edit`s, of which
`mutants` makes texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import PurePath

from grader.proof import mutate_cmake, mutate_cpp, mutate_python
from grader.proof.edit import Edit

OPERATORS = (
    "relational", "arithmetic", "logical", "constant", "guard", "barrier", "index", "narrowed", "status",
    "statement", "specifier", "argument",
)  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """`id` is made of file, operator, change, the line's text, and an ordinal among equal ones."""

    id: str
    operator: str
    file: str
    line: int
    text: str


def mutants(file: str, text: str, lines: Collection[int]) -> list[Mutant]:
    """All mutants of `text` that change one of `lines` (from 1), in order. What is neither Python nor CMake is C++."""
    languages = {".py": mutate_python, ".txt": mutate_cmake, ".cmake": mutate_cmake}
    language = languages.get(PurePath(file).suffix, mutate_cpp)
    return list(_named(file, text, language.edits(text), lines))


def _named(file: str, text: str, edits: Iterable[Edit], lines: Collection[int]) -> Iterable[Mutant]:
    shown = text.splitlines()
    seen: Counter[str] = Counter()
    made = {text}
    for edit in sorted(edits, key=lambda e: (e.start, e.end, e.operator, e.new)):
        line = text.count("\n", 0, edit.start) + 1
        changed = text[: edit.start] + edit.new + text[edit.end :]
        if line not in lines or changed in made:
            continue
        made.add(changed)
        change = f"{_tidy(text[edit.start : edit.end])} -> {_tidy(edit.new) or 'nothing'}"
        name = f"{file}: {edit.operator}: {change} in: {_tidy(shown[line - 1])}"
        seen[name] += 1
        yield Mutant(f"{name} #{seen[name]}", edit.operator, file, line, changed)


def _tidy(text: str) -> str:
    return " ".join(text.split())
