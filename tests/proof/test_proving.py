"""The whole way with a toy exercise: what is sound is proven, and each thing that is not is named."""

import dataclasses
import difflib
import json
import random

import pytest

from grader import course
from grader.proof import prove, verify
from grader.proof.answer import Place
from grader.proof.judge import Judge, Task
from grader.proof.kept import standing
from grader.proof.proving import Prover
from grader.verdict import CheckResult, Group, State, Verdict

CHAPTER = """
number = 7
name = "07_toy"
slug = "toy"
title = "A toy"
stage = "development"
prerequisites = []
core_minutes = 20
full_minutes = 45
summary = "A toy."
[[exercise]]
slug = "toy-clamp"
alias = "clamp"
title = "Clamp"
kind = "python"
track = "core"
points = 4
revision = 1
cell = "toy-clamp-answer"
needs = ["compiler"]
wall_seconds = 20
summary = "Do it."
contract = [{ row = "domain", text = "All." }]
group = [{ id = "values", title = "Values", points = 4 }]
hint = [{ text = "a" }, { text = "b" }, { text = "c" }, { text = "d" }]
misconception = [{ id = "no-upper-end", text = "x" }, { id = "changes-inside", text = "x" }]
"""

SKELETON = "def clamp(i, n):\n    ...\n"
SOLUTION = "def clamp(i, n):\n    if i >= n:\n        return n - 1\n    return i + 0\n"
SURVIVORS = """[[survivor]]
id = "toy_clamp.py: arithmetic: + -> - in: return i + 0 #1"
why = "adding and subtracting nothing are the same"
"""
WRONG = {  # name -> what it changes, its misconception, the check that owns it
    "keeps": ("    if i >= n:\n", "    if False:\n", "no-upper-end", "above"),
    "one_more": ("n - 1", "n", "no-upper-end", "above"),
    "late": ("i >= n", "i > n", "no-upper-end", "above"),
    "negates": ("return i + 0", "return -i", "changes-inside", "inside"),
    "adds": ("return i + 0", "return i + 1", "changes-inside", "inside"),
    "zero": ("return i + 0", "return 0", "changes-inside", "inside"),
}


def toy_check(slug, directory, *, seed=None, hidden=False, device=None, cells=None):
    """A stand-in for the exercise runner: three checks of `clamp`, of which one guards the others."""
    rng = random.Random(seed)
    try:
        scope = {}
        exec(cells[slug], scope)
        clamp = scope["clamp"]
    except Exception as problem:
        first = ("defines", State.FAIL, f"The cell does not define clamp(): {problem}", False)
        return verdict([first, ("inside", State.ERROR, "", "defines"), ("above", State.ERROR, "", "defines")])
    found = [("defines", State.PASS, "", False)]
    for name, cases in (("inside", [(2, 5), (4, 5), (0, 1)]), ("above", [(5, 5), (9, 5)])):
        more = [
            (i, i + 3) if name == "inside" else (i + 3, i) for i in (rng.randrange(1, 99) for _ in range(3))
        ]
        state, message = State.PASS, ""
        for i, n in cases + (more if hidden else []):
            if clamp(i, n) != min(i, n - 1):
                state, message = State.FAIL, f"clamp({i}, {n}) gave {clamp(i, n)}, not {min(i, n - 1)}."
                break
        found.append((name, state, message, False))
    return verdict(found)


def verdict(found):
    owns = {"inside": "changes-inside", "above": "no-upper-end", "defines": None}
    checks = [
        CheckResult(
            check=name, state=state, sentence="s", message=message, misconception=owns[name], group="values",
            blocked_by=blocked or None,
        )
        for name, state, message, blocked in found
    ]  # fmt: skip
    return Verdict.of(
        exercise="toy-clamp", revision=1, checks=checks, groups=[Group(id="values", title="V", points=4)]
    )


