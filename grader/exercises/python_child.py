"""The run child of a Python answer: ``python -I -m grader.exercises.python_child``.

It holds no expected value. It defines the learner's cell in an empty module, calls one function, and sends back plain
data, which the parent judges.
"""

from __future__ import annotations

import importlib
import os
import sys

from grader.sandbox import Channel, WireError, channel, foreign, plain

NAME = "answer"


def prepare() -> None:
    """All that takes time is the import of NumPy, which is done by now."""


def main() -> None:
    _answer(channel())
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):  # the answer closed or replaced it
            pass
    os._exit(0)  # at once: to take the interpreter apart takes longer than most answers, and means nothing


def _answer(wire: Channel) -> None:
    header, payload = wire.receive()
    try:
        function = foreign.define(header["source"], NAME, f"<{NAME}>").get(header["function"])
        if not callable(function):
            wire.send({"error": f"The cell does not define a function {header['function']}.", "line": None})
            return
        calls = plain.decode(header["calls"], payload)
        name = header.get("through")
        through = _adapter(name) if name and calls else lambda f, *arguments: f(*arguments)
        answers = [through(function, *arguments) for arguments in calls]
        try:
            structure, data = plain.encode(answers)
        except TypeError as error:  # a set, say
            name = header["function"]
            wire.send({"error": f"{name}() returned {error}, and it must return what the contract says.", "line": None})
            return
        _reply(wire, structure, data)
    except BaseException as error:  # SystemExit and KeyboardInterrupt are answers too
        wire.send({"error": foreign.words(error), "line": foreign.line(error, f"<{NAME}>")})


def _reply(wire: Channel, structure: object, data: bytes) -> None:
    try:
        wire.send({"values": structure}, data)
    except WireError:
        wire.send({"error": "The function returned far more than is asked for.", "line": None})


def _adapter(name: str):
    """``call`` of a module of ``grader.exercises.adapters``."""
    return importlib.import_module(f"grader.exercises.adapters.{name}").call


if __name__ == "__main__":
    main()
