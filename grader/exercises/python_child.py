"""The run child of a Python answer: ``python -I -m grader.exercises.python_child``.

It holds no expected value. It defines the learner's cell in an empty module, calls one function, and sends back plain
data, which the parent judges.
"""

from __future__ import annotations

import builtins
import sys
import traceback

from grader.exercises import plain
from grader.sandbox import channel

NAME = "answer"


def main() -> None:
    wire = channel()
    header, payload = wire.receive()
    try:
        space = {"__name__": NAME, "__builtins__": builtins}
        exec(compile(header["source"], f"<{NAME}>", "exec"), space)
        function = space.get(header["function"])
        if not callable(function):
            wire.send({"error": f"The cell does not define a function {header['function']}.", "line": None})
            return
        calls = plain.decode(header["calls"], payload)
        structure, data = plain.encode([function(*arguments) for arguments in calls])
        wire.send({"values": structure}, data)
    except BaseException as error:  # SystemExit and KeyboardInterrupt are answers too
        words = f"{type(error).__name__}: {error}"[:2000].encode("utf-8", "replace").decode()
        wire.send({"error": words, "line": _line(error)})
    sys.stdout.flush()


def _line(error: BaseException) -> int | None:
    """The last line of the learner's cell that the error passed through."""
    if isinstance(error, SyntaxError) and error.filename == f"<{NAME}>":
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == f"<{NAME}>"]
    return lines[-1] if lines else None


if __name__ == "__main__":
    main()
