import json

import pytest

from grader.verdict import CheckResult, Group, State, Verdict, worst

GROUPS = [Group(id="values", title="Values", points=4), Group(id="bounds", title="Bounds", points=2)]


def result(check, state, group):
    return CheckResult(check=check, state=state, sentence="s", group=group)


def verdict(*checks):
    return Verdict.of(exercise="x", revision=1, checks=checks, groups=GROUPS)


def test_points_need_every_check_of_a_group():
    v = verdict(result("a", State.PASS, "values"), result("b", State.FAIL, "values"), result("c", State.PASS, "bounds"))
    assert (v.earned, v.possible, v.pending, v.state) == (2, 6, 0, State.FAIL)


def test_unsupported_is_pending_and_never_a_pass():
    v = verdict(result("a", State.UNSUPPORTED_HERE, "values"), result("c", State.PASS, "bounds"))
    assert (v.earned, v.possible, v.pending, v.state) == (2, 2, 4, State.UNSUPPORTED_HERE)
    assert not v.passed


def test_absence_of_evidence_is_not_a_pass():
    assert worst([]) is State.GRADER_FAULT
    v = verdict(result("a", State.PASS, "values"))
    assert v.state is State.GRADER_FAULT and v.earned == 4


def test_json_round_trip():
    v = verdict(result("a", State.PASS, "values"), result("c", State.CRASH, "bounds"))
    assert Verdict.from_json(v.to_json()) == v


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("earned", "200", "earned"),
        ("earned", True, "earned"),
        ("state", "perfect", "perfect"),
        ("checks", {}, "checks"),
        ("extra", 1, "extra"),
        ("schema", 99, "schema"),
    ],
)
def test_forged_json_is_refused(field, value, words):
    data = json.loads(verdict(result("a", State.PASS, "values"), result("c", State.PASS, "bounds")).to_json())
    data[field] = value
    with pytest.raises(ValueError, match=words):
        Verdict.from_json(json.dumps(data))
