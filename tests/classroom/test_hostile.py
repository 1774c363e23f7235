"""Hostile and broken submissions among honest ones, through `grader autograde`: a different 20 each time.

All of them: ``python tests/classroom/hostile/grade_hostile.py`` (``make attack``).
"""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

HOSTILE = Path(__file__).resolve().parent / "hostile"
sys.path.insert(0, str(HOSTILE))

import grade_hostile  # noqa: E402

from grader.sandbox import confinement  # noqa: E402


def test_every_case_has_a_name_of_its_own_and_says_what_must_come_of_it():
    cases = grade_hostile.all_cases()
    assert len(cases) >= 120 and len({case.name for case in cases}) == len(cases)
    assert all(case.tries and (case.expect or case.ungraded) for case in cases)


def test_a_sample_is_of_every_family_and_takes_no_longer_than_said():
    cases = grade_hostile.sample(grade_hostile.all_cases(), 20, 7)
    families = [
        own for name, (_, own) in grade_hostile.families().items() if name != "plugin_answers"
    ]  # these take too long
    assert len(cases) == 20 and all(any(case in own for case in cases) for own in families)
    assert sum(case.seconds * case.copies for case in cases) <= grade_hostile.SAMPLE_SECONDS


def test_twenty_hostile_submissions():
    """In a process of its own, which is left with whatever outlives the grading."""
    seed, kind = random.SystemRandom().randrange(10**6), random.SystemRandom().choice(confinement.KINDS)
    if not confinement.probe(kind).works:
        pytest.skip(f"{kind} does not work here: {confinement.probe(kind).found}")
    command = [
        sys.executable,
        str(HOSTILE / "grade_hostile.py"),
        "--sample",
        "20",
        "--seed",
        str(seed),
        "--confine",
        kind,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr[-2000:]}"
