"""The command, kept proofs, and what makes them outdated or stale."""

import dataclasses
import json

import pytest

from grader.proof import prove, verify
from grader.proof.kept import standing
from grader.verdict import State

VARIANTS = "tests/variants/toy-clamp"


def test_the_command_keeps_a_proof_that_verify_accepts(toy, capsys):
    assert verify(root=toy.root, judge=toy.judge()) == 1
    assert "toy-clamp: not proven: there is no proof" in capsys.readouterr().out
    assert prove(["7.clamp"], root=toy.root, judge=toy.judge()) == 0
    assert "1 of 1 exercises proven" in capsys.readouterr().out
    kept = (toy.root / "tests/proofs/toy-clamp.json").read_bytes()
    assert prove([], root=toy.root, judge=toy.judge(), as_json=True) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["proven"] and summary["exercises"][0]["exercise"] == "toy-clamp"
    assert (toy.root / "tests/proofs/toy-clamp.json").read_bytes() == kept
    assert verify(root=toy.root, judge=toy.judge()) == 0
    assert "1 fresh, 0 stale, 0 wanting" in capsys.readouterr().out
    assert prove(["toy-clmp"], root=toy.root, judge=toy.judge()) == 2
    assert "toy-clamp" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("path", "old", "new", "state", "reason"),
    [
        ("solutions/07_toy/toy_clamp.py", "return", "return ", "outdated", "have changed"),
        ("course/07_toy/07_toy.ipynb", "...", "pass", "outdated", "have changed"),
        ("course/07_toy/chapter.toml", "Do it.", "Do that.", "outdated", "have changed"),
        (f"{VARIANTS}/late.patch", "late", "later", "outdated", "have changed"),
        (f"{VARIANTS}/survivors.toml", "same", "very same", "outdated", "have changed"),
        ("grader/exercises/ch07_toy/toy_clamp.py", "compare", "compare  #", "outdated", "have changed"),
        ("grader/exercises/ch07_toy/shared.py", "toy", "../toy", "outdated", "have changed"),
        ("grader/exercises/ch07_toy/harness/toy.h", "", "int x;", "outdated", "have changed"),
        ("grader/exercises/ch07_toy/toy_other.py", "", "x = 1\n", "fresh", ""),
        ("grader/exercises/ch07_toy/harness/other.h", "", "int x;", "fresh", ""),
        ("grader/checks/values.py", "Finding", "Finding  #", "outdated", "have changed"),
        ("grader/checks/base.py", "", "# used by values.py\n", "outdated", "have changed"),
        ("grader/checks/cases.py", "", "# used by no check of this exercise\n", "fresh", ""),
        ("course/07_toy/chapter.toml", "core_minutes = 20", "core_minutes = 21", "fresh", ""),
        ("requirements.lock", "zlib==1", "zlib==2", "fresh", ""),
        ("requirements.lock", "sha256:00", "sha256:01", "stale", "pins"),
        ("grader/simulator/engine.cpp", "", "// faster\n", "stale", "engine"),
        ("grader/exercises/runner.py", "", "# other\n", "stale", "host"),
    ],
)
def test_what_makes_a_proof_outdated_or_stale(toy, path, old, new, state, reason):
    assert prove([], root=toy.root, judge=toy.judge()) == 0
    assert standing(toy.place()).state == "fresh"
    toy.edit(path, old, new)
    found = standing(toy.place())
    assert found.state == state and reason in found.reason


def test_a_stale_proof_is_counted_and_proven_again(toy, capsys):
    assert prove([], root=toy.root, judge=toy.judge()) == 0
    (toy.root / "grader/simulator/engine.cpp").write_text("// new\n")
    assert verify(root=toy.root, seed=5, judge=toy.judge()) == 0
    out = capsys.readouterr().out
    assert (
        "0 fresh, 1 stale" in out and "stale since engine changed: toy-clamp" in out and "with seed 5" in out
    )
    wrong = toy.changed(lambda c: dataclasses.replace(c, message=""))
    (toy.root / "grader/simulator/engine.cpp").write_text("// newer\n")
    assert verify(root=toy.root, judge=toy.judge(wrong)) == 1


def test_an_exercise_that_is_no_longer_proven_loses_its_proof(toy, capsys):
    assert prove([], root=toy.root, judge=toy.judge()) == 0
    toy.edit(f"{toy.variants}/survivors.toml", toy.survivors, "")
    assert prove([], root=toy.root, judge=toy.judge()) == 1
    assert "NOT PROVEN" in capsys.readouterr().out
    assert not (toy.root / "tests/proofs/toy-clamp.json").exists()
    (toy.root / "tests/proofs/gone-exercise.json").write_text("{}")
    assert verify(root=toy.root, judge=toy.judge()) == 1
    assert "tests/proofs/gone-exercise.json: there is no such exercise" in capsys.readouterr().out


def test_an_engine_that_changes_meanwhile_makes_a_stale_proof(toy):
    def meddling(*args, **rest):
        (toy.root / "grader/simulator/engine.cpp").write_text("// saved in the editor\n")
        return toy.check(*args, **rest)

    assert prove([], root=toy.root, judge=toy.judge(meddling)) == 0
    assert standing(toy.place()).state == "stale"


def test_files_that_change_meanwhile_make_no_proof(toy, capsys):
    def meddling(*args, **rest):
        (toy.root / "solutions/07_toy/toy_clamp.py").write_text(toy.solution + "# saved in the editor\n")
        return toy.check(*args, **rest)

    assert prove([], root=toy.root, judge=toy.judge(meddling)) == 1
    assert "files changed while it was being proven" in capsys.readouterr().out
    assert not (toy.root / "tests/proofs/toy-clamp.json").exists()


def test_a_grader_fault_has_its_own_exit_status(toy):
    broken = toy.changed(lambda c: dataclasses.replace(c, state=State.GRADER_FAULT))
    assert prove([], root=toy.root, judge=toy.judge(broken)) == 3
