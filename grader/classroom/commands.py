"""`grader class ...`: a class, from an empty folder to published grades.

nbgrader takes two seconds to import, so it is imported inside the commands that need it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from grader.classroom import material
from grader.classroom.errors import ClassroomError
from grader.classroom.tree import ClassTree
from grader.classroom.workers import ADDRESS

app = typer.Typer(name="class", help="Grade a class with nbgrader.", no_args_is_help=True, add_completion=False)
console, errors = Console(), Console(stderr=True)

Course = Annotated[
    Path | None,
    typer.Option("--course", metavar="DIR", help="The instructor's tree; default: the one this folder lies in."),
]
ChapterName = Annotated[str, typer.Argument(metavar="CHAPTER", help="A chapter: 10, masked-gelu or 10_masked_gelu.")]


@contextmanager
def _plain_errors() -> Iterator[None]:
    """A `ClassroomError` is wrong use: its text and exit status 2, no traceback."""
    try:
        yield
    except ClassroomError as problem:
        errors.print(str(problem), style="red", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(2) from None


@app.command()
def init(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder for the class.")],
    course_id: Annotated[str, typer.Option(help="The name of the class in the gradebook.")] = "tensorrt-plugins",
    database: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Keep the gradebook on a server: postgresql+psycopg://NAME@HOST/DATABASE. Without a password in it, "
            "PostgreSQL takes the one in ~/.pgpass.",
        ),
    ] = "",
) -> None:
    """Make an instructor's tree: configuration, assignments, gradebook and the class secret."""
    from grader.classroom.create import create

    with _plain_errors():
        tree, added = create(directory, course_id=course_id, database=database)
        console.print(f"Class in {tree.root} (private: only you can open it).", highlight=False, soft_wrap=True)
        for chapter in added:
            console.print(f"  added source/{chapter.name}: {chapter.title}", markup=False, highlight=False)
        if added:
            console.print(f"Next:  cd {tree.root} && grader class release {added[-1].number}", soft_wrap=True)
        console.print(f"How a class goes is told in {tree.root / 'README.md'}", highlight=False, soft_wrap=True)


@app.command()
def release(
    chapters: Annotated[
        list[str], typer.Argument(metavar="CHAPTER...", help="The chapters to hand out, such as 10, or 00 10.")
    ],
    out: Annotated[Path | None, typer.Option(help="Where to make it; default: class_release/ in the tree.")] = None,
    course: Course = None,
) -> None:
    """Make what students get: these chapters and no other. Registers them in the gradebook."""
    from grader.classroom.release import clone
    from grader.classroom.release import release as make
    from grader.classroom.session import Session

    with _plain_errors():
        tree, found = ClassTree.find(course), [material.chapter(chapter) for chapter in chapters]
        clone()  # before the gradebook is touched
        session = Session(tree)
        for chapter in found:
            session.release(chapter.name)
        place = make(tree, found, out)
        for chapter in found:
            session.mark_released(chapter.name)
        told = f"chapter{'s' * (len(found) > 1)} {' and '.join(str(chapter.number) for chapter in found)}"
        console.print(f"Class release of {told} in {place}", highlight=False, soft_wrap=True)
        console.print("It holds no solution, master, wrong variant or secret: that was searched for.")
        told = "Next: zip that folder and hand it out. What comes back:  grader autograde "
        told += f"{found[0].number} --from ARCHIVE.zip  (Moodle's or Canvas')"
        console.print(told, highlight=False, soft_wrap=True)


@app.command()
def feedback(
    chapter: ChapterName,
    student: Annotated[str, typer.Option(help="One student; default: all.")] = "*",
    course: Course = None,
) -> None:
    """Write a feedback page for each graded student, from public text only."""
    from grader.classroom.session import Session

    with _plain_errors():
        tree, found = ClassTree.find(course), material.chapter(chapter)
        Session(tree).feedback(found.name, student)
        console.print(
            f"Feedback in {tree.root / 'feedback'}/STUDENT/{found.name}/{found.name}.html",
            highlight=False,
            soft_wrap=True,
        )


