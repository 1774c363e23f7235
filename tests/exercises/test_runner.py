"""The runner with a toy exercise: what it makes of findings, blocked checks, hidden seeds and its own faults."""

import pytest

from grader import course
from grader.checks import Check, failed, passed
from grader.exercises import runner
from grader.simulator import DeviceError
from grader.verdict import Group, State


class Exercise:
    slug, chapter, kind, revision, files, wall_seconds = "toy", "99_toy", "kernel", 3, ("toy.cu",), 5.0
    needs = ("compiler", "simulated-gpu")
    groups = (Group(id="values", title="Values", points=4), Group(id="bounds", title="Bounds", points=2))


class Bench:
    counters = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class Plan:
    def __init__(self, *checks):
        self.checks = checks

    def all_checks(self):
        return self.checks

    def bench(self, job):
        return Bench()


def one(id, run, group="values", **rest):
    return Check(id=id, sentence=f"{id} holds", misconception=f"no-{id}", group=group, run=run, **rest)


@pytest.fixture
def judge(monkeypatch, tmp_path):
    def run(*checks, **options):
        monkeypatch.setattr(course, "find", lambda slug: Exercise)
        monkeypatch.setattr(runner, "plan_of", lambda exercise: Plan(*checks))
        return runner.check("toy", tmp_path, **options)

    return run


GOOD = one("good", lambda bench, rng: passed(), group="bounds")


def test_all_passed(judge):
    verdict = judge(one("a", lambda bench, rng: passed()), GOOD)
    assert verdict.passed and verdict.earned == verdict.possible == 6 and verdict.revision == 3


def test_a_blocked_check_names_what_blocked_it_first(judge):
    checks = [
        one("a", lambda bench, rng: failed("no")),
        one("b", lambda bench, rng: passed(), needs=("a",)),
        one("c", lambda bench, rng: passed(), needs=("b",)),
    ]
    verdict = judge(*checks, GOOD)
    assert [(c.check, c.state, c.blocked_by) for c in verdict.checks[:3]] == [
        ("a", State.FAIL, None), ("b", State.ERROR, "a"), ("c", State.ERROR, "a"),
    ]  # fmt: skip
    assert verdict.earned == 2


def boom(bench, rng):
    raise RuntimeError("bug")


@pytest.mark.parametrize("run", [boom, lambda bench, rng: None, lambda bench, rng: True])
def test_a_fault_of_the_check_is_a_grader_fault_and_never_a_pass(judge, run):
    verdict = judge(one("a", run), GOOD)
    assert verdict.state is State.GRADER_FAULT and verdict.earned == 2
    assert "not in your answer" in verdict.checks[0].message


def test_a_device_that_cannot_do_it_is_pending(judge):
    def run(bench, rng):
        raise DeviceError(State.UNSUPPORTED_HERE, "No tensor cores here.")

    verdict = judge(one("a", run), GOOD)
    assert verdict.state is State.UNSUPPORTED_HERE and (verdict.earned, verdict.pending) == (2, 4)


def test_no_hidden_case_is_claimed_where_none_could_run(judge):
    def run(bench, rng):
        raise DeviceError(State.UNSUPPORTED_HERE, "No tensor cores here.")

    verdict = judge(one("a", run, seeded=True), GOOD, seed=7, hidden=True, reveal=True)
    assert verdict.state is State.UNSUPPORTED_HERE and verdict.seed is None


def on_hidden_seed(bench, rng):
    value = int(rng.integers(1 << 30))
    return failed(f"secret {value}", case={"got": value}) if value == HIDDEN else passed()


HIDDEN = int(__import__("numpy").random.default_rng(77).integers(1 << 30))


@pytest.mark.parametrize("reveal", [False, True])
def test_hidden_cases_run_again_and_stay_hidden(judge, reveal):
    check = one("a", on_hidden_seed, seeded=True)
    assert judge(check, GOOD, seed=77).passed  # not asked for
    verdict = judge(check, GOOD, seed=77, hidden=True, reveal=reveal)
    told = verdict.checks[0]
    assert told.state is State.FAIL and told.hidden and verdict.seed == 77
    assert (str(HIDDEN) in told.message) is reveal and bool(told.detail) is reveal


def test_the_visible_verdict_comes_before_the_hidden_cases(judge):
    seen = []
    check = one("a", on_hidden_seed, seeded=True)
    final = judge(check, GOOD, seed=77, hidden=True, reveal=True, on_visible=seen.append)
    assert [v.state for v in seen] == [State.PASS] and final.state is State.FAIL


def test_one_who_learns_alone_gets_hidden_cases_only_after_a_pass(judge):
    checks = one("a", on_hidden_seed, seeded=True), one("b", lambda bench, rng: failed("no"), group="bounds")
    alone = judge(*checks, seed=77, hidden=True, reveal=True)
    graded = judge(*checks, seed=77, hidden=True)
    assert [c.state for c in alone.checks] == [State.PASS, State.FAIL] and alone.seed is None
    assert [c.state for c in graded.checks] == [State.FAIL, State.FAIL]
    assert str(HIDDEN) not in graded.to_json()
    instructor = judge(*checks, seed=77, hidden=True, tell=True)
    assert [c.state for c in instructor.checks] == [State.FAIL, State.FAIL] and str(HIDDEN) in instructor.to_json()


def test_visible_cases_are_the_same_every_time():
    assert runner.visible_seed("toy", "a") == runner.visible_seed("toy", "a") != runner.visible_seed("toy", "b")


@pytest.mark.parametrize(
    "needs, compiler",
    [(("compiler", "simulated-gpu"), "NVRTC "), (("host-compiler",), ("g++ ", "clang++ ")), ((), None)],
)
def test_what_judged_is_told_in_plain_words(needs, compiler):
    exercise = Exercise()
    exercise.needs = needs
    versions = runner.provenance(exercise)
    assert all(type(text) is str and "/" not in text and "(" not in text for text in versions.values())
    assert ("compiler" in versions) == (compiler is not None)
    if compiler is not None and versions["compiler"] != "none":
        assert versions["compiler"].startswith(compiler) and versions["compiler"].split()[1][0].isdigit()


def test_hidden_cases_may_come_from_elsewhere(judge):
    check = one("a", lambda bench, rng: passed(), seeded=True, run_hidden=lambda bench, rng: failed("a hidden card"))
    verdict = judge(check, GOOD, seed=7, hidden=True, reveal=True)
    assert verdict.earned == 2 and verdict.checks[0].hidden and verdict.checks[0].message == "a hidden card"
    assert judge(check, GOOD).passed
