"""Many answers judged: kept by content, recalled, in workers, and never from code that changed."""

import dataclasses

import pytest

from grader.proof import prove
from grader.proof.judge import Judge, Task
from grader.verdict import State


def test_results_are_kept_by_content_and_recalled(toy):
    calls = []

    def counted(*args, **rest):
        calls.append(args)
        return toy.check(*args, **rest)

    first = toy.proof()
    for expected in (19, 0):  # 22 answers, of which three are both a variant and a mutant
        calls.clear()
        with toy.judge(counted) as judge:
            assert toy.proof(judge) == first
        assert len(calls) == judge.judged == expected
        assert judge.judged + judge.recalled == 22
    toy.edit("grader/checks/base.py", "", "# changed\n")
    with toy.judge(counted) as judge:
        toy.proof(judge)
    assert judge.judged == 19


@pytest.mark.parametrize(
    "state", [State.GRADER_FAULT, State.TIMEOUT, State.OUT_OF_MEMORY, State.UNSUPPORTED_HERE]
)
def test_what_a_busy_machine_may_cause_is_not_kept(toy, state):
    once = toy.changed(lambda c: dataclasses.replace(c, state=state))
    with toy.judge(once) as judge:
        toy.proof(judge)
    assert toy.proof().proven
    with toy.judge() as judge:
        assert toy.proof(judge).proven


def test_workers_judge_the_same(monkeypatch, tmp_path):
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


def test_what_was_found_while_files_changed_is_not_kept(toy):
    def meddling(*args, **rest):
        (toy.root / "grader/checks/base.py").write_text("# saved in the editor\n")
        return toy.changed(lambda c: dataclasses.replace(c, message="from other code than before"))(
            *args, **rest
        )

    prove([], root=toy.root, judge=toy.judge(meddling))
    (toy.root / "grader/checks/base.py").write_text("")
    with toy.judge() as judge:
        assert toy.proof(judge).proven
    assert judge.judged == 19


def test_code_that_cannot_judge_is_a_grader_fault_with_its_error(toy, capsys):
    def broken(*args, **rest):
        raise AttributeError("no attribute 'bend'")

    assert prove([], root=toy.root, judge=toy.judge(broken)) == 3
    assert "AttributeError: no attribute 'bend'" in capsys.readouterr().out


def test_a_worker_that_is_ended_is_a_grader_fault(toy, tmp_path, monkeypatch, capsys):
    module = tmp_path / "importable" / "toy_ending.py"
    module.parent.mkdir()
    module.write_text("import os\ndef check(*args, **rest):\n    os._exit(1)\n")
    monkeypatch.syspath_prepend(str(module.parent))
    import toy_ending

    assert prove([], root=toy.root, judge=Judge(toy_ending.check, jobs=1)) == 3
    assert "prove again to go on" in capsys.readouterr().err
