"""Every defect has a kept proof that it fails what it says; a few are proven again, others each time.

All of them: ``python tests/plugin/prove_defects.py``, which `make prove` runs.
"""

import random
import time

import defective
import pytest

from grader.checks.conformance import rules as _rules  # noqa: F401  (fills RULES)
from grader.checks.conformance.rule import RULES
from grader.toolchain import tensorrt

SAMPLE = 5
SEED = int(time.time())
SUBJECTS = [*defective.right(), *defective.defects()]


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_it_is_proven(subject):
    assert defective.standing(subject, defective.kept()) in ("fresh", "stale"), (
        f"run python tests/plugin/prove_defects.py {subject.name}"
    )


def test_stale_proofs_are_told(capsys):
    kept = defective.kept()
    stale = sum(defective.standing(each, kept) == "stale" for each in SUBJECTS)
    with capsys.disabled():
        if stale:
            print(f"\n{stale} of {len(SUBJECTS)} proofs of plugins are older than the rules: make prove renews them.")


def test_every_rule_owns_a_defect():
    owned = {each.patch.owner for each in defective.defects()}
    assert not set(RULES) - owned
    assert not {name for each in defective.defects() for name in each.must_fail} - set(RULES)


def test_there_are_enough_of_them():
    assert len(defective.defects()) >= 60


def test_no_two_are_the_same():
    files = [tuple(sorted(each.files().items())) for each in SUBJECTS]
    assert len(files) == len(set(files))


@pytest.mark.skipif(
    tensorrt.lean_library() is None or tensorrt.tensorrt_include() is None,
    reason="the plugin lane is not installed: grader plugin-lane",
)
@pytest.mark.parametrize("number", range(SAMPLE))
def test_a_sample_is_proven_again(number, capsys):
    subject = random.Random(SEED).sample(SUBJECTS, SAMPLE)[number]
    with capsys.disabled():
        print(f" {subject.name} (seed {SEED})", end="")
    assert defective.judge(subject).problems == []
