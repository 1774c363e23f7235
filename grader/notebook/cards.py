"""The cards of chapter 1 in a notebook: logs with numbered lines, and operators with what is known of them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from grader.exercises.ch01_why_plugins.cards import LogCard, causes, log_cards
from grader.notebook.markup import Html, code, heading, join, table, tag
from grader.notebook.style import STYLE

_ROW = (
    "display: grid; grid-template-columns: 2.6em minmax(0, 1fr); min-width: 0; white-space: pre-wrap; "
    "overflow-wrap: anywhere"
)


class LogCards:
    """Some log cards below each other. ``LogCards("voxel", "roi")``; all of them without names."""

    def __init__(self, *names: str):
        self.cards = [log_cards()[name] for name in names or log_cards()]

    def _repr_html_(self) -> str:
        return join(STYLE, [_html(card) for card in self.cards])

    def __repr__(self) -> str:
        return "\n\n".join(map(_text, self.cards))


class Causes:
    """The causes to choose from."""

    def _repr_html_(self) -> str:
        rows = [tag("tr", tag("th", code(id), scope="row"), tag("td", text)) for id, text in causes().items()]
        head = tag("tr", tag("th", "cause", scope="col"), tag("th", "what it is", scope="col"))
        return join(STYLE, tag("section", tag("div", table(head, rows), class_="body"), class_="panel quiet"))

    def __repr__(self) -> str:
        return _pairs(causes().items())


def _html(card: LogCard) -> Html:
    rows = [
        tag("div", tag("span", number, class_="no"), tag("span", line), class_="row", style=_ROW)
        for number, line in enumerate(card.lines, 1)
    ]
    body = tag("div", tag("p", card.situation), tag("pre", rows), tag("p", _made(card), class_="note"), class_="body")
    title = tag("header", heading(3, code(card.id), f" {card.title}", class_="title"))
    return tag("section", title, body, class_="panel quiet", aria_label=f"Card {card.id}: {card.title}")


def _text(card: LogCard) -> str:
    head = f"{card.id}: {card.title}\n{textwrap.fill(card.situation, 110)}"
    return "\n".join([head, *(f"{number:>4}  {line}" for number, line in enumerate(card.lines, 1)), _made(card)])


def _made(card: LogCard) -> str:
    return f"Quoted from {card.made}." if "#" in card.made else f"Made by {card.made} 1.7.1, parser and builder."


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    return "\n".join(textwrap.fill(f"{id}: {text}", 110, subsequent_indent="    ") for id, text in pairs)
