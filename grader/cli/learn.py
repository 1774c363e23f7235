"""The learner's commands: list, start, reset, update, hint, contract."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader import course
from grader.cli.guard import WrongUse, complain
from grader.course import CourseError, Exercise, Tree
from grader.workspace import (
    Entry,
    Report,
    Workspace,
    load,
    locate,
    reset,
    start,
    take_hint,
    update,
    write_index,
)  # fmt: skip

_STYLES = {
    "created": "green", "replaced": "green", "merged": "green", "reset": "green", "saved": "cyan",
    "conflict": "bold yellow", "gone": "yellow", "missing": "yellow", "kept": "dim",
}  # fmt: skip
_WORDS = {"kept": "unchanged", "gone": "no longer in the course", "missing": "not there"}


def _places() -> tuple[Tree, Workspace]:
    tree = course.authors_tree()
    return tree, locate(tree)


def _console() -> Console:
    console = Console(highlight=False)
    # A pipe or a file has no width: nothing is folded or cut there.
    return console if console.is_terminal else Console(highlight=False, width=200)


def show_list() -> None:
    tree, workspace = _places()
    progress, console = load(workspace), _console()
    if progress.notice:
        complain(progress.notice)
    for chapter in course.chapters(tree):
        after = f", after {', '.join(map(str, chapter.prerequisites))}" if chapter.prerequisites else ""
        minutes = f"  {chapter.core_minutes} to {chapter.full_minutes} min{after}"
        console.print(Text.assemble((f"{chapter.number} · {chapter.title}", "bold"), (minutes, "dim")))
        rows = [_row(exercise, progress.of(exercise)) for exercise in chapter.exercises]
        table = Table.grid(padding=(0, 2, 0, 0))
        for cells in zip(
            *rows, strict=True
        ):  # only the title may be cut: the rest is what people type and count
            table.add_column(no_wrap=True, min_width=max(map(len, cells)))
        table.add_column(no_wrap=True, overflow="ellipsis", style="dim")
        for row, exercise in zip(rows, chapter.exercises, strict=True):
            table.add_row(*row, exercise.title)
        console.print(Padding(table, (0, 0, 1, 2), expand=False))
    console.print("Check one with  grader check EXERCISE .")


def _row(exercise: Exercise, entry: Entry) -> tuple:
    mark = Text("✓", "bold green") if entry.passed else Text("◐" if entry.attempts else "○", "dim")
    points = f"{exercise.points:g} point{'' if exercise.points == 1 else 's'}"
    return mark, exercise.slug, exercise.dotted, points, exercise.track, _standing(entry)


def _standing(entry: Entry) -> str:
    if not entry.attempts:
        return ""
    tries = f"{entry.attempts} {'try' if entry.attempts == 1 else 'tries'}"
    return (
        f"passed, {tries}" if entry.passed else f"{entry.best_earned:g} of {entry.best_possible:g}, {tries}"
    )


def start_chapters(names: list[str], everything: bool) -> None:
    tree, workspace = _places()
    if bool(names) == everything:
        raise WrongUse("name the chapters to start, as in `grader start 0`, or say `grader start --all`")
    chosen = course.chapters(tree) if everything else [course.chapter(name, tree) for name in names]
    console = _console()
    for chapter in chosen:
        report = start(chapter, workspace, tree)
        new = sum(change.kind == "created" for change in report.changes)
        word = f"{new} file{'' if new == 1 else 's'} brought in" if new else "already there"
        console.print(Text.assemble((f"{chapter.number} · {chapter.title}", "bold"), f"  {word}"))
        console.print(Text(f"    {workspace.chapter(chapter)}", "dim"), soft_wrap=True)
        _notes(report, console)
    console.print(Text(f"The map of the course: {write_index(workspace, tree)}"), soft_wrap=True)


def reset_files(name: str) -> None:
    tree, workspace = _places()
    try:  # the exercise first: should a chapter have the same name, less is reset
        target = course.find(name, tree)
        chapter = course.chapter(target.number, tree)
    except CourseError as error:
        try:
            target = chapter = course.chapter(name, tree)
        except CourseError:
            raise WrongUse(f'there is no chapter "{name}", and {error}') from None
    _show(reset(target, chapter, workspace, tree), _console())


def update_chapters() -> None:
    tree, workspace = _places()
    started = [chapter for chapter in course.chapters(tree) if workspace.started(chapter)]
    if not started:
        raise WrongUse("nothing is started yet; begin with `grader start 0`")
    console = _console()
    for chapter in started:
        console.print(Text(f"{chapter.number} · {chapter.title}", "bold"))
        _show(update(chapter, workspace, tree), console)
    write_index(workspace, tree)


def _show(report: Report, console: Console) -> None:
    for change in report.changes:
        style, word = _STYLES[change.kind], _WORDS.get(change.kind, change.kind)
        place = change.path if change.kind == "saved" else change.path.name
        console.print(Text.assemble(("  ", ""), (f"{word:<10} ", style), str(place)), soft_wrap=True)
        if change.note:
            console.print(Text(f"             {change.note}", "dim"), soft_wrap=True)
    _notes(report, console)


def _notes(report: Report, console: Console) -> None:
    for note in report.notes:
        console.print(Text(f"    {note}", "yellow"), soft_wrap=True)


def show_hint(name: str, everything: bool) -> None:
    tree, workspace = _places()
    exercise = course.find(name, tree)
    total, console = len(exercise.hints), _console()
    if everything:
        first, last = 1, total
    else:
        before = load(workspace).of(exercise).hints
        last, notice = take_hint(exercise, workspace)
        first = last
        if notice:
            complain(notice)
        if before >= total:
            console.print("You have seen every hint; this is the last one again. `--all` shows all of them.")
    for number in range(first, last + 1):
        console.print(Text(f"Hint {number} of {total}", "bold"))
        console.print(Padding(Text(exercise.hints[number - 1].text), (0, 0, 0, 2)))


def show_contract(name: str) -> None:
    tree, _ = _places()
    exercise, console = course.find(name, tree), _console()
    console.print(Text.assemble((exercise.title, "bold"), (f"  {exercise.slug}", "dim")))
    console.print(Text(exercise.summary))
    console.print()
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for row in exercise.contract:
        table.add_row(Text(row.row), Text(row.text))
    console.print(Padding(table, (0, 0, 0, 2)))
    if exercise.files:
        console.print()
        console.print(Text(f"You hand in: {', '.join(exercise.files)}", "dim"))
