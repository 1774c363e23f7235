"""The operator cards of `decide`: facts about operators, and the circumstances in which somebody asks.

Facts stand in `operator_cards.toml` and, for hidden cards, in the bank beside the solution. Bytes are computed from
what each layer reads and writes. Answers to visible cards are sealed as in `cards.py`.
"""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from grader.exercises.bank import hidden_bank
from grader.exercises.ch01_why_plugins.cards import seal

FILE = Path(__file__).with_name("operator_cards.toml")
CHAPTER, BANK = "01_why_plugins", "decide_bank.toml"
DECISIONS = ("native layer", "fusion", "graph rewrite", "native combination", "newer TensorRT", "plugin")
FP32 = 4  # bytes


@dataclass(frozen=True)
class OperatorCard:
    """``op`` is what `decide` is given. ``answer`` is plain in the bank and sealed elsewhere."""

    id: str
    check: str  # the check that asks it
    op: dict
    answer: str
    look: str  # where the evidence is, without the decision
    notes: dict[str, str] = field(default_factory=dict)  # by decision: why not

    def fits(self, decision) -> bool:
        return decision == self.answer or (isinstance(decision, str) and seal(self.id, decision) == self.answer)


@functools.cache
def visible() -> dict[str, OperatorCard]:
    """The cards that a learner sees, in order."""
    return _cards(_table(FILE.read_text(encoding="utf-8")), _facts())


@functools.cache
def hidden() -> dict[str, OperatorCard] | None:
    """The cards of the bank; None where the course came without it."""
    bank = hidden_bank(CHAPTER, BANK)
    if bank is None:
        return None
    table = _table(bank.decode())
    return _cards(table, _facts() | {each["name"]: each for each in table["operator"]})


def operators() -> dict[str, dict]:
    """The facts of every operator that is known here, as they stand in the files."""
    bank = hidden_bank(CHAPTER, BANK)
    return _facts() | ({each["name"]: each for each in _table(bank.decode())["operator"]} if bank else {})


def _table(text: str) -> dict:
    return tomllib.loads(text)


@functools.cache
def _facts() -> dict[str, dict]:
    return {each["name"]: each for each in _table(FILE.read_text(encoding="utf-8"))["operator"]}


def _cards(table: dict, facts: dict[str, dict]) -> dict[str, OperatorCard]:
    return {each["id"]: _card(each, facts[each["operator"]]) for each in table["card"]}


def _card(table: dict, facts: dict) -> OperatorCard:
    op = {
        "name": facts["name"],
        "does": facts["does"],
        "target": table["target"],
        "newest": table["newest"],
        "wish": table.get("wish", "run"),
        "extents": table.get("extents", "fixed"),
        "parser": facts["parser"],
        "layer": facts.get("layer", ""),
        "layer_since": facts.get("layer_since", ""),
        "layer_lacks": facts.get("layer_lacks", ""),
        "merges_with": table.get("merges_with", []),
        "rewrite": facts.get("rewrite", []),
        "rewrite_needs_fixed": facts.get("rewrite_needs_fixed", False),
        "combination": [name for name, _, _ in facts.get("passes", [])],
        "elementwise": facts.get("elementwise", False),
        "bytes": FP32 * sum(read + written for _, read, written in facts.get("passes", [])),
        "least_bytes": FP32 * sum(facts.get("least", [])),
        "kernel": table.get("kernel", ""),
    }
    return OperatorCard(table["id"], table["check"], op, table["answer"], table["look"], table.get("not", {}))
