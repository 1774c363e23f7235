"""trace-order of chapter 4: its lives, recorded again and in other orders."""

import dataclasses
import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

from grader.exercises import check
from grader.exercises.ch04_lifecycle import traces
from grader.toolchain import lane
from grader.verdict import State

sys.path.append(str(Path(__file__).parent))
import lifecycle_lives  # noqa: E402
import lifecycle_traces  # noqa: E402

ROOT = Path(__file__).parents[2]
SOLUTIONS = ROOT / "solutions/04_lifecycle"
needs_plugins = pytest.mark.skipif(not lane.state().ready, reason=lane.state().sentence)


@needs_plugins
@pytest.mark.parametrize("name", ["nobody heard of the tactic", "one object for all", "run after its end"])
@pytest.mark.parametrize("kind", lifecycle_traces.FILES)
def test_a_life_that_is_recorded_again_is_the_one_in_the_file(kind, name):
    """Some of them: ``lifecycle_traces.py`` records all."""
    [again] = lifecycle_traces.record(kind, only=name)
    [kept] = [each for each in getattr(traces, kind)() if each.name == name]
    assert traces.Life.of(again) == kept


@pytest.mark.parametrize("kind", lifecycle_traces.FILES)
def test_the_files_are_as_the_script_writes_them(kind):
    rows = [dataclasses.asdict(each) for each in getattr(traces, kind)()]
    assert lifecycle_traces.text(kind, rows) == lifecycle_traces.FILES[kind].read_text()


def test_the_lives_are_those_of_the_script_for_checks_that_there_are():
    rows = traces.visible()
    for row, each in zip(rows, lifecycle_lives.LIVES, strict=True):
        assert (row.check, row.name, row.expected, row.why) == (each.check, each.name, each.expected, each.why)
        assert set(row.expected) <= set(traces.PROBLEMS)
    assert {row.check for row in rows} < {each.id for each in _trace_plan().all_checks()}


def test_no_hidden_life_is_a_visible_one():
    """Not even its lines: a search for leaks in what students get would find them."""
    hidden, visible = (set(lifecycle_traces.FILES[kind].read_text().split("\n")) for kind in ("hidden", "visible"))
    assert hidden & visible <= {"[", "]", ""}
    lives = traces.hidden(), traces.visible()
    assert all(each.calls != other.calls for each, other in zip(*lives, strict=True))


def _trace_plan():
    from grader.exercises.ch04_lifecycle import trace_order

    return trace_order.PLAN


def _solved():
    spaces = {}
    exec((SOLUTIONS / "trace_order.py").read_text(), spaces)
    return spaces["problems"]


@pytest.mark.parametrize("life", [*traces.visible(), *traces.hidden()], ids=lambda life: life.name)
def test_an_order_that_is_as_good_has_the_same_problems(life):
    problems, rng = _solved(), np.random.default_rng(5)
    assert sorted(problems(life.calls)) == list(life.expected)
    orders = [traces.reordered(life.calls, rng) for _ in range(5)]
    assert all(sorted(problems(order)) == list(life.expected) for order in orders)
    assert len(life.calls) < 25 or any(order != list(life.calls) for order in orders)


def test_calls_that_wait_for_each_other_are_not_free():
    calls = [
        {"process": 1, "object": "creator", "method": "createPlugin", "phase": "kBUILD", "fields": {}, "result": "a"},
        {"process": 1, "object": "a", "method": "clone", "result": "b"},
        {"process": 1, "object": "b", "method": "configurePlugin"},
        {"process": 2, "object": "b", "method": "setTactic"},
    ]
    assert not any(traces.free(*pair) for pair in itertools.pairwise(calls))
    assert traces.free(calls[2], {"process": 1, "object": "a", "method": "configurePlugin"})


def test_what_learners_start_from_names_what_is_right():
    text = (ROOT / "authoring/04_lifecycle.md").read_text()
    cell = text.split(":answer: trace-order\n")[1].split("```")[0]
    found = {each.check: each for each in check("trace-order", ROOT, cells={"trace-order": cell}).checks}
    assert found["well-formed"].state is State.PASS
    assert "“shapes before the tactic”: problems() says no-tactic" in found["open-order"].message
    assert {each for each, result in found.items() if result.state is State.PASS} == {"defines", "well-formed"}
