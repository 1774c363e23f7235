"""The requirement cards of the chapter: what is asked, and where TensorRT's interfaces meet it."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources

from grader.exercises.ch03_interface_families.tables import Table, Tables

# What may be chosen, with the words of the notebook.
CHOICES = {
    "core": "IPluginV3OneCore, the core capability",
    "build": "IPluginV3OneBuild, the build capability",
    "build-v2": "IPluginV3OneBuildV2, the second version of the build capability",
    "runtime": "IPluginV3OneRuntime, the runtime capability",
    "resource": "IPluginResource, which the plugin registry keeps under a key",
    "v2": "IPluginV2DynamicExt and its creator",
    "python": "a plugin class in Python",
    "none": "none of these: the graph or the requirement has to change",
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
    beside: Mapping[str, str] = field(default_factory=dict)  # what to say to evidence that looks right and is not


@functools.cache
def cards() -> tuple[Card, ...]:
    text = (resources.files(__package__) / "cards.toml").read_text(encoding="utf-8")
    return tuple(Card(**{**card, "evidence": tuple(card["evidence"])}) for card in tomllib.loads(text)["card"])


def deck() -> Tables:
    """The cards as the notebook shows them: the requirements, and what may be chosen."""
    asked = Table(("card", "requirement"), [(card.id, card.text) for card in cards()])
    return asked + Table(("choice", "stands for"), list(CHOICES.items()))
