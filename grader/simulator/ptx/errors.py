"""Why a module cannot be run."""

from __future__ import annotations


class PtxError(Exception):
    """The PTX text is malformed. ``line`` is its own line, counted from 1."""

    def __init__(self, message: str, line: int | None = None):
        super().__init__(message if line is None else f"line {line} of the PTX: {message}")
        self.line = line


class Refused(Exception):
    """The text is PTX, but a GPU's driver would not load it. The message is a sentence."""


class Unsupported(Exception):
    """The simulator does not model this. ``what`` names it: an opcode with its modifiers, a directive."""

    def __init__(self, what: str, file: str | None = None, line: int | None = None):
        place = f" (from {file}, line {line})" if file and line else ""
        super().__init__(f"the simulated GPU does not support `{what}`{place}")
        self.what, self.file, self.line = what, file, line
