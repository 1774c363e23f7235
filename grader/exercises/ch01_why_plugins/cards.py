"""The log cards of the chapter: what they say, how each was made, and whether an answer fits.

The package goes to students too, so an answer stands in ``log_cards.toml`` only as a seal, from which it cannot be
read; `seal(card, cause)` and `seal(card, line)` make it. What a wrong answer deserves to hear stands beside it in
plain words.
"""

from __future__ import annotations

import functools
import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("log_cards.toml")


@dataclass(frozen=True)
class LogCard:
    """``made``: "TensorRT-RTX", or where two lines at most are quoted from ("owner/repository#number")."""

    id: str
    title: str
    situation: str  # what the log does not say: who did what
    made: str
    lines: tuple[str, ...]
    cause_seal: str
    line_seals: tuple[str, ...]
    cause_notes: dict[str, str]  # by cause: why it does not fit, though it tempts
    line_notes: dict[int, str]  # by number of a line: what it says instead

    def has_cause(self, cause: str) -> bool:
        return seal(self.id, cause) == self.cause_seal

    def has_line(self, line: int) -> bool:
        return seal(self.id, line) in self.line_seals


def seal(card: str, answer: str | int) -> str:
    """What stands in the file for an answer to a card: its cause, or the number of a line that proves it."""
    return hashlib.sha256(f"{card}/{answer}".encode()).hexdigest()[:16]


@functools.cache
def causes() -> dict[str, str]:
    """The causes to choose from, each with a sentence that says what it is."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))["causes"]


@functools.cache
def log_cards() -> dict[str, LogCard]:
    """The cards in the order of the chapter."""
    return {each["id"]: _card(each) for each in tomllib.loads(FILE.read_text(encoding="utf-8"))["card"]}


def _card(table: dict) -> LogCard:
    return LogCard(
        id=table["id"],
        title=table["title"],
        situation=table["situation"],
        made=table["made"],
        lines=tuple(table["text"].strip("\n").split("\n")),
        cause_seal=table["cause"],
        line_seals=tuple(table["line"]),
        cause_notes=table["not"],
        line_notes={int(number): note for number, note in table.get("beside", {}).items()},
    )
