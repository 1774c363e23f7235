"""A class of students for the benchmarks: answers that are right, wrong or not begun, no two with the same bytes."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader import course
from grader.proof.answer import Place

ROOT = Path(__file__).resolve().parent.parent
MIX = ("right", "wrong", "right", "right", "wrong", "right", "right", "wrong", "right", "not begun")
_LOCAL = re.compile(
    r"^[ \t]+(?:(?:const\s+)?(?:unsigned\s+)?(?:int|long long|size_t|float|double)(?:\s+const)?\s+)(\w+) = ", re.M
)


@dataclass(frozen=True)
class Answer:
    """What one student hands in: files by name, Python cells by exercise."""

    kind: str  # one of MIX
    files: Mapping[str, bytes]
    cells: Mapping[str, str]


def answers(exercises: Sequence[course.Exercise], count: int) -> Iterator[Answer]:
    """``count`` answers to these exercises of one chapter, in the proportions of ``MIX``."""
    wrong = {}
    for exercise in exercises:
        place = Place(ROOT, exercise)
        variants = [each for each in place.variants() if not each.alternative]
        wrong[exercise.slug] = itertools.cycle([each.apply(place.solution()) for each in variants])
    for number in range(count):
        kind, files, cells = MIX[number % len(MIX)], {}, {}
        for exercise in exercises:
            place = Place(ROOT, exercise)
            if kind == "wrong":
                text = next(wrong[exercise.slug])
            else:
                text = place.solution() if kind == "right" else place.skeleton()
            own = {name: in_own_hand(data.decode(), number, name).encode() for name, data in text.items()}
            if exercise.kind == "python":
                cells[exercise.slug] = next(iter(own.values())).decode()
            else:
                files |= own
        yield Answer(kind, files, cells)


def in_own_hand(text: str, number: int, name: str) -> str:
    """The same program in another student's hand: a local variable called otherwise, a remark, blank lines."""
    chance = random.Random(f"{number} {name}")
    if name.endswith(".py"):
        return f"# {_remark(chance)}\n" + text
    if names := sorted({each for each in _LOCAL.findall(text) if f".{each}" not in text and f">{each}" not in text}):
        local = chance.choice(names)
        text = re.sub(rf"\b{local}\b", f"{local}_{chance.randrange(36**3)}", text)
    first, *rest = text.split("\n")
    return "\n".join([f"// {_remark(chance)}", first, *([""] * chance.randrange(3)), *rest])


def _remark(chance: random.Random) -> str:
    return " ".join(
        chance.choices("one thread for each element of the grid and what is left over comes last".split(), k=9)
    )


def with_cells(notebook: dict, cells: Mapping[str, str]) -> dict:
    """The notebook with these answers in the cells that are for them."""
    done = json.loads(json.dumps(notebook))
    for cell in done["cells"]:
        for slug, source in cells.items():
            if cell["metadata"].get("nbgrader", {}).get("grade_id") == f"{slug}-answer":
                cell["source"] = source
    return done


def stock_notebook(exercises: Sequence[course.Exercise]) -> dict:
    """A notebook for nbgrader as it comes: a cell for each Python answer, and a test cell that checks in the kernel."""
    import nbformat

    def cell(source: str, grade_id: str, **fields):
        tags = {
            "grade_id": grade_id,
            "grade": False,
            "solution": False,
            "locked": True,
            "task": False,
            "schema_version": 3,
        }
        made = nbformat.v4.new_code_cell(source, id=grade_id[:60])
        made.metadata["nbgrader"] = tags | fields
        return made

    made = [cell("from grader import exercise", "imports")]
    for exercise in exercises:
        if exercise.kind == "python":
            text = next(iter(Place(ROOT, exercise).skeleton().values())).decode()
            made.append(cell(text, f"{exercise.slug}-answer", solution=True, locked=False))
        points = exercise.points
        made.append(cell(f'exercise("{exercise.slug}").check()', exercise.slug, grade=True, points=points))
    notebook = nbformat.v4.new_notebook(cells=made)
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return json.loads(nbformat.writes(notebook))
