"""The requirement cards of the chapter: what is asked, and where TensorRT's interfaces meet it."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from importlib import resources

# What may be chosen, with the words of the notebook.
CHOICES = {
    "core": "IPluginV3OneCore: name, version, namespace",
    "build": "IPluginV3OneBuild: shapes, types, formats, tactics, workspace",
    "build-v2": "IPluginV3OneBuildV2: the same, and outputs that are inputs",
    "runtime": "IPluginV3OneRuntime: enqueue, contexts, what is serialized",
    "resource": "IPluginResource: kept by the registry, shared by key",
    "v2": "IPluginV2DynamicExt, for what is older than TensorRT 10",
    "python": "a plugin class in Python",
    "none": "no interface of these: the graph or the requirement has to change",
}


@dataclass(frozen=True)
class Card:
    id: str
    text: str
    choice: str
    evidence: tuple[str, ...]  # qualified names, any of which decides
    looks: str  # where to look, without naming it
    misconception: str
    instead: Mapping[str, str] = field(default_factory=dict)  # what to say to a wrong choice


@functools.cache
def cards() -> tuple[Card, ...]:
    text = (resources.files(__package__) / "cards.toml").read_text(encoding="utf-8")
    return tuple(Card(**{**card, "evidence": tuple(card["evidence"])}) for card in tomllib.loads(text)["card"])


class Deck:
    """The cards as the notebook shows them: the requirements, and what may be chosen."""

    def __repr__(self) -> str:
        asked = [f"{card.id}: {card.text}" for card in cards()]
        offered = [f"  {name}: {words}" for name, words in CHOICES.items()]
        return "\n\n".join(asked) + "\n\nChoices:\n" + "\n".join(offered)

    def _repr_html_(self) -> str:
        def table(head: tuple[str, str], rows) -> str:
            style = "text-align:left;vertical-align:top"
            body = "".join(
                f'<tr><td style="{style};white-space:nowrap"><code>{escape(a)}</code></td>'
                f'<td style="{style}">{escape(b)}</td></tr>'
                for a, b in rows
            )
            top = "".join(f'<th style="{style}">{escape(one)}</th>' for one in head)
            return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"

        asked = table(("card", "requirement"), [(card.id, card.text) for card in cards()])
        return asked + table(("choice", "stands for"), CHOICES.items())
