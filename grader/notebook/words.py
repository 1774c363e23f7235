"""The sentences of the panel, in one place, so that another language can follow."""

from __future__ import annotations

import re

from grader.verdict import State

# state -> (icon, word for one check). The word carries the meaning, the icon and the colour only repeat it.
CHECK_STATES = {
    State.PASS: ("✓", "passed"),
    State.FAIL: ("✗", "not yet"),
    State.ERROR: ("✗", "error"),
    State.CRASH: ("✗", "crashed"),
    State.TIMEOUT: ("✗", "did not end"),
    State.OUT_OF_MEMORY: ("✗", "out of memory"),
    State.UNSUPPORTED_HERE: ("○", "not checked here"),
    State.GRADER_FAULT: ("!", "grader's fault"),
}
BLOCKED = ("–", "not run")

# state -> headline of the whole verdict
HEADLINES = {
    State.PASS: "Passed",
    State.FAIL: "Not there yet",
    State.ERROR: "It cannot be checked yet",
    State.CRASH: "Your code crashed",
    State.TIMEOUT: "Your code did not end",
    State.OUT_OF_MEMORY: "Your code needed too much memory",
    State.UNSUPPORTED_HERE: "Passed as far as this machine can tell",
    State.GRADER_FAULT: "The grader failed, not you",
}
DOES_NOT_COMPILE = "It does not compile yet"
NOTHING_CHECKED = "Nothing could be checked on this machine"

DEVICES = {"simulated": "the simulated GPU", "cuda": "this machine's GPU", "host": "the CPU"}

MORE_CASES = "The visible checks passed. Trying fresh random cases …"
HIDDEN_PASSED = "It also held for fresh random cases (seed {seed})."
HIDDEN_CASE = (
    "The visible cases pass; this one was made from seed {seed}. "
    '`exercise("{slug}").check(seed={seed})` makes it again.'
)
GRADER_FAULT = "What to send with the report: the text under “What judged” below, and your answer."
WAITING = "{many} not run: first this has to pass: “{first}”"
NEXT_HINT = 'Stuck? `exercise("{slug}").hint()` shows the next hint.'
NEXT_CONTRACT = 'What it must do, row by row: `exercise("{slug}").contract()`.'
NEXT_PASSED = "Done. Go on with the next exercise."
NOT_SAVED = (
    "Checked as you last ran the cell. The notebook on disk holds an older answer: "
    "save it (Ctrl+S) before you hand it in."
)
NO_MORE_HINTS = (
    "That was the last hint. Compare your answer with the contract, row by row, and read the smallest failing case."
)


def behind(misconception: str) -> str:
    """A misconception as an offer, never as a truth: a belief stands in quotation marks, with what is so after it.

    One is written ``A belief. (What is so.)``; without the part in brackets it tells what went wrong.
    """
    found = re.fullmatch(r"(.*?[.!?]) \((.+)\)", misconception, re.DOTALL)
    if not found:
        return f"A common slip: {misconception}"
    return f"You may have thought: “{found[1]}” In fact: {found[2]}"


def often(belief: str) -> str:
    """The belief behind most failures of a rule, as someone who has it would say it."""
    return f"Often believed: “{belief}”"


def number(value: float) -> str:
    """Points as people write them: 4, 2.5."""
    return f"{value:g}"


def points(earned: float, possible: float) -> str:
    return f"{number(earned)} of {number(possible)} point{'' if possible == 1 else 's'}"