def patch(old, new):
    after = SOLUTION.replace(old, new)
    assert after != SOLUTION
    name = "toy_clamp.py"
    lines = difflib.unified_diff(
        SOLUTION.split("\n"), after.split("\n"), f"a/{name}", f"b/{name}", lineterm=""
    )
    return "\n".join(lines) + "\n"


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path / "cache"))
    cell = {
        "cell_type": "code",
        "metadata": {"nbgrader": {"grade_id": "toy-clamp-answer"}},
        "source": SKELETON.splitlines(True),
    }
    files = {
        "course/07_toy/chapter.toml": CHAPTER,
        "course/07_toy/07_toy.ipynb": json.dumps({"cells": [cell]}),
        "plugin_skeletons/README": "",
        "solutions/07_toy/toy_clamp.py": SOLUTION,
        "tests/variants/toy-clamp/survivors.toml": SURVIVORS,
        "tests/variants/toy-clamp/other.patch": "# title: min\n# alternative: true\n"
        + patch("    if i >= n:\n        return n - 1\n    return i + 0\n", "    return min(i, n - 1)\n"),
        "grader/exercises/ch07_toy/__init__.py": "",
        "grader/exercises/ch07_toy/toy_clamp.py": "from grader.checks import compare\n"
        "from grader.exercises.ch07_toy import shared\n",
        "grader/exercises/ch07_toy/shared.py": "HARNESS = 'toy.cpp'\n",
        "grader/exercises/ch07_toy/toy_other.py": "",
        "grader/exercises/ch07_toy/harness/toy.cpp": '#include "toy.h"\n',
        "grader/exercises/ch07_toy/harness/toy.h": "",
        "grader/exercises/ch07_toy/harness/other.h": "",
        "grader/exercises/runner.py": "",
        "grader/checks/__init__.py": "from grader.checks.values import compare\n"
        "from grader.checks.cases import Case\n",
        "grader/checks/values.py": "from grader.checks.base import Finding\n",
        "grader/checks/base.py": "",
        "grader/checks/cases.py": "",
        "grader/simulator/engine.cpp": "",
        "requirements.lock": "numpy==2\nnvidia-cuda-nvrtc==13.0.88 \\\n    --hash=sha256:00\nzlib==1\n",
    }
    for name, (old, new, misconception, owner) in WRONG.items():
        header = f"# title: {name}\n# misconception: {misconception}\n# owner: {owner}\n"
        files[f"tests/variants/toy-clamp/{name}.patch"] = header + patch(old, new)
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def place_of(root):
    return Place(root, course.find("toy-clamp", course.Tree(root)))


def proof_of(root, check=toy_check, **rest):
    with Judge(check, lambda kind, files: None, jobs=0, keep=False) as judge:
        return Prover(place_of(root), judge, log=lambda text: None, **rest).prove()


def edit(root, path, old, new):
    file = root / path
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_a_sound_exercise_is_proven(root):
    proof = proof_of(root)
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
def test_what_is_not_sound_is_named(root, path, old, new, message):
    edit(root, path, old, new)
    proof = proof_of(root)
    assert not proof.proven
    assert any(message in problem for problem in proof.problems), proof.problems


def test_variants_must_be_enough_and_show_each_check_failing(root):
    for name in ("keeps", "one_more", "late"):
        (root / VARIANTS / f"{name}.patch").unlink()
    problems = " ".join(proof_of(root).problems)
    assert "3 wrong variants; at least 6 are needed" in problems
    assert "no variant shows that check above can fail" in problems


def test_missing_files_are_named(root):
    (root / "solutions/07_toy/toy_clamp.py").unlink()
    assert "solutions/07_toy/toy_clamp.py: cannot be read" in proof_of(root).problems[0]
    (root / "course/07_toy/07_toy.ipynb").unlink()
    assert "no notebook" in proof_of(root).problems[0]


def changed_verdict(change):
    """The toy check with `change` applied to every check that did not pass."""

    def check(*args, **rest):
        honest = toy_check(*args, **rest)
        checks = [c if c.state is State.PASS else change(c) for c in honest.checks]
        return dataclasses.replace(honest, checks=tuple(checks))

    return check


def test_a_failure_without_a_message_is_no_help(root):
    proof = proof_of(root, changed_verdict(lambda c: dataclasses.replace(c, message="")))
    assert any("the skeleton: check inside fails without a message" in problem for problem in proof.problems)


def test_a_grader_fault_is_never_proof(root):
    proof = proof_of(root, changed_verdict(lambda c: dataclasses.replace(c, state=State.GRADER_FAULT)))
    assert proof.grader_fault and not proof.proven
    assert any("gave no verdict here (grader_fault)" in problem for problem in proof.problems)


def test_what_cannot_run_here_is_no_proof(root):
    proof = proof_of(root, changed_verdict(lambda c: dataclasses.replace(c, state=State.UNSUPPORTED_HERE)))
    assert not proof.proven
    assert any("unsupported_here" in problem for problem in proof.problems)
    assert (
        sum("unexplained survivor" in problem for problem in proof.problems) == 8
    )  # nothing failed the mutants


