"""Mutated PTX: every refusal is typed, every launch ends, nothing crashes. ``fuzz.py`` runs more of it."""

from __future__ import annotations

import random

import fuzz
import mutations
import pytest

from grader.simulator.memory import BASE, PARAMETERS

COUNT = 1000


def test_mutated_modules_never_end_in_a_defect():
    seed = random.SystemRandom().randrange(10**6)
    report = fuzz.fuzz(COUNT, seed, quick=True)
    print(report)
    assert not report.findings, report
    assert report.inputs == COUNT
    launched = sum(count for end, count in report.ends.items() if not end.startswith("load"))
    assert launched > COUNT // 5, report


def test_an_input_follows_from_its_seed_and_number():
    texts = [mutations.mutated(random.Random(f"5:{k % 20}"), fuzz.QUICK) for k in range(40)]
    assert texts[:20] == texts[20:]
    assert len(set(texts)) > 15


@pytest.fixture
def trial(session_device):
    backend = session_device._transport._backend
    return fuzz.Trial(backend, backend._memory)


def test_a_byte_changed_outside_of_a_buffer_is_a_finding(trial, monkeypatch):
    text = mutations.modules(fuzz.QUICK)[0][0]
    assert trial.run(text, random.Random(1))[1] is None
    launch = trial.device.launch

    def astray(*args, **options):
        trial.memory._view[BASE - PARAMETERS + 16384 + 5] = 1
        return launch(*args, **options)

    monkeypatch.setattr(trial.device, "launch", astray)
    assert "outside of buffer 0" in trial.run(text, random.Random(1))[1]


def test_a_process_that_dies_is_a_finding_and_the_next_input_follows(monkeypatch):
    begin = fuzz.Watched.__init__

    def dying(self, seed, first, count, **options):
        begin(self, seed, first, count, **options)
        if first == 0:
            self.process.kill()

    monkeypatch.setattr(fuzz.Watched, "__init__", dying)
    report = fuzz.fuzz(3, 1, quick=True)
    assert report.inputs == 3
    assert [index for index, _ in report.findings] == [0] and "crash" in report.findings[0][1]
