"""trace-order: write the test that reads a recorded life and names what is wrong in it.

Each check has right lives and wrong ones, so that an answer which accepts all, or refuses all, earns nothing. Hidden
lives are of another plugin, each in an order of its own.
"""

from __future__ import annotations

import weakref

import numpy as np

from grader.checks import Check, Finding, failed, passed
from grader.exercises.ch04_lifecycle.traces import ABSENT, PROBLEMS, Life, hidden, reordered, visible
from grader.exercises.python import PythonBench, PythonPlan

FUNCTION = "problems"
_asked: weakref.WeakKeyDictionary[PythonBench, dict] = weakref.WeakKeyDictionary()
_RIGHT = "two layers"  # with wrong lives alone, whoever always says the same would pass


def _problem(answer) -> str | None:
    """What is wrong with the form of an answer."""
    if not isinstance(answer, list) or not all(isinstance(each, str) for each in answer):
        return f"{FUNCTION}(trace) must return a list of texts; it returned {repr(answer)[:80]}"
    unknown = next((each for each in answer if each not in PROBLEMS), None)
    if unknown is not None:
        return f"{FUNCTION}(trace) returned {unknown[:40]!r}, which is none of the ids: {', '.join(PROBLEMS)}"
    return None


def _answers(bench: PythonBench, which: str, rng) -> list | Finding:
    """Each life with its calls, in the order in which they are shown, and the answer; all in one process. The same
    generator gives the same, so that they are asked for once."""
    draw = int(rng.integers(2**62))
    asked = _asked.setdefault(bench, {})
    if (which, draw) not in asked:
        rng = np.random.default_rng(draw)
        if which == "visible":
            shown = [(each, list(each.calls)) for each in visible()]
            shown += [(each, reordered(each.calls, rng)) for each in visible() if not each.expected]
        else:
            shown = [(each, reordered(each.calls, rng)) for each in hidden() for _ in range(3)]
        answers = bench.call(FUNCTION, *[([dict(call) for call in calls],) for _, calls in shown]) if shown else []
        if not isinstance(answers, Finding):
            answers = [(*each, answer) for each, answer in zip(shown, answers, strict=True)]
        asked[which, draw] = answers
    return asked[which, draw]


def _well_formed(bench: PythonBench, rng) -> Finding:
    answers = _answers(bench, "visible", rng)
    if isinstance(answers, Finding):
        return answers
    problem = next(filter(None, (_problem(answer) for *_, answer in answers)), None)
    return failed(f"{problem}.") if problem else passed()


def _judged(bench: PythonBench, which: str, rng, id: str) -> Finding:
    answers = _answers(bench, which, rng)
    if isinstance(answers, Finding):
        return answers
    mine = [each for each in answers if _is_for(id, *each[:2])]
    if all(life.expected for life, *_ in mine):
        mine += [each for each in answers if each[0].name == _RIGHT]
    for life, calls, answer in mine:
        if problem := _problem(answer):
            return failed(f"{problem}.")
        if set(answer) != set(life.expected):
            order = "" if list(life.calls) == calls else ", with its calls in another order that is as good"
            return failed(
                f"“{life.name}”{order}: {FUNCTION}() says {_list(answer)}, and it must be {_list(life.expected)}. "
                f"{_because(life, answer)}"
            )
    return passed()


def _because(life: Life, answer: list[str]) -> str:
    """What the life has that the answer lacks, and why it has nothing of what the answer has too much."""
    wrongly = [f"Not {each}: {ABSENT[each]}." for each in PROBLEMS if each in set(answer) - set(life.expected)]
    # Of a right life, too: that is why somebody might think that it is wrong.
    why = [f"In this life, {life.why}."] if not life.expected or set(life.expected) - set(answer) else []
    return " ".join([*wrongly, *why])


def _is_for(id: str, life: Life, calls: list) -> bool:
    """Whether a check is about a life; a right life in another order is one for "open-order"."""
    return life.check == id or (id == "open-order" and not life.expected and list(life.calls) != calls)


def _list(ids) -> str:
    return ", ".join(sorted(set(ids))) or "nothing"


def _check(id: str, misconception: str, group: str, sentence: str) -> Check:
    return Check(
        id=id, misconception=misconception, group=group, seeded=True, needs=("well-formed",),
        run=lambda bench, rng: _judged(bench, "visible", rng, id), source="contract: problems", sentence=sentence,
        run_hidden=lambda bench, rng: _judged(bench, "hidden", rng, id),
    )  # fmt: skip


PLAN = PythonPlan(
    function=FUNCTION, group="orders",
    checks=(
        Check(
            id="well-formed", misconception=None, group="orders", needs=("defines",), run=_well_formed,
            source="contract: the answer", sentence=f"{FUNCTION}(trace) returns a list of the ids in the table.",
        ),
        _check("open-order", "one-order", "orders",
               "Every legal order is accepted: only what is documented counts."),
        _check("before", "anywhere-counts", "orders", "What must come before comes before: later does not count."),
        _check("inherited", "copies-begin-empty", "orders",
               "A copy knows what its original knew when it was made."),
        _check("not-later", "copies-follow", "orders",
               "What an original is told later, its copies do not know."),
        _check("each-process", "name-is-object", "objects",
               "An object is known by its process and its name: another process has others of the same names."),
        _check("each-object", "somebody-did", "objects", "Each object is looked at by itself."),
        _check("shared", "always-a-new-one", "objects", "A copy that is no new object is named."),
        _check("used-after-end", "end-is-last", "objects", "What happens to an object after its end is named."),
        _check("never-ended", "process-cleans-up", "objects", "An object that is never destroyed is named."),
        _check("unattached", "engine-runs", "objects", "A run on an object that is no context's is named."),
        _check("plan-values", "names-are-the-plan", "plan",
               "A plugin is made of a plan if its fields, values and all, were kept before."),
        _check("names-all", "first-is-enough", "plan", "All that is wrong in one life is named."),
    ),
)  # fmt: skip
