"""Whether a score that a person gave is still of the answer that it was given for.

What the person saw is the autograded folder: it is replaced after the gradebook's rows, so a run that was killed
between the two is told the same again, and nothing else has to be remembered.
"""

from __future__ import annotations

import json
from pathlib import Path

from grader.classroom import graft
from grader.classroom.folder import LARGEST_NOTEBOOK, Unreadable, read_file
from grader.classroom.submission import Submission


class Graded:
    """The answers of the autograded folder `place`; `known` says whether there is one that can be read."""

    def __init__(self, place: Path, assignment: str):
        self._place, self._cells, self.known = place, {}, True
        try:
            notebook = json.loads((place / f"{assignment}.ipynb").read_text(encoding="utf-8"))
            for cell in notebook["cells"]:
                marks = cell["metadata"].get("nbgrader", {})
                if marks.get("solution"):
                    self._cells[marks["grade_id"]] = cell["metadata"].get(graft.AS_TYPED, cell["source"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self.known = False

    def same(self, part: str, now: Submission) -> bool:
        """A part of an answer, a file or a cell, is what it was."""
        if part in now.cells:
            return self._cells.get(part) == now.cells[part]
        try:
            return read_file(self._place / part, LARGEST_NOTEBOOK) == now.files.get(part)
        except Unreadable:
            return part not in now.files
