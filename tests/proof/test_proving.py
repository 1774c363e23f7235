"""What is sound is proven, and each thing that is not is named."""

import dataclasses

import pytest

from grader.verdict import State


def test_a_sound_exercise_is_proven(toy):
    proof = toy.proof()
    assert proof.problems == []
    assert (proof.misconceptions, proof.checks, proof.variants, proof.alternatives) == (2, 3, 6, 1)
    assert proof.survivors == [
        {
            "id": "toy_clamp.py: arithmetic: + -> - in: return i + 0 #1",
            "why": "adding and subtracting nothing are the same",
        }
    ]
    assert proof.mutants["guard"] == {"killed": 2}
    assert proof.mutants["arithmetic"] == {"killed": 1, "survived": 1}
    assert proof.mutants["relational"] == {"killed": 1}
    assert proof.mutants["constant"] == {"killed": 4}


VARIANTS = "tests/variants/toy-clamp"
BROKEN = [
    ("solutions/07_toy/toy_clamp.py", "i >= n", "i > n", "the solution fails check above with seed 1"),
    ("course/07_toy/07_toy.ipynb", r'"    ...\n"', r'"    return min(i, n - 1)\n"', "the skeleton passes"),
    (f"{VARIANTS}/late.patch", "owner: above", "owner: inside", "but check inside owns changes-inside"),
    (f"{VARIANTS}/late.patch", "owner: above", "owner: inside", "must fail check inside, but fails above"),
    (f"{VARIANTS}/late.patch", "owner: above", "owner: inside", "late also fails check above"),
    (f"{VARIANTS}/late.patch", "owner: above", "owner: abov", "there is no check abov; there are"),
    (f"{VARIANTS}/late.patch", "owner: above", "owner: above\n# also: inside", "late passes check inside"),
    (f"{VARIANTS}/late.patch", "owner: above", "owner: above\n# also: outside", "outside, which is no check"),
    (f"{VARIANTS}/late.patch", "no-upper-end", "no-such", "chapter.toml has no misconception no-such"),
    (f"{VARIANTS}/late.patch", "+    if i > n:", "+    if not i < n:", "check above, but fails no check"),
    (f"{VARIANTS}/late.patch", "-    if i >= n:", "-    if i == n:", "late.patch:6: the hunk for"),
    (f"{VARIANTS}/late.patch", "# title", "# titel", "late.patch:1: a header line"),
    (f"{VARIANTS}/late.patch", "+    if i > n:", "+    if False:", "late give the same files"),
    (f"{VARIANTS}/other.patch", "min(i, n - 1)", "min(i, n)", "the alternative other fails check above"),
    (f"{VARIANTS}/survivors.toml", "+ -> -", "- -> +", "unexplained survivor: toy_clamp.py: arithmetic"),
    (f"{VARIANTS}/survivors.toml", "+ -> -", "- -> +", "explains what did not survive: toy_clamp.py"),
    (f"{VARIANTS}/survivors.toml", "adding and subtracting nothing are the same", "same", "a sentence 'why'"),
    (f"{VARIANTS}/survivors.toml", "[[survivor]]", "[[survivors]]", "only [[survivor]] tables"),
    ("course/07_toy/chapter.toml", '{ id = "no-', '{ id = "new", text = "x" }, { id = "no-',
     "the misconception new of chapter.toml has no wrong variant"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "old", "new", "message"), BROKEN)
def test_what_is_not_sound_is_named(toy, path, old, new, message):
    toy.edit(path, old, new)
    proof = toy.proof()
    assert not proof.proven
    assert any(message in problem for problem in proof.problems), proof.problems


def test_variants_must_be_enough_and_show_each_check_failing(toy):
    for name in ("keeps", "one_more", "late"):
        (toy.root / toy.variants / f"{name}.patch").unlink()
    problems = " ".join(toy.proof().problems)
    assert "3 wrong variants; at least 6 are needed" in problems
    assert "no variant shows that check above can fail" in problems


def test_missing_files_are_named(toy):
    (toy.root / "solutions/07_toy/toy_clamp.py").unlink()
    assert "solutions/07_toy/toy_clamp.py: cannot be read" in toy.proof().problems[0]
    (toy.root / "course/07_toy/07_toy.ipynb").unlink()
    assert "no notebook" in toy.proof().problems[0]


def test_a_failure_without_a_message_is_no_help(toy):
    proof = toy.proof(toy.judge(toy.changed(lambda c: dataclasses.replace(c, message="")), keep=False))
    assert any("the skeleton: check inside fails without a message" in problem for problem in proof.problems)


def test_a_grader_fault_is_never_proof(toy):
    proof = toy.proof(
        toy.judge(toy.changed(lambda c: dataclasses.replace(c, state=State.GRADER_FAULT)), keep=False)
    )
    assert proof.grader_fault and not proof.proven
    assert any("gave no verdict here (grader_fault)" in problem for problem in proof.problems)


def test_what_cannot_run_here_is_no_proof(toy):
    proof = toy.proof(
        toy.judge(toy.changed(lambda c: dataclasses.replace(c, state=State.UNSUPPORTED_HERE)), keep=False)
    )
    assert not proof.proven
    assert any("unsupported_here" in problem for problem in proof.problems)
    assert (
        sum("unexplained survivor" in problem for problem in proof.problems) == 8
    )  # nothing failed the mutants


def test_a_variant_that_only_hidden_cases_catch_is_named(toy):
    proof = toy.proof(toy.judge(toy.changed(lambda c: dataclasses.replace(c, hidden=True)), keep=False))
    assert any("on hidden cases only" in problem for problem in proof.problems)


def test_mutants_with_the_code_of_the_solution_are_equivalent(toy):
    toy.edit(f"{toy.variants}/survivors.toml", toy.survivors, "")

    def code_of(slug, kind, files):
        return files["toy_clamp.py"].decode().replace("i - 0", "i + 0")

    proof = toy.proof(toy.judge(code_of=code_of, keep=False))
    assert proof.problems == []
    assert proof.mutants["arithmetic"] == {"killed": 1, "same_code": 1}