@app.command()
def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it.")],
    format: Annotated[
        str, typer.Option("--format", help="csv, canvas, moodle, or moodle-feedback (a zip file of the pages).")
    ] = "csv",
    chapters: Annotated[
        list[str] | None, typer.Option("--chapter", help="For a platform: which; default: all that were released.")
    ] = None,
    roster: Annotated[
        Path | None,
        typer.Option(help="Canvas' gradebook as it exports it; Moodle's grading worksheet or gradebook; or your own."),
    ] = None,
    column: Annotated[str, typer.Option(help="The assignment in Canvas, where its title does not tell.")] = "",
    pending_as_zero: Annotated[
        bool, typer.Option("--pending-as-zero", help="Give out grades that wait for a person, what waits as zero.")
    ] = False,
    course: Course = None,
) -> None:
    """Write the grades: all columns as CSV, or what Canvas or Moodle imports.

    A platform gets settled grades only: whoever has points that wait for a person is left out, and named.
    """
    from grader.classroom.export.command import export_as
    from grader.classroom.session import Session

    with _plain_errors():
        session = Session(ClassTree.find(course))
        outcome = export_as(session, format, file, chapters or [], roster, column, pending_as_zero)
        rows = "1 row" if outcome.rows == 1 else f"{outcome.rows} rows"
        console.print(f"{rows} in {file}", markup=False, highlight=False, soft_wrap=True)
        for line in outcome.told:
            console.print(f"  {line}", markup=False, highlight=False, soft_wrap=True)


@app.command()
def summary(
    chapter: Annotated[
        str | None, typer.Argument(metavar="[CHAPTER]", help="Default: every chapter that has results.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Where to write it; default: summary.html in the tree.")
    ] = None,
    live: Annotated[bool, typer.Option("--live", help="Show it on a page of this machine that renews itself.")] = False,
    anonymous: Annotated[bool, typer.Option("--anonymous", help="Without names, to show to the class.")] = False,
    course: Course = None,
) -> None:
    """What the class understood: how each exercise went, and how many met which misconception.

    Made from the results that there are, so it can be looked at while grading runs.
    """
    from grader.classroom import durable
    from grader.classroom.live import LivePage
    from grader.classroom.summary import Reader
    from grader.classroom.summary_page import summary_page

    with _plain_errors():
        tree = ClassTree.find(course)
        reader = Reader(tree)
        if chapter:
            chapters = [material.chapter(chapter)]
        else:
            released = set(tree.assignments())
            chapters = [found for found in material.chapters() if found.name in released]

        def page(refresh: int | None = None) -> str:
            found = [reader.read(each, anonymous=anonymous) for each in chapters]
            shown = [each for each in found if each.students or chapter or refresh]
            return summary_page(shown, refresh=refresh, now=datetime.now().astimezone())

        if live:
            server = LivePage(lambda: page(refresh=5))
            console.print(f"The summary is at  {server.address}  and renews itself. Ctrl+C ends it.", soft_wrap=True)
            with suppress(KeyboardInterrupt):
                server.serve()
            return
        if not any(tree.students(each.name) for each in chapters):
            what = chapters[0].name if chapter else "anything"
            raise ClassroomError(f"nobody has handed in {what} in this class yet, so there is nothing to sum up")
        place = out or tree.root / "summary.html"
        durable.write(place, page().encode())
        console.print(f"Summary in {place}", highlight=False, soft_wrap=True)


@app.command()
def forget(
    student: Annotated[str, typer.Argument(metavar="STUDENT", help="The student's id: the folder's name.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    course: Course = None,
) -> None:
    """Delete all that is kept of a student: work, results, feedback, scores and name. It cannot be undone."""
    from grader.classroom.forget import find, forget

    with _plain_errors():
        tree = ClassTree.find(course)
        summary = (tree.root / "summary.html").exists()
        for line in find(tree, student):
            console.print(f"  {line}", markup=False, highlight=False, soft_wrap=True)
        if not yes and not typer.confirm("Delete all of this?"):
            raise typer.Exit(2)
        forget(tree, student)
        console.print("Deleted. Backups and files that you exported are not reached from here.", soft_wrap=True)
        if summary:
            console.print("summary.html held the name; make it again with  grader class summary", soft_wrap=True)


@app.command()
def workers(
    address: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="The scheduler; on another machine tls://HOST:PORT.")
    ] = ADDRESS,
    scheduler: Annotated[bool, typer.Option("--scheduler", help="Start the scheduler too, at that address.")] = False,
    count: Annotated[int, typer.Option("--workers", min=0, help="How many workers; one a processor is right.")] = 0,
    gpu: Annotated[bool, typer.Option("--gpu", help="One of them offers this machine's GPU.")] = False,
) -> None:
    """Start a Dask scheduler, workers or both on this machine, until interrupted: for `grader autograde --dask`."""
    from grader.classroom.workers import run

    with _plain_errors():
        status = run(
            address,
            scheduler=scheduler,
            workers=count,
            gpu=gpu,
            say=lambda text: console.print(text, markup=False, highlight=False, soft_wrap=True),
        )
    raise typer.Exit(status)
