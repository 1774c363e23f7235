"""size-tensor-test: write the test that reads what a plugin declared and what its runs left, and names what is wrong.

Records are drawn, so that hidden ones have other numbers. Each check has right records and wrong ones: an answer that
accepts all, or refuses all, earns nothing.
"""

from __future__ import annotations

import copy
import functools
import weakref
from collections.abc import Callable, Iterator

import numpy as np

from grader.checks import Check, Finding, failed, passed
from grader.exercises.python import PythonBench, PythonPlan

FUNCTION = "problems"
PROBLEMS = {
    "type": "the output that holds the count is not int32",
    "not-scalar": "the output that holds the count is not 0-D",
    "opt-outside": "at some number of points, opt is below 0 or above upper",
    "bound-small": "a run has more rows than the bound at its number of points",
    "not-reset": "a run with rows has a count that is its rows and the count of the run before",
    "not-written": "a run has the count of the run before, and other rows",
    "read-on-host": "enqueue waits, or copies to the host",
}
_WORK = [{"call": "cudaMemsetAsync"}, {"call": "cudaLaunchKernel"}, {"call": "cudaLaunchKernel"}]
_WAITS = ("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize")
Case = tuple[str, dict, tuple[str, ...]]  # what it is, the record, its problems


def a_record(rng: np.random.Generator, *, place: int = 2, cells: int = 4096) -> dict:
    """A right one: three outputs, of which ``place`` is the count; four runs of one context. No two runs have alike
    rows, and none has those of two others together."""
    most = [int(n) for n in rng.choice(np.arange(100, 900), 3, replace=False)]
    points = [1, *sorted(most), 10_000]
    outputs = [{"type": "float32", "rank": 2}, {"type": "int32", "rank": 2}]
    outputs.insert(place, {"type": "int32", "rank": 0})
    declared = [{"points": n, "opt": -(-min(n, cells) // 2), "upper": min(n, cells)} for n in points]
    low = sorted(most)[0]
    rows = [low - int(n) for n in rng.choice(np.arange(1, 20), 4, replace=False)]
    runs = [_run(points[1 + index % 3], rows[index]) for index in range(4)]
    return {"outputs": outputs, "count": place, "declared": declared, "runs": runs}


def _run(points: int, rows: int, context: int = 1) -> dict:
    return {"context": context, "points": points, "rows": rows, "count": rows, "cuda": copy.deepcopy(_WORK)}


def _with(record: dict, change: Callable[[dict], object]) -> dict:
    changed = copy.deepcopy(record)
    change(changed)
    return changed


def _adding(runs: list[dict]) -> None:
    """Counts as they are where nobody sets them to zero between the runs of a context."""
    held: dict[int, int] = {}
    for run in runs:
        run["count"] = held.get(run["context"], 0) + run["rows"]
        held[run["context"]] = run["count"]


def _right(rng) -> Iterator[Case]:
    plain = a_record(rng)
    yield "a right plugin", plain, ()
    yield "one run", _with(plain, lambda r: r["runs"].__delitem__(slice(1, None))), ()
    yield "opt is the bound", _with(plain, lambda r: [d.update(opt=d["upper"]) for d in r["declared"]]), ()
    yield "opt is 0", _with(plain, lambda r: [d.update(opt=0) for d in r["declared"]]), ()
    few = a_record(rng, cells=7)
    for run in few["runs"]:
        run["rows"] = run["count"] = int(rng.integers(5, 8))
    few["runs"][-1]["rows"] = few["runs"][-1]["count"] = 7
    yield "a grid of 7 cells, all of which hold points at last", few, ()
    same = _with(
        plain, lambda r: [run.update(rows=r["runs"][0]["rows"], count=r["runs"][0]["rows"]) for run in r["runs"]]
    )
    yield "the same points again and again", same, ()
    empty = _with(plain, lambda r: r["runs"].insert(1, _run(0, 0)))
    empty["declared"].insert(0, {"points": 0, "opt": 0, "upper": 0})
    empty["runs"][1]["cuda"] = [{"call": "cudaMemsetAsync"}]
    yield "a run without points in between", empty, ()
    twice = _with(empty, lambda r: r["runs"].insert(2, copy.deepcopy(r["runs"][1])))
    yield "two runs without points in a row", twice, ()
    moved = _with(plain, lambda r: r["runs"][0]["cuda"].append({"call": "cudaMemcpyAsync", "to": "device"}))
    yield "a copy from one device buffer to another", moved, ()


def _types(rng) -> Iterator[Case]:
    plain = a_record(rng)
    for kind in ("int64", "float32", "float16"):
        yield f"a count of type {kind}", _with(plain, lambda r, k=kind: r["outputs"][2].update(type=k)), ("type",)


def _ranks(rng) -> Iterator[Case]:
    plain = a_record(rng)
    for rank in (1, 2):
        yield f"a count of rank {rank}", _with(plain, lambda r, k=rank: r["outputs"][2].update(rank=k)), ("not-scalar",)


def _places(rng) -> Iterator[Case]:
    for place in (0, 1):
        plain = a_record(rng, place=place)
        yield f"the count is output {place}", plain, ()
        wrong = _with(plain, lambda r, p=place: r["outputs"][p].update(type="int64", rank=1))
        yield f"the count is output {place}, int64 and of rank 1", wrong, ("not-scalar", "type")


def _usual(rng) -> Iterator[Case]:
    plain = a_record(rng)
    for index in (0, 2, -1):
        wrong = _with(plain, lambda r, i=index: r["declared"][i].update(opt=r["declared"][i]["upper"] + 1))
        yield f"opt is too large at {plain['declared'][index]['points']} points", wrong, ("opt-outside",)
    wrong = _with(plain, lambda r: r["declared"][1].update(opt=-1))
    yield "opt is -1", wrong, ("opt-outside",)


def _bounds(rng) -> Iterator[Case]:
    plain = a_record(rng)

    def tight(record, clipped):
        for each in record["declared"]:
            each["upper"], each["opt"] = each["points"] * 2 // 3, each["points"] // 3
        run = record["runs"][1]
        upper = next(each["upper"] for each in record["declared"] if each["points"] == run["points"])
        for other in record["runs"]:
            other["rows"] = other["count"] = min(other["rows"], 30 + other["rows"] % 30)
        run["rows"] = upper + 5
        run["count"] = upper if clipped else upper + 5

    yield "more rows than the bound", _with(plain, lambda r: tight(r, False)), ("bound-small",)
    yield "more rows than the bound, and the count is cut off there", _with(plain, lambda r: tight(r, True)), (
        "bound-small",)  # fmt: skip


def _resets(rng) -> Iterator[Case]:
    plain = a_record(rng)
    yield "counts that add up", _with(plain, lambda r: _adding(r["runs"])), ("not-reset",)

    def later(record):
        record["runs"][3]["count"] += record["runs"][2]["count"]

    yield "the fourth count has the third one in it", _with(plain, later), ("not-reset",)

    def one(record):
        record["runs"][2].update(rows=1, count=1 + record["runs"][1]["count"])

    yield "the third run has one row, and the second one's count", _with(plain, one), ("not-reset",)


def _written(rng) -> Iterator[Case]:
    plain = a_record(rng)
    stale = _with(plain, lambda r: r["runs"][2].update(count=r["runs"][1]["count"]))
    yield "the third run leaves the second one's count", stale, ("not-written",)
    empty = _with(plain, lambda r: r["runs"].insert(1, _run(0, 0)))
    empty["declared"].insert(0, {"points": 0, "opt": 0, "upper": 0})
    empty["runs"][1].update(count=empty["runs"][0]["count"], cuda=[])
    yield "a run without points leaves the count of the run before", empty, ("not-written",)


def _contexts(rng) -> Iterator[Case]:
    """Two contexts by turns, each with memory of its own."""
    plain = a_record(rng)
    for run in plain["runs"][1::2]:
        run["context"] = 2
    yield "two contexts by turns", plain, ()
    yield "two contexts by turns, whose counts add up", _with(plain, lambda r: _adding(r["runs"])), ("not-reset",)
    stale = _with(plain, lambda r: r["runs"][3].update(count=r["runs"][1]["count"]))
    yield "the second context leaves its own last count", stale, ("not-written",)


def _host(rng) -> Iterator[Case]:
    plain = a_record(rng)
    for which, call in enumerate(_WAITS):
        waits = _with(plain, lambda r, c=call, w=which: r["runs"][w + 1]["cuda"].append({"call": c}))
        yield f"{call} in run {which + 2}", waits, ("read-on-host",)
    for call in ("cudaMemcpyAsync", "cudaMemcpy"):
        reads = _with(plain, lambda r, c=call: r["runs"][0]["cuda"].insert(2, {"call": c, "to": "host"}))
        yield f"{call} to the host", reads, ("read-on-host",)


def _together(rng) -> Iterator[Case]:
    def all_of_it(record):
        record["outputs"][2].update(type="int64", rank=1)
        record["declared"][0]["opt"] = record["declared"][0]["upper"] + 3
        _adding(record["runs"])
        record["runs"][3]["cuda"].append({"call": "cudaStreamSynchronize"})

    names = ("not-reset", "not-scalar", "opt-outside", "read-on-host", "type")
    yield "much is wrong", _with(a_record(rng), all_of_it), names


_asked: weakref.WeakKeyDictionary[PythonBench, dict] = weakref.WeakKeyDictionary()


def _problem(answer) -> str | None:
    if not isinstance(answer, list) or not all(isinstance(each, str) for each in answer):
        return f"{FUNCTION}(record) must return a list of texts; it returned {str(answer)[:80]!r}"
    unknown = next((each for each in answer if each not in PROBLEMS), None)
    if unknown is not None:
        return f"{FUNCTION}(record) returned {unknown[:40]!r}, which is none of the ids: {', '.join(PROBLEMS)}"
    return None


def _judged(make: Callable[..., Iterator[Case]], bench: PythonBench, rng) -> Finding:
    cases = [*make(rng), ("a right plugin", a_record(rng), ())]
    answers = bench.call(FUNCTION, *[(copy.deepcopy(record),) for _, record, _ in cases])
    if isinstance(answers, Finding):
        return answers
    for (name, record, wanted), answer in zip(cases, answers, strict=True):
        if problem := _problem(answer):
            return failed(f"{problem}.")
        if set(answer) != set(wanted):
            said, right = (", ".join(sorted(each)) or "nothing" for each in (set(answer), wanted))
            why = "".join(f" {id}: {PROBLEMS[id]}." for id in sorted(set(wanted) - set(answer)))
            return failed(
                f"“{name}”: {FUNCTION}() says {said}, and it must be {right}.{why} The record: {_shown(record)}",
                case=name,
            )  # fmt: skip
    return passed(f"{len(cases)} records")


def _shown(record: dict) -> str:
    runs = "; ".join(
        f"context {run['context']}, {run['points']} points, {run['rows']} rows, count {run['count']}, "
        + " ".join(each["call"] + (f" to {each['to']}" if "to" in each else "") for each in run["cuda"])
        for run in record["runs"]
    )
    outputs = ", ".join(f"{each['type']} of rank {each['rank']}" for each in record["outputs"])
    declared = ", ".join(f"{each['opt']} of {each['upper']} at {each['points']}" for each in record["declared"])
    return f"outputs {outputs}; the count is output {record['count']}; opt of upper: {declared}. Runs: {runs}."


def examples() -> dict[str, dict]:
    """Records to look at, by what they are."""
    rng = np.random.default_rng(9)
    makers = (_right, _types, _ranks, _places, _usual, _bounds, _resets, _written, _contexts, _host)
    return {name: record for make in makers for name, record, _ in make(rng)}


def show(name: str) -> None:
    """One of ``examples()`` in a few lines."""
    print(_shown(examples()[name]).replace("; the count", "\nthe count").replace("; opt", "\nopt")
          .replace(" Runs: ", "\n  ").replace("; context", "\n  context"))  # fmt: skip


def _check(id, misconception, group, sentence, make, needs=("quiet",)) -> Check:
    return Check(
        id=id, misconception=misconception, group=group, sentence=sentence, seeded=True, needs=needs,
        run=functools.partial(_judged, make), source="contract: problems",
    )  # fmt: skip


PLAN = PythonPlan(
    function=FUNCTION, group="declared",
    checks=(
        _check("quiet", "odd-is-wrong", "declared", "It accepts every right plugin, unusual ones too.", _right,
               ("defines",)),
        _check("type", "any-number-counts", "declared", "It finds a count that is not INT32.", _types),
        _check("scalar", "one-element-will-do", "declared", "It finds a count that is not 0-D.", _ranks),
        _check("which-output", "count-comes-last", "declared", "It looks at the output that holds the count.", _places,
               ("type", "scalar")),
        _check("usual", "one-point-is-enough", "declared", "It finds an opt outside of its bound, wherever that is.",
               _usual),
        _check("bound", "count-would-show-it", "runs", "It finds more rows than the bound, whatever the count says.",
               _bounds),
        _check("reset", "first-run-shows-all", "runs", "It finds counts that add up from run to run.", _resets),
        _check("written", "empty-needs-no-count", "runs", "It finds a count that a run has not written.", _written),
        _check("contexts", "one-memory", "runs", "It knows that each context has memory of its own.", _contexts,
               ("reset", "written")),
        _check("host", "results-tell-all", "host", "It finds an enqueue that waits or copies to the host.", _host),
        _check("all", "first-is-enough", "host", "It names all that is wrong with one plugin.", _together,
               ("type", "scalar", "usual", "reset", "host")),
    ),
)  # fmt: skip
