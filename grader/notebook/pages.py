"""What a notebook shows beside the panel: hints, the contract, the files, and the note while a check runs."""

from __future__ import annotations

import textwrap
from pathlib import Path

from grader.course import Exercise
from grader.notebook import words
from grader.notebook.markup import Html, code, heading, join, prose, table, tag
from grader.notebook.style import STYLE


class Page:
    """A titled piece of HTML with the same as text."""

    def __init__(self, title: str, body: Html, text: str):
        self.title, self.text = title, text
        section = tag(
            "section",
            tag("header", heading(3, title, class_="title")),
            tag("div", body, class_="body"),
            class_="panel quiet",
            aria_label=title,
        )
        self._html = join(STYLE, section)

    def _repr_html_(self) -> str:
        return self._html

    def __repr__(self) -> str:
        return f"{self.title}\n{self.text}"


class _Checking:
    """One quiet line that the panel replaces."""

    def __init__(self, title: str):
        self.title = title

    def _repr_html_(self) -> str:
        return tag("p", f"Checking {self.title} …", role="status", style="color: var(--jp-ui-font-color2, inherit)")

    def __repr__(self) -> str:
        return f"Checking {self.title} …"


class Installing:
    """A bar and a sentence while something is installed."""

    def __init__(self, done: int, total: int, sentence: str):
        self.done, self.total, self.sentence = done, total, sentence

    def _repr_html_(self) -> str:
        bar = tag("progress", "", value=str(self.done), max=str(self.total or 1), style="width: 16em")
        return tag("p", join(bar, " ", self.sentence), role="status", style="color: var(--jp-ui-font-color2, inherit)")

    def __repr__(self) -> str:
        return self.sentence


def checking(exercise: Exercise) -> _Checking:
    return _Checking(exercise.title)


def hints(exercise: Exercise, taken: int, notice: str | None = None) -> Page:
    """The first ``taken`` rungs of the ladder, the newest unfolded."""
    total = len(exercise.hints)
    if not total:
        none = "This exercise has no hints."
        return Page(f"“{exercise.title}”: hints", tag("p", none), none)
    seen = exercise.hints[:taken]
    older = [tag("li", prose(hint.text)) for hint in seen[:-1]]
    left = total - len(seen)
    more = f'{left} more: exercise("{exercise.slug}").hint()' if left else words.NO_MORE_HINTS
    body = join(
        tag("details", tag("summary", "Earlier hints"), tag("ol", older)) if older else None,
        tag("p", prose(seen[-1].text)),
        tag("p", more, class_="note"),
        tag("p", notice, class_="note") if notice else None,
    )
    text = "\n".join(_wrapped(f"{n}. {hint.text}") for n, hint in enumerate(seen, 1))
    title = f"“{exercise.title}”: hint {len(seen)} of {total}"
    return Page(title, body, "\n".join(filter(None, (text, more, notice))))


def contract(exercise: Exercise) -> Page:
    """The contract table: each row's name and what must hold."""
    rows = [tag("tr", tag("th", row.row, scope="row"), tag("td", prose(row.text))) for row in exercise.contract]
    head = tag("tr", tag("th", "about", scope="col"), tag("th", "what must hold", scope="col"))
    sheet = table(head, rows) if rows else None
    body = join(tag("p", prose(exercise.summary)), sheet)
    text = "\n".join(_wrapped(f"{row.row}: {row.text}") for row in exercise.contract)
    return Page(f"“{exercise.title}”: the contract", body, f"{exercise.summary}\n{text}")


def files(exercise: Exercise, directory: Path) -> Page:
    """Where the answer lies and whether each file is there."""
    title = f"{exercise.title}: your answer"
    if exercise.cell is not None:
        name = f"{exercise.slug}-answer"
        sentence = f"The answer is a cell of the notebook {exercise.chapter}.ipynb, the one named {name}."
        return Page(title, tag("p", sentence), sentence)
    states = [(name, "there" if (directory / name).is_file() else "missing") for name in exercise.files]
    items = [tag("li", code(name), ": ", state) for name, state in states]
    body = join(tag("p", "In ", code(directory)), tag("ul", items))
    return Page(title, body, "\n".join([f"in {directory}", *(f"{name}: {state}" for name, state in states)]))


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 100, subsequent_indent="   ")
