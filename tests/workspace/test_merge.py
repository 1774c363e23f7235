"""Three-way merge of text."""

import random

import pytest

from grader.workspace.merge import merge_text

BASE = "a\nb\nc\nd\ne\n"


@pytest.mark.parametrize(
    "mine, new, expected",
    [
        (BASE, "a\nB\nc\nd\ne\n", "a\nB\nc\nd\ne\n"),
        ("a\nB\nc\nd\ne\n", BASE, "a\nB\nc\nd\ne\n"),
        ("A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n", "A\nb\nc\nd\nE\n"),
        ("a\nb\nmine\nc\nd\ne\n", "a\nb\nc\nd\n", "a\nb\nmine\nc\nd\n"),
        ("a\nX\nc\nd\ne\n", "a\nX\nc\nd\ne\n", "a\nX\nc\nd\ne\n"),  # both did the same
        ("", BASE, ""),  # all removed by the learner, nothing new
        ("a\nb\nc\nd\ne", "A\nb\nc\nd\ne\n", "A\nb\nc\nd\ne"),  # no newline at the end
        ("0\n" + BASE, BASE + "9\n", "0\n" + BASE + "9\n"),
    ],
)
def test_changes_to_different_places_are_both_kept(mine, new, expected):
    assert merge_text(BASE, mine, new) == expected


@pytest.mark.parametrize(
    "mine, new",
    [
        ("a\nX\nc\nd\ne\n", "a\nY\nc\nd\ne\n"),
        ("a\nX\nc\nd\ne\n", "a\nb\nY\nd\ne\n"),  # neighbours with no unchanged line between
        ("a\nc\nd\ne\n", "a\nY\nc\nd\ne\n"),  # removed here, changed there
        (BASE + "x\n", BASE + "y\n"),
    ],
)
def test_changes_to_one_place_are_a_conflict(mine, new):
    assert merge_text(BASE, mine, new) is None


def test_nothing_of_the_learners_is_ever_lost():
    """In random edits: a clean merge holds every line that either side added."""
    rng = random.Random(7)
    clean = 0
    for _ in range(300):
        base = [f"line {i}\n" for i in range(12)]

        def edited(tag, base=base):
            lines = list(base)
            for count in range(rng.randint(1, 3)):
                lines.insert(rng.randrange(len(lines) + 1), f"{tag} {count}\n")
            if rng.random() < 0.5:
                del lines[rng.randrange(len(lines))]
            return lines

        mine, new = edited("mine"), edited("new")
        merged = merge_text("".join(base), "".join(mine), "".join(new))
        if merged is not None:
            clean += 1
            kept = merged.splitlines(keepends=True)
            for line in (*mine, *new):
                if line.startswith(("mine", "new")):
                    assert line in kept
    assert clean > 100