def test_a_variant_that_only_hidden_cases_catch_is_named(root):
    proof = proof_of(root, changed_verdict(lambda c: dataclasses.replace(c, hidden=True)))
    assert any("on hidden cases only" in problem for problem in proof.problems)


def test_mutants_with_the_code_of_the_solution_are_equivalent(root):
    edit(root, f"{VARIANTS}/survivors.toml", SURVIVORS, "")

    def code_of(kind, files):
        return files["toy_clamp.py"].decode().replace("i - 0", "i + 0")

    with Judge(toy_check, code_of, jobs=0, keep=False) as judge:
        proof = Prover(place_of(root), judge, log=lambda text: None).prove()
    assert proof.problems == []
    assert proof.mutants["arithmetic"] == {"killed": 1, "same_code": 1}


def test_results_are_kept_by_content_and_recalled(root):
    calls = []

    def counted(*args, **rest):
        calls.append(args)
        return toy_check(*args, **rest)

    first = proof_of(root)
    for expected in (19, 0):  # 22 answers, of which three are both a variant and a mutant
        calls.clear()
        with Judge(counted, lambda kind, files: None, jobs=0) as judge:
            assert Prover(place_of(root), judge, log=lambda text: None).prove() == first
        assert len(calls) == judge.judged == expected
        assert judge.judged + judge.recalled == 22
    edit(root, "grader/checks/base.py", "", "# changed\n")
    with Judge(counted, lambda kind, files: None, jobs=0) as judge:
        Prover(place_of(root), judge, log=lambda text: None).prove()
    assert judge.judged == 19


@pytest.mark.parametrize(
    "state", [State.GRADER_FAULT, State.TIMEOUT, State.OUT_OF_MEMORY, State.UNSUPPORTED_HERE]
)
def test_what_a_busy_machine_may_cause_is_not_kept(root, state):
    once = changed_verdict(lambda c: dataclasses.replace(c, state=state))
    with Judge(once, lambda kind, files: None, jobs=0) as judge:
        Prover(place_of(root), judge, log=lambda text: None).prove()
    assert proof_of(root).proven
    with Judge(toy_check, lambda kind, files: None, jobs=0) as judge:
        assert Prover(place_of(root), judge, log=lambda text: None).prove().proven


def test_workers_judge_the_same(root, monkeypatch, tmp_path):
    """Workers are fresh interpreters: the stand-in check must come from a module that they can import."""
    module = tmp_path / "importable" / "toy_stand_in.py"
    module.parent.mkdir()
    module.write_text(
        "from grader.verdict import CheckResult, Group, State, Verdict\n"
        "def check(slug, directory, *, seed=None, hidden=False, device=None, cells=None):\n"
        "    state = State.PASS if 'good' in (directory / 'a.cu').read_text() else State.FAIL\n"
        "    found = CheckResult(check='c', state=state, sentence='s', message=str(seed), group='g')\n"
        "    groups = [Group(id='g', title='t', points=1)]\n"
        "    return Verdict.of(exercise=slug, revision=1, checks=[found], groups=groups)\n"
    )
    monkeypatch.syspath_prepend(str(module.parent))
    import toy_stand_in

    tasks = [
        Task("toy", "kernel", {"a.cu": text}, seed=seed)
        for seed, text in enumerate([b"good", b"bad", b"good"])
    ]
    with Judge(toy_stand_in.check, jobs=2, keep=False) as judge:
        results = judge.many(tasks, lambda: "salt")
        assert [result.state for result in results] == ["pass", "fail", "pass"]
        assert results[1].failed["c"]["message"] == "1"
        module.write_text(module.read_text().replace("'good'", "'bad'"))  # workers made anew read it again
        assert [result.state for result in judge.many(tasks, lambda: "other")] == ["fail", "pass", "fail"]


