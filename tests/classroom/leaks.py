"""The leak search over what a class gives to its students: every wrong variant of the chapters, graded as a class is.

`python tests/classroom/leaks.py [--chapter 10] [--most N]` makes a class of them, grades it, writes feedback and
summary, and looks through all of it. `make attack` runs it whole; tests use `leaks_of` on small classes.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import sys
import tempfile
from pathlib import Path

from grader.authoring.leaks import find_leaks
from grader.classroom import demo, material, secret
from grader.classroom.result import Result
from grader.verdict import State

# Signs of the grader's inside: its modules, a traceback, an address in memory.
_INSIDE = re.compile(
    r"grader[./](exercises|checks|sandbox|toolchain|simulator|gpu|classroom)\b|Traceback \(most|site-packages"
    r"|\b0x[0-9a-f]{9,}\b|File &quot;/|File \"/"
)


def leaks_of(tree, chapter, students, names=None) -> list[str]:
    """What a student's feedback and autograded notebook tell that they must not. `names` are the ids of students that
    are no words of the course's own; default: all of them."""
    key, found = secret.read(tree.secret), []
    results = {student: Result.read(tree.result(student, chapter.name)) for student in students}
    machine = {str(tree.root), str(Path.home()), sys.prefix, tempfile.gettempdir() + "/", str(material.tree().root)}
    machine = {path for path in machine if len(path) > 4}
    seeds = {seed for result in results.values() for seed in result.seeds.values()}
    spelled = {spelling for seed in seeds for spelling in (str(seed), f"{seed:x}", f"{seed:X}")}
    for student, result in results.items():
        own = [tree.submitted(student, chapter.name)]
        for place in (tree.feedback(student, chapter.name), tree.autograded(student, chapter.name)):
            # The release's own lines are public; a private line that a student wrote is the student's.
            leaks = find_leaks(place, clone=material.tree().root, secrets=[key], own=own)
            found += [f"{student}: {place.parent.parent.name}: {leak}" for leak in leaks]
            for path in (p for p in sorted(place.rglob("*")) if p.is_file() and p.suffix in (".html", ".ipynb")):
                text = without(path.read_text(), own[0], tree.released(chapter.name))
                for word in (*spelled, *machine):
                    if word in text:
                        found.append(f"{student}: {path.name}: {word}")
                others = [name for name in names or students if name != student and name in text]
                found += [f"{student}: {path.name}: another student's name, {name}" for name in others]
                found += [f"{student}: {path.name}: {match[0]}" for match in _INSIDE.finditer(text)]
        found += [f"{student}: {told}" for told in hidden_details(result)]
    return found


def without(text: str, *known: Path) -> str:
    """`text` without the lines that the student handed in or was given, as they stand in JSON or HTML."""
    lines = set()
    for path in (path for folder in known for path in folder.iterdir() if path.is_file()):
        content = path.read_text("utf-8", "replace")
        if path.suffix == ".ipynb":
            content = "\n".join("".join(cell["source"]) for cell in json.loads(content)["cells"])
        lines.update(line.strip() for line in content.splitlines())
    for line in sorted((line for line in lines if len(line) > 20), key=len, reverse=True):
        for form in (line, html.escape(line), json.dumps(line)[1:-1]):
            text = text.replace(form, "")
    return text


def hidden_details(result: Result) -> list[str]:
    """A hidden failure's record holds its sentence alone: what is not there cannot be told."""
    failed = [c for v in result.verdicts.values() for c in v.checks if c.hidden and c.state is not State.PASS]
    return [f"{check.check}: the result holds more of a hidden case than its check" for check in failed if check.detail]


def variants(chapter) -> dict[str, dict[str, bytes]]:
    """Submissions by an id that is in no text: the right one, damaged ones, and each wrong variant on the right one."""
    from grader.proof.patch import PatchError, read_variant

    right = demo.bundled(chapter)["right"]
    broken = {name: data + b"\n}} not C++ at all <here> /etc/passwd\n" for name, data in right.items()}
    broken[f"{chapter.name}.ipynb"] = right[f"{chapter.name}.ipynb"]
    found = [right, broken]
    for exercise in chapter.exercises:
        for path in sorted((material.tree().root / "tests" / "variants" / exercise.slug).glob("*.patch")):
            variant = read_variant(path)
            try:
                if not variant.alternative:
                    found.append(variant.apply(right))
            except PatchError:
                continue  # a variant of a notebook's cell, which stands in a file of its own in the solutions
    return {f"zqx{number:03}v": files for number, files in enumerate(found)}


def run(chapter_number: int, most: int | None, root: Path) -> list[str]:
    from grader.classroom.create import create
    from grader.classroom.session import Session
    from grader.classroom.summary import Reader
    from grader.classroom.summary_page import summary_page

    chapter = material.chapter(chapter_number)
    tree, _ = create(root / "class")
    session = Session(tree)
    session.release(chapter.name)
    submissions = dict(list(variants(chapter).items())[:most])
    for student, files in submissions.items():
        demo.hand_in(tree, student, chapter, files)
    graded = session.autograde(chapter.name, trust=True)  # they are the course's own
    session.feedback(chapter.name)
    found = [f"{each.student}: not graded: {each.problem}" for each in graded if each.problem]
    found += leaks_of(tree, chapter, list(submissions))
    page = summary_page([Reader(tree).read(chapter, anonymous=True)])
    found += [f"anonymous summary: {student}" for student in submissions if student in page]
    seeds = {str(seed) for each in graded if each.result for seed in each.result.seeds.values()}
    found += [f"summary: a seed, {seed}" for seed in seeds if seed in page]
    print(f"chapter {chapter.number}: {len(submissions)} submissions, {len(found)} leaks")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chapter", type=int, help="one chapter; default: all that can be handed out")
    parser.add_argument("--most", type=int, help="so many submissions of each chapter, for a quick look")
    asked = parser.parse_args()
    numbers = [asked.chapter] if asked.chapter is not None else [chapter.number for chapter in material.chapters()]
    found = []
    for number in numbers:
        with tempfile.TemporaryDirectory(prefix="leaks-") as folder:
            found += run(number, asked.most, Path(folder))
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
