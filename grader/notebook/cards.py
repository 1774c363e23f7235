"""The cards of chapter 1 in a notebook: logs with numbered lines, and operators with what is known of them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from grader.exercises.ch01_why_plugins.cards import LogCard, causes, log_cards
from grader.exercises.ch01_why_plugins.operators import visible
from grader.notebook.markup import Html, code, heading, join, table, tag
from grader.notebook.style import STYLE

_ROW = (
    "display: grid; grid-template-columns: 2.6em minmax(0, 1fr); min-width: 0; white-space: pre-wrap; "
    "overflow-wrap: anywhere; word-break: normal"
)

_WHOLE = "white-space: nowrap"
# Names of layers are long words, and five columns of them have to fit: the last one breaks its words if it must.
_CLOSE = "padding-right: .6em"
_LAST = "overflow-wrap: anywhere; min-width: 9em; padding-right: 0"


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
        rows = [
            tag("tr", tag("th", tag("code", id, style=_WHOLE), scope="row"), tag("td", text))
            for id, text in causes().items()
        ]
        head = tag("tr", tag("th", "cause", scope="col"), tag("th", "what it is", scope="col"))
        return join(STYLE, tag("section", tag("div", table(head, rows), class_="body"), class_="panel quiet"))

    def __repr__(self) -> str:
        return _pairs(causes().items())


class OperatorCards:
    """The operator cards that `decide` is checked with, as a table."""

    def _repr_html_(self) -> str:
        names = ("operator", "the product", "parser", "layer", "otherwise")
        head = tag("tr", [tag("th", name, scope="col", style=_CLOSE) for name in names])
        styles = (_CLOSE, _CLOSE, _CLOSE, _CLOSE, _LAST)
        rows = [
            tag("tr", [tag("td", cell, style=how) for cell, how in zip(_cells(card.id, card.op), styles, strict=True)])
            for card in visible().values()
        ]
        return join(STYLE, tag("section", tag("div", table(head, rows), class_="body"), class_="panel quiet"))

    def __repr__(self) -> str:
        return "\n\n".join("\n    ".join([f"{card.id}:", *_parts(card.op)]) for card in visible().values())


def operator(card: str) -> dict:
    """What `decide` is given for a card ("swish"); ``KeyError`` names the cards."""
    if card not in visible():
        raise KeyError(f"there is no card {card!r}; there are {', '.join(visible())}")
    return dict(visible()[card].op)


def _cells(card: str, op: dict) -> list:
    _, product, *rest = _parts(op)
    wishes = [tag("div", part, style=_WHOLE) for part in product.split("; ")]
    return [[tag("strong", op["name"]), tag("div", code(card)), tag("div", op["does"])], wishes, *rest]


def _parts(op: dict) -> list[str]:
    """Name, product, parser, layer, and what else computes it, each as text."""
    moves_to = op["newest"] != op["target"]
    product = f"runs {op['target']}; may move to {op['newest']}" if moves_to else f"stays at {op['target']}"
    product += f"; wish: {op['wish']}; extents: {op['extents']}" + (f"; kernel: {op['kernel']}" if op["kernel"] else "")
    layer = f"{op['layer']}, {_found_in(op['layer_since'])}" if op["layer"] else "none"
    layer += f"; lacks {op['layer_lacks']}" if op["layer_lacks"] else ""
    layer += f"; merges with {', '.join(op['merges_with'])}" if op["merges_with"] else ""
    other = []
    if op["rewrite"]:
        fixed = ", needs fixed extents" if op["rewrite_needs_fixed"] else ""
        other.append(f"rewrite: {', '.join(op['rewrite'])}{fixed}")
    if op["combination"]:
        moves = f"moves {_size(op['bytes'])}, least {_size(op['least_bytes'])}"
        kind = "all elementwise" if op["elementwise"] else "not all elementwise"
        other.append(f"combination: {', '.join(op['combination'])}; {kind}; {moves}")
    return [f"{op['name']}: {op['does']}", product, op["parser"], layer, "; ".join(other) or "nothing"]


def _size(count: int) -> str:
    return f"{count / 2**20:.1f} MiB" if count >= 2**20 else f"{count / 2**10:.1f} KiB"


def _found_in(version: str) -> str:
    """In words. Nobody looked further back than 8.6."""
    return "in 8.6 or earlier" if version == "8.6" else f"found in {version}"


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
