"""The strict reading of an opcode: every modifier is taken by somebody, in the ISA's order, or refused."""

from __future__ import annotations

from collections import defaultdict

from grader.simulator.ptx.isa import not_modelled


def by_word(classes: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """The class of each modifier."""
    return {word: name for name, words in classes.items() for word in words}


class Modifiers:
    """The parts of an opcode behind its root, taken from the left."""

    def __init__(self, opcode: str):
        self.opcode = opcode
        self.root, *self._rest = opcode.split(".")

    def take(self, *choices: str) -> str:
        """The next modifier if it is one of the choices, else ""."""
        if self._rest and self._rest[0] in choices:
            return self._rest.pop(0)
        return ""

    def skip(self, *choices: str) -> None:
        """Take what changes no result: cache hints, scopes and orders that a sequential machine satisfies."""
        while self.take(*choices):
            pass

    def in_any_order(self, classes: dict[str, str]) -> defaultdict[str, str]:
        """At most one modifier of each class, up to the first of none; "" where there is none.

        ``classes`` tells of which class a modifier is, as ``by_word`` gives it.
        """
        found: defaultdict[str, str] = defaultdict(str)
        while self._rest and (name := classes.get(self._rest[0])):
            if found[name]:
                self.refuse()
            found[name] = self._rest.pop(0)
        return found

    def need(self, *choices: str) -> str:
        return self.take(*choices) or self.refuse()

    def refuse(self) -> str:
        raise not_modelled(self.opcode)

    def done(self) -> None:
        if self._rest:
            self.refuse()
