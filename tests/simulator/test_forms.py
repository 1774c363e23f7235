"""Which opcodes the decoder takes: those of ``accepted_opcodes.txt``, which ``ptxas`` takes too, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from forms import Taker, forms, opcode_of

GOLDEN = set((Path(__file__).parent / "accepted_opcodes.txt").read_text().split())
EVERY = list(dict.fromkeys(forms()))


@pytest.fixture(scope="module")
def problems() -> dict[str, Exception | None]:
    """Of all accepted forms, and of every twenty-third of the others."""
    chosen = [form for k, form in enumerate(EVERY) if k % 23 == 0 or opcode_of(form) in GOLDEN]
    return dict(zip(chosen, Taker().why_not(chosen), strict=True))


def test_every_opcode_of_the_list_is_run(problems):
    assert {opcode_of(form) for form, problem in problems.items() if problem is None} == GOLDEN


def test_no_modifier_is_ignored(problems):
    """What is not in the list is refused, with the opcode's name or what is wrong with its operands."""
    refused = [(form, problem) for form, problem in problems.items() if opcode_of(form) not in GOLDEN]
    assert len(refused) > 4000
    assert [form for form, problem in refused if problem is None or not str(problem)] == []
