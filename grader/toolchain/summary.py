"""One sentence for a list of diagnostics."""

from __future__ import annotations

from collections.abc import Sequence

from grader.toolchain.diagnostics import first_error, place
from grader.verdict import Diagnostic


def summary(diagnostics: Sequence[Diagnostic]) -> str:
    """The first error with its place, and how many follow; at least one error is needed."""
    first = first_error(diagnostics)
    more = sum(diagnostic.severity == "error" for diagnostic in diagnostics) - 1
    return place(first) + first.message + (f" ({more} more below; begin with this one.)" if more else "")
