"""`grader class init`: makes an instructor's tree."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from grader.classroom import material, secret
from grader.classroom.errors import ClassroomError
from grader.classroom.tree import ClassTree
from grader.course import Chapter

_CONFIG = '''"""nbgrader's configuration of this class. nbgrader's own settings can be added below."""

from pathlib import Path

from grader.classroom.nbgrader_setup import configure

c = get_config()  # noqa: F821
configure(c, Path(__file__).parent)

# The name of the class in the gradebook.
c.CourseDirectory.course_id = "{course_id}"
{database}
# Students' code is confined: no network, no view of your files. Where nothing on this machine can confine it, grading
# refuses (`grader doctor` tells what is missing). Set this to True to grade without, if you trust your students: their
# code then has your rights. It holds for the formgrader's Autograde button, too.
c.GraderCourse.trust_submissions = False

# What confines it: "auto" (the first that works here), "bubblewrap" or "landlock".
c.GraderCourse.confine = "auto"
'''

_DATABASE = """
# Where the gradebook is kept, instead of gradebook.db in this folder.
c.CourseDirectory.db_url = {!r}
"""

_README = """# Your class

This folder is private to you: it holds your students' work, the gradebook and the class secret. Back it up.

| what | where |
|---|---|
| settings of nbgrader and of the grading | `nbgrader_config.py` |
| assignments (one a chapter; you may add cells and files before the release) | `source/` |
| what students handed in, one folder a student | `submitted/STUDENT/ASSIGNMENT/` |
| what a newer hand-in replaced | `submitted_before/STUDENT/ASSIGNMENT/TIME/` |
| graded notebooks, feedback pages, verdicts | `autograded/`, `feedback/`, `results/` |
| scores | `gradebook.db`, or the database that `nbgrader_config.py` names |
| where the hidden cases come from; a grade can be reproduced with it only | `class_secret` |

## One round

Work in this folder, with the course's environment active.

1. `grader class release 10` makes the class release of chapter 10 in `class_release/` (give students that
   folder) and registers the assignment in the gradebook; nbgrader's pages then show it as *released*. It holds
   the chapters that you name and no other: `grader class release 0 10` makes one of two.
2. Put what students hand in under `submitted/STUDENT/10_masked_gelu/`: the notebook and the files beside it. Or let
   step 3 do it: `grader autograde 10 --from FILE.zip` takes the archive of submissions that Moodle or Canvas makes, and
   `--roster FILE.csv` says who is who.
3. `grader autograde 10` grades, several at a time, and confines what students wrote. A second run grades only what
   changed: other answers, or checks of a newer course. If it is interrupted at any moment, nothing is lost:
   `grader autograde --resume` goes on. Where nothing on the machine can confine their code it refuses and says why;
   `--trust-submissions` grades without, with your rights.
   `grader class reproduce STUDENT 10` judges a submission again with its seeds and shows what hidden cases found.
4. `jupyter lab` (as root, in a container, `jupyter lab --allow-root`), then *Nbgrader, Formgrader*: grade the
   answers in words (the rubric stands above each), correct scores, write comments. Its Autograde button takes
   the same way, with the settings in `nbgrader_config.py`. A student whose name nbgrader
   does not know is *None, None* there until the first grading, and goes by the folder's name from then on.
5. `grader class summary 10` shows what the class understood; `grader class feedback 10` writes the pages for students;
   `grader class export grades.csv` the table; with `--format canvas` or `--format moodle`, what these platforms import.

`grader class forget STUDENT` deletes all that is kept of one student. More, also what to do when something broke, is in
the course's `docs/instructors_guide.md`.

A submission that is damaged, renamed or incomplete stops nothing: what was odd is listed. An answer that is
*unreadable* or *missing* earns nothing, is called so in the table of grades and in the CSV file's column
`flags`, and waits for you (*needs manual grade*), as does what could not be judged.

nbgrader's exchange lies in `exchange/`, inside this private folder, so students do not get anything from it: its
Release and Collect buttons are of no use here. If your students share a server with you, set `c.Exchange.root`
below `configure(...)` in `nbgrader_config.py` to the folder that you share.
"""


def create(root: Path, *, course_id: str = "tensorrt-plugins", database: str = "") -> tuple[ClassTree, list[Chapter]]:
    """Make the tree, or add what is missing from an existing one; nothing that is there is overwritten.

    `database` is the address of a gradebook that is kept on a server; it is tried first.

    Returns the tree and the chapters whose source was added. `ClassroomError` for a folder that holds
    something else.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", course_id):
        raise ClassroomError(f"{course_id!r} cannot be a course's name: use letters, digits, '.', '-' and '_'")
    tree = ClassTree(root.resolve())
    # A lost secret is made anew here; another one gives other hidden cases.
    ours = tree.config.is_file() and (tree.secret.is_file() or b"GraderCourse" in tree.config.read_bytes())
    if root.exists() and not ours and (not root.is_dir() or any(root.iterdir())):
        raise ClassroomError(f"{root} is not empty; name a new folder for the class")
    chapters = material.chapters()
    if not chapters:
        raise ClassroomError("no chapter has a built notebook yet, so there is nothing to make a class of")
    if database:
        from grader.classroom.database import check

        if ours:
            raise ClassroomError(
                f"the class in {root} is there already; write  c.CourseDirectory.db_url = ...  into {tree.config}"
            )
        check(database, course_id)
    tree.root.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not ours:
        tree.root.chmod(0o700)
    for name in ("release", "submitted", "autograded", "feedback", "results", "exchange"):
        (tree.root / name).mkdir(exist_ok=True)
    secret.create(tree.secret)
    for path, text in (
        (tree.config, _CONFIG.format(course_id=course_id, database=_DATABASE.format(database) if database else "")),
        (tree.root / "README.md", _README),
    ):
        if not path.exists():
            path.touch(0o600)
            path.write_text(text, encoding="utf-8")
    return tree, [chapter for chapter in chapters if _add_source(tree, chapter)]


def _add_source(tree: ClassTree, chapter: Chapter) -> bool:
    """Put a chapter's notebook and skeletons under `source/`, unless it is there: it may have been
    changed."""
    place = tree.source(chapter.name)
    if place.exists():
        return False
    part = place.with_name(f".{place.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for name, data in start_files(chapter).items():
        (part / name).parent.mkdir(parents=True, exist_ok=True)
        (part / name).write_bytes(data)
    part.rename(place)
    return True


def start_files(chapter: Chapter) -> dict[str, bytes]:
    """What a learner starts a chapter with, by name, see `Tree.given`."""
    data = material.tree()
    notebook = data.notebook(chapter)
    if not notebook.is_file():
        raise ClassroomError(f"chapter {chapter.number} has no notebook yet: {notebook} is not there")
    return {name: path.read_bytes() for name, path in data.given(chapter).items()}
