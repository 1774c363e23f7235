"""`grader autograde`: grade what a class handed in, and go on with a run that was interrupted."""

from __future__ import annotations

import signal
from pathlib import Path

from rich.console import Console

from grader.classroom import material
from grader.classroom.errors import ClassroomError, Stopped
from grader.classroom.folder import printable
from grader.classroom.intake.roster import read_roster
from grader.classroom.intake.sources import some
from grader.classroom.intake.take import mend, take_in
from grader.classroom.progress import Bar
from grader.classroom.report import print_grades, told_of_all
from grader.classroom.run import Run
from grader.classroom.session import Session
from grader.classroom.tree import ClassTree
from grader.cli.guard import FAULT, OK, complain, keep_log


def run(chapter: str | None, course: Path | None, resume: bool, options: dict) -> int:
    """Grade, print the grades, and return the exit status. `options` are the command's own, by name."""
    tree, console, log = ClassTree.find(course), Console(), keep_log()
    session, whole = Session(tree), True
    if resume:
        record = _resumed(tree, chapter, options)
    else:
        if options["replace"] and not options["sources"]:
            raise ClassroomError("--replace says whose work to take in all the same: name the archive with --from, too")
        if options["sources"] or options["roster"]:
            whole &= _take_in(session, chapter, options, console)
        else:
            mend(tree)
        record = _begun(tree, chapter, options)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: the machine may be going down
    asked = {name: record.asked[name] for name in ("confine", "jobs", "dask") if record.asked[name]}
    try:
        for name in record.assignments:
            with Bar(console) as bar:
                graded = session.autograde(
                    name, record.student, trust=record.asked["trust_submissions"], force=record.asked["force"],
                    run=record, listener=bar, **asked,
                )  # fmt: skip
            whole &= print_grades(console, material.chapter(name), graded, session.booked(material.chapter(name)))
    except Stopped as stopped:
        complain(str(stopped))
        complain("go on with:  grader autograde --resume")
        return stopped.status
    Run.clear(tree)
    if record.student == "*" and (strays := tree.strays()):
        told = f"Not graded, since no assignment is called so; in submitted/: {some(strays)}."
        console.print(printable(told, 500), markup=False, highlight=False, soft_wrap=True)
    if not whole:
        complain(f"not all went well; running the same again takes up what did not. Details: {log}")
    return OK if whole else FAULT


def _take_in(session: Session, chapter: str | None, options: dict, console: Console) -> bool:
    """Bring what was handed in into `submitted/`; False if something could not be taken."""
    if not chapter:
        raise ClassroomError("--from and --roster take in one assignment: name its chapter, too")
    roster = read_roster(Path(options["roster"])) if options["roster"] else None
    sources = [Path(source) for source in options["sources"]]
    found = material.chapter(chapter)
    report = take_in(session.tree, found, sources, roster, anyway=options["replace"])
    if roster:
        session.enrol(roster)
    for line in report.lines(notes=not told_of_all(session.tree, found, options["student"])):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    return not report.count("failed")


def _begun(tree: ClassTree, chapter: str | None, options: dict) -> Run:
    if chapter:
        names = [material.chapter(chapter).name]
    else:
        known = {each.name for each in material.chapters()}
        names = [name for name in tree.assignments() if name in known and tree.students(name)]
    if not names:
        raise ClassroomError(f"nothing to grade: no folder {tree.submitted('STUDENT', 'ASSIGNMENT')}")
    return Run(assignments=tuple(names), student=options["student"], asked=options)


def _resumed(tree: ClassTree, chapter: str | None, options: dict) -> Run:
    """The interrupted run, on as many workers as are asked for now."""
    names = ("sources", "roster", "replace", "force", "dask", "confine", "trust_submissions")
    given = [options[name] for name in names]
    if chapter or options["student"] != "*" or any(given):
        raise ClassroomError("--resume goes on with what the interrupted run was asked; beside it only --jobs counts")
    record = Run.read(tree)
    if options["jobs"]:
        record.asked["jobs"] = options["jobs"]
    return record
