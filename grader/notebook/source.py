"""Excerpts of the learner's own files, with the line in question marked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from grader.notebook.markup import Html, join, tag

LONGEST_LINE = 300
_LARGEST = 1 << 20


def read_sources(directory: Path, names) -> dict[str, str]:
    """The text of the named files that are there; what is missing, too large or no text is left out."""
    sources = {}
    for name in names:
        path = Path(directory) / name
        try:
            if path.is_file() and path.stat().st_size <= _LARGEST:
                sources[name] = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
    return sources


def excerpt(
    sources: Mapping[str, str], file: str | None, line: int | None, *, column: int | None = None, around: int = 2
) -> Html | None:
    """The lines about ``line`` (from 1) of ``file`` with that one marked; ``None`` where there is no such line."""
    text = sources.get(Path(file).name) if file else None
    lines = (text or "").splitlines()
    if not line or not 1 <= line <= len(lines):
        return None
    first, last = max(1, line - around), min(len(lines), line + around)
    rows = []
    for number in range(first, last + 1):
        content, marked = lines[number - 1], number == line
        shown = content.expandtabs(4)[:LONGEST_LINE] or " "
        mark = tag("span", "▶ " if marked else "  ", aria_hidden="true")
        hidden = tag("span", "this line: ", class_="hidden-text") if marked else None
        rows.append(
            tag("span", tag("span", f"{number:>4} ", class_="no"), mark, hidden, shown, "\n",
                class_="row marked" if marked else "row")
        )  # fmt: skip
        if marked and column and column <= len(content) + 1:
            indent = len(content[: column - 1].expandtabs(4))
            if indent < LONGEST_LINE:
                rows.append(
                    tag("span", tag("span", "     ", class_="no"), "  " + " " * indent,
                        tag("span", "^", class_="caret"), "\n", class_="row", aria_hidden="true")
                )  # fmt: skip
    return tag("pre", join(*rows), aria_label=f"{Path(file).name}, lines {first} to {last}", tabindex="0")
