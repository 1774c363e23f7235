"""Python source of somebody else's, run in a run child: defining it, and what to say of an error in it."""

from __future__ import annotations

import builtins
import traceback


def define(source: str, name: str, filename: str) -> dict:
    """The names that the source defines, run as a module ``name`` that no import finds."""
    space = {"__name__": name, "__builtins__": builtins}
    exec(compile(source, filename, "exec"), space)
    return space


def words(error: BaseException) -> str:
    """Kind and text of an error, as text that can be sent."""
    text = error.msg if isinstance(error, SyntaxError) else error  # its line is told apart
    return f"{type(error).__name__}: {text}"[:2000].encode("utf-8", "replace").decode()


def line(error: BaseException, filename: str) -> int | None:
    """The last line of the source that the error passed through; None where it never touched it."""
    if isinstance(error, SyntaxError) and error.filename == filename:
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == filename]
    return lines[-1] if lines else None
