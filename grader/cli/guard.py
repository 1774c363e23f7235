"""How the command ends: no traceback for a person's mistake, and a log for ours.

Exit status: 0 all that could run passed, 1 not all passed, 2 wrong use, 3 grader fault.
"""

from __future__ import annotations

import errno
import logging
import os
import sys
import tempfile
import traceback
from datetime import datetime
from pathlib import Path

import typer
from typer.core import TyperGroup

OK, NOT_PASSED, WRONG_USE, FAULT = 0, 1, 2, 3

# typer carries its own copy of click from some version on: take the class from where typer has it.
_USAGE_ERROR = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


# What a person can mend about a file or a folder: rights, space, something else in its place.
_MENDABLE = {
    errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EISDIR, errno.ENOTDIR,
}  # fmt: skip


class WrongUse(Exception):
    """What was asked cannot be done; the text says what to do instead."""


class GuardedGroup(TyperGroup):
    """The whole command: mistakes become a sentence and exit 2, internal errors a log and exit 3.

    `class` is mounted when it is first named, so that everything else starts without nbgrader.
    """

    def list_commands(self, ctx):
        return [*super().list_commands(ctx), "class"]

    def get_command(self, ctx, cmd_name):
        return classroom_command() if cmd_name == "class" else super().get_command(ctx, cmd_name)

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except (typer.Exit, typer.Abort, _USAGE_ERROR, BrokenPipeError):
            raise
        except Exception as error:
            if _is_a_persons_mistake(error):
                complain(str(error))
                raise typer.Exit(WRONG_USE) from None
            if isinstance(error, OSError) and error.errno in _MENDABLE and error.filename:
                reason = (error.strerror or "cannot be used").lower()
                complain(f"{error.filename}: {reason}. Nothing was changed there; mend that and run this again.")
                raise typer.Exit(WRONG_USE) from None
            fault(error)
            raise typer.Exit(FAULT) from None


def _is_a_persons_mistake(error: Exception) -> bool:
    """Whether the error is one that a room raises to tell a person what to do."""
    from grader.course import CourseError
    from grader.workspace import WorkspaceError

    kinds: list[type] = [WrongUse, CourseError, WorkspaceError]
    # Errors of rooms that are loaded only where they are used.
    for module, name in (
        ("grader.classroom.errors", "ClassroomError"),
        ("grader.gpu.choice", "DeviceUnavailable"),
    ):
        if module in sys.modules:
            kinds.append(getattr(sys.modules[module], name))
    return isinstance(error, tuple(kinds))


def classroom_command():
    """`grader class`, or a command that says why it is not there."""
    try:
        from grader.classroom.commands import app
        from grader.cli import reproduce

        if "reproduce" not in {known.name for known in app.registered_commands}:
            app.command("reproduce")(reproduce.command)
        return typer.main.get_command(app)
    except ImportError as error:
        missing = str(error)

    absent = typer.Typer(help="Classes: release, feedback, export. Not available here.")

    @absent.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
    def unavailable() -> None:
        raise WrongUse(f"`grader class` cannot start: {missing}. Run `make course` again, or `grader doctor`")

    return typer.main.get_command(absent)


def complain(text: str) -> None:
    typer.echo(f"grader: {text}", err=True)


def log_file() -> Path:
    """Where this run's internal errors are written; the folder is made."""
    from grader.toolchain import cache_folder

    for folder in (cache_folder() / "log", Path(tempfile.gettempdir()) / "tensorrt-plugin-course-log"):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder / f"{datetime.now():%Y-%m-%d}.log"
        except OSError:
            continue
    return Path(os.devnull)


def fault(error: BaseException) -> None:
    """Say that the grader failed and where the details are."""
    path = log_file()
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{datetime.now().isoformat()} {' '.join(sys.argv)}\n")
            traceback.print_exception(error, file=file)
    except OSError:
        pass  # a full disk: the sentence below must come all the same
    complain(f"something in the grader broke, not in your work: {type(error).__name__}: {error}")
    complain(f"please report it, with the end of {path}")


def keep_log() -> Path:
    """Send what the rooms log about their own faults to the log file; returns its path."""
    path = log_file()
    handler = logging.FileHandler(path, delay=True, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(levelname)s %(message)s"))
    logger = logging.getLogger("grader")
    logger.addHandler(handler)
    logger.propagate = False
    return path