def test_the_command_keeps_a_proof_that_verify_accepts(root, capsys):
    def judge():
        return Judge(toy_check, lambda kind, files: None, jobs=0)

    assert verify(root=root, judge=judge()) == 1
    assert "toy-clamp: not proven: there is no proof" in capsys.readouterr().out
    assert prove(["7.clamp"], root=root, judge=judge()) == 0
    assert "1 of 1 exercises proven" in capsys.readouterr().out
    kept = (root / "tests/proofs/toy-clamp.json").read_bytes()
    assert prove([], root=root, judge=judge(), as_json=True) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["proven"] and summary["exercises"][0]["exercise"] == "toy-clamp"
    assert (root / "tests/proofs/toy-clamp.json").read_bytes() == kept
    assert verify(root=root, judge=judge()) == 0
    assert "1 fresh, 0 stale, 0 wanting" in capsys.readouterr().out
    assert prove(["toy-clmp"], root=root, judge=judge()) == 2
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
def test_what_makes_a_proof_outdated_or_stale(root, path, old, new, state, reason):
    assert prove([], root=root, judge=Judge(toy_check, lambda kind, files: None, jobs=0)) == 0
    assert standing(place_of(root)).state == "fresh"
    edit(root, path, old, new)
    found = standing(place_of(root))
    assert found.state == state and reason in found.reason


def test_a_stale_proof_is_counted_and_proven_again(root, capsys):
    def judge(check=toy_check):
        return Judge(check, lambda kind, files: None, jobs=0)

    assert prove([], root=root, judge=judge()) == 0
    (root / "grader/simulator/engine.cpp").write_text("// new\n")
    assert verify(root=root, seed=5, judge=judge()) == 0
    out = capsys.readouterr().out
    assert (
        "0 fresh, 1 stale" in out and "stale since engine changed: toy-clamp" in out and "with seed 5" in out
    )
    wrong = changed_verdict(lambda c: dataclasses.replace(c, message=""))
    (root / "grader/simulator/engine.cpp").write_text("// newer\n")
    assert verify(root=root, judge=judge(wrong)) == 1


def test_an_exercise_that_is_no_longer_proven_loses_its_proof(root, capsys):
    def judge():
        return Judge(toy_check, lambda kind, files: None, jobs=0)

    assert prove([], root=root, judge=judge()) == 0
    edit(root, f"{VARIANTS}/survivors.toml", SURVIVORS, "")
    assert prove([], root=root, judge=judge()) == 1
    assert "NOT PROVEN" in capsys.readouterr().out
    assert not (root / "tests/proofs/toy-clamp.json").exists()
    (root / "tests/proofs/gone-exercise.json").write_text("{}")
    assert verify(root=root, judge=judge()) == 1
    assert "tests/proofs/gone-exercise.json: there is no such exercise" in capsys.readouterr().out


def test_files_that_change_meanwhile_make_no_proof(root, capsys):
    def meddling(*args, **rest):
        (root / "solutions/07_toy/toy_clamp.py").write_text(SOLUTION + "# saved in the editor\n")
        return toy_check(*args, **rest)

    assert prove([], root=root, judge=Judge(meddling, lambda kind, files: None, jobs=0)) == 1
    assert "files changed while it was being proven" in capsys.readouterr().out
    assert not (root / "tests/proofs/toy-clamp.json").exists()


def test_what_was_found_while_files_changed_is_not_kept(root):
    def meddling(*args, **rest):
        (root / "grader/checks/base.py").write_text("# saved in the editor\n")
        return changed_verdict(lambda c: dataclasses.replace(c, message="from other code than before"))(
            *args, **rest
        )

    prove([], root=root, judge=Judge(meddling, lambda kind, files: None, jobs=0))
    (root / "grader/checks/base.py").write_text("")
    with Judge(toy_check, lambda kind, files: None, jobs=0) as judge:
        assert Prover(place_of(root), judge, log=lambda text: None).prove().proven
    assert judge.judged == 19


def test_code_that_cannot_judge_is_a_grader_fault_with_its_error(root, capsys):
    def broken(*args, **rest):
        raise AttributeError("no attribute 'bend'")

    assert prove([], root=root, judge=Judge(broken, lambda kind, files: None, jobs=0)) == 3
    assert "AttributeError: no attribute 'bend'" in capsys.readouterr().out


def test_a_worker_that_is_ended_is_a_grader_fault(root, tmp_path, monkeypatch, capsys):
    module = tmp_path / "importable" / "toy_ending.py"
    module.parent.mkdir()
    module.write_text("import os\ndef check(*args, **rest):\n    os._exit(1)\n")
    monkeypatch.syspath_prepend(str(module.parent))
    import toy_ending

    assert prove([], root=root, judge=Judge(toy_ending.check, jobs=1)) == 3
    assert "prove again to go on" in capsys.readouterr().err


def test_a_grader_fault_has_its_own_exit_status(root):
    broken = changed_verdict(lambda c: dataclasses.replace(c, state=State.GRADER_FAULT))
    assert prove([], root=root, judge=Judge(broken, lambda kind, files: None, jobs=0)) == 3
