"""Runs the rules on a library and puts the results together."""

from __future__ import annotations

import contextlib
import logging
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np

from grader import __version__
from grader.checks.base import Finding, failed
from grader.checks.conformance.bench import Bench
from grader.checks.conformance.owners import LAST, needs_of, owners_of
from grader.checks.conformance.rule import GROUPS, RULES, Rule
from grader.checks.conformance.wording import worded
from grader.plugin import life
from grader.plugin.build import HostUnavailable
from grader.plugin.life import LifeProblem
from grader.plugin.python_plugins import UNSUPPORTED
from grader.plugin.reference import ReferenceFailed
from grader.plugin.second_registry import remark
from grader.plugin.session import HostProblem, OtherFamily, PluginEnded
from grader.plugin.spec_records import Spec
from grader.plugin.trace import Trace
from grader.sandbox.wire import printable
from grader.simulator.records import DeviceError
from grader.toolchain.levels import Reach, reach
from grader.verdict import CheckResult, State, worst

log = logging.getLogger(__name__)
SEED = 20260101
RUNNING = ("status",)  # rules of level L0 that make no sense where nothing can run
MOST_PLUGINS = 32  # of a library, that are checked one after the other
Triple = tuple[str | None, str | None, str | None]
_LEVELS = ("none", "L0", "L1", "L2")  # what does not load fails the first rules of L0

# What fails for want of CUDA, as where the CUDA runtime is a part of the library.
_MAY_NEED_CUDA = (
    "createPlugin", "revive", "initialize", "configurePlugin", "attachToContext", "clone", "onShapeChange",
)  # fmt: skip
_OF_INPUTS = ("formats", "shapes", "memory", "values")  # groups of rules that guessed inputs may mislead
_OF_RUNS = ("onShapeChange", "enqueue", "fault", "null-pointer")
UNJUDGED = "Not judged, since the inputs are guessed; look at it, and describe them in a spec:"
TOO_LONG = "Not run: the rules before took all the time that there is."
MISSING = {
    "spec": "Not run: it needs a spec that says the plugin's inputs.",
    "attributes": "Not run: there are no attributes, in a spec or advertised by the creator.",
    "reference": "Not run: it needs a spec with a reference, which says what is right.",
}
_NO_CUDA = "It may need CUDA for that, and nothing answers its calls of CUDA here."


@dataclass(frozen=True)
class Report:
    """What a conformance run found.

    ``level`` is the highest that the library could reach here, ``reason`` why no higher, ``rebuild`` the line that
    would change it.
    """

    library: str
    level: str
    results: tuple[CheckResult, ...]
    trace: Trace
    seconds: float
    reason: str = ""
    rebuild: str = ""
    notes: tuple[str, ...] = ()  # what was guessed or left out
    versions: dict[str, str] = field(default_factory=lambda: {"grader": __version__})
    plugin: Triple | None = None  # name, version and namespace of the creator that was checked
    others: tuple[Triple, ...] = ()  # the library's other creators

    @property
    def state(self) -> State:
        return worst(result.state for result in self.results)

    @property
    def failed(self) -> tuple[CheckResult, ...]:
        """The rules that failed by themselves."""
        return tuple(r for r in self.results if _matters(r) and r.blocked_by is None)


@dataclass
class _Hit:
    """A rule ran into what others own."""

    owners: tuple[str, ...]
    finding: Finding


def run_rules(
    bench: Bench, *, level: str, only: Iterable[str] | None = None, skip: Iterable[str] = (), seed: int = SEED,
    progress: Callable[[Rule, int, int], None] = lambda *_: None,
    known: Mapping[str, CheckResult] = MappingProxyType({}), until: float = math.inf,
) -> list[CheckResult]:  # fmt: skip
    """All rules (or ``only`` those, with what they need) up to the level, in the order of groups.

    ``known``: results of rules that are not run again. ``until``: the time (``time.monotonic``) after which no rule is
    begun any more.
    """
    rules = with_needs(only)
    found: dict[str, CheckResult | _Hit] = {}
    for index, each in enumerate(rules):
        progress(each, index, len(rules))
        if each.id in skip:
            continue  # nobody waits for it either
        if each.id in known:
            found[each.id] = known[each.id]
            continue
        if time.monotonic() > until:
            found[each.id] = each.result(failed(TOO_LONG, state=State.TIMEOUT))
            continue
        found[each.id] = _result(each, bench, level, found, seed)
        with contextlib.suppress(DeviceError):  # a device that is gone: the rules that need it say so
            bench.sweep()
            bench.settle()
    failing = (r for r in found.values() if isinstance(r, CheckResult) and not r.blocked_by and _matters(r))
    told = {result.message: result.check for result in failing}
    results = {each.id: _settled(each, found, told) for each in rules if each.id in found}
    shown = [results[each.id] for each in sorted(rules, key=_shown_order) if each.id in results]
    return [_unjudged(each, results) for each in shown] if bench.inputs_guessed else shown


def with_needs(only: Iterable[str] | None = None) -> list[Rule]:
    """The rules (None: all) and what they need, in the order of groups, each behind what it needs."""
    wanted = list(RULES if only is None else only)
    places = {group: index for index, group in enumerate(GROUPS)}
    order: dict[str, Rule] = {}

    def place(id: str) -> None:
        if id not in order and id in RULES:
            for need in needs_of(RULES[id]):
                place(need)
            order[id] = RULES[id]

    for id in sorted(wanted, key=lambda id: (id in LAST, places[RULES[id].group])):
        place(id)
    return list(order.values())


def _shown_order(each: Rule) -> int:
    return list(GROUPS).index(each.group)


def _result(each: Rule, bench: Bench, level: str, found, seed: int) -> CheckResult | _Hit:
    if each.level != "L0" and _LEVELS.index(each.level) > _LEVELS.index(level):
        return each.result(failed(f"Not run: it needs level {each.level}.", state=State.UNSUPPORTED_HERE))
    if level == "L2" and each.level == "L1" and not each.on_gpu:
        return each.result(failed("Not run: a GPU cannot tell, the simulated one can.", state=State.UNSUPPORTED_HERE))
    if bench.no_kernels and (each.level == "L1" or each.id in RUNNING):
        return each.result(failed(f"Not run: {bench.no_kernels}", state=State.UNSUPPORTED_HERE))
    foreign = UNSUPPORTED if bench.is_python else {}  # rules that a Python plugin has nothing to do with
    if reason := foreign.get(each.id):
        return each.result(failed(f"Not run: {reason}.", state=State.UNSUPPORTED_HERE))
    for need in (id for id in needs_of(each) if id not in foreign):
        earlier = found.get(need)
        if isinstance(earlier, _Hit):
            return earlier
        if _of_another_family(need, bench, found):
            continue
        if earlier is not None and earlier.state is not State.PASS:
            return each.blocked(earlier.blocked_by or need, earlier.state)
    missing = [want for want in each.wants if not _has(bench.spec, want)]
    if missing:
        return each.result(failed(MISSING[missing[0]], state=State.UNSUPPORTED_HERE))
    return _run(each, bench, seed)


def _of_another_family(need: str, bench: Bench, found) -> bool:
    """Whether that rule was not run because it is about the other interface family: nobody waits for it then."""
    earlier = found.get(need)
    return bool(RULES[need].family and earlier and earlier.state is State.UNSUPPORTED_HERE)


def _has(spec: Spec, want: str) -> bool:
    return bool({"spec": spec.inputs, "attributes": spec.attributes, "reference": spec.reference}[want])


def _run(each: Rule, bench: Bench, seed: int) -> CheckResult | _Hit:
    began = time.perf_counter()
    try:
        if each.family and bench.is_v3 != (each.family == "V3"):
            return each.result(failed(f"Not run: it is about {each.family} plugins.", state=State.UNSUPPORTED_HERE))
        finding = each.run(bench, np.random.default_rng(seed))
    except PluginEnded as ended:
        bench.ended.append(ended)
        finding = failed(ended.words.sentence, state=_state(ended), ended=ended.words.kind)
        if reason := _guess_behind(ended, bench, each):
            finding = failed(f"Not run: {reason}", state=State.UNSUPPORTED_HERE)
        elif owners := owners_of(ended, each):
            return _Hit(owners, worded(finding, bench))
    except LifeProblem as problem:
        finding = failed(problem.sentence)
        if not bench.cuda and problem.method in _MAY_NEED_CUDA:
            finding = failed(f"{problem.sentence} {_NO_CUDA}", state=State.UNSUPPORTED_HERE)
        elif reason := _guess_behind(problem, bench, each):
            finding = failed(f"Not run: {reason}", state=State.UNSUPPORTED_HERE)
        elif owners := owners_of(problem, each):
            return _Hit(owners, worded(finding, bench))
    except ReferenceFailed as problem:
        finding = failed(problem.sentence, state=State.ERROR)
    except OtherFamily as problem:
        finding = failed(f"Not run: {problem}.", state=State.UNSUPPORTED_HERE)
    except HostProblem as problem:
        finding = failed(f"The plugin has not what this needs: {problem}.")
        if owners := owners_of(problem, each):
            return _Hit(owners, worded(finding, bench))
    except HostUnavailable as problem:
        finding = failed(problem.sentence, state=State.UNSUPPORTED_HERE)
    except DeviceError as problem:
        finding = failed(problem.sentence, state=problem.state)
    except Exception:
        log.exception("rule %s", each.id)
        finding = failed("The rule itself failed; please report it.", state=State.GRADER_FAULT)
    if not isinstance(finding, Finding):
        finding = failed("The rule itself gave no finding; please report it.", state=State.GRADER_FAULT)
    finding.detail["seconds"] = round(time.perf_counter() - began, 4)
    return each.result(worded(finding, bench))


def _guess_behind(problem: PluginEnded | LifeProblem, bench: Bench, each: Rule) -> str:
    """Why a plugin cannot be expected to do better, a sentence; empty where it can. Nobody said which attributes
    ``createPlugin`` wants, or which inputs ``enqueue`` does."""
    if problem.method == "createPlugin" and each.id != "fields-null":
        return bench.unmade
    return bench.no_kernels if problem.method in _OF_RUNS else ""


def _state(ended: PluginEnded) -> State:
    """A plugin that exits, or forges an answer, ends the run of a rule as an error."""
    return State.ERROR if ended.outcome.state is State.PASS else ended.outcome.state


def _matters(result: CheckResult) -> bool:
    return result.state not in (State.PASS, State.UNSUPPORTED_HERE)


def _unjudged(result: CheckResult, results: dict[str, CheckResult]) -> CheckResult:
    """No plugin is blamed for what it does with inputs that were guessed, where shapes and values matter."""
    at_fault = results.get(result.blocked_by or result.check, result)
    if not _matters(at_fault) or not (at_fault.group in _OF_INPUTS or at_fault.check in RUNNING):
        return result
    message = result.message if result.blocked_by else f"{UNJUDGED} {result.message}"
    return replace(result, state=State.UNSUPPORTED_HERE, message=message)


def _settled(each: Rule, found, told: dict[str, str]) -> CheckResult:
    """A hit is blocked by an owner that failed. Where none did, the first rule that met the problem has failed by
    itself, and blocks the others: ``told`` says who told what."""
    result = found[each.id]
    if not isinstance(result, _Hit):
        return result
    at_fault = _at_fault(result, found, {each.id})
    if at_fault is not None:
        return each.blocked(*at_fault)
    first = told.setdefault(result.finding.message, each.id)
    return each.result(result.finding) if first == each.id else each.blocked(first, result.finding.state)


def _at_fault(hit: _Hit, found, seen: set[str]) -> tuple[str, State] | None:
    """The owner that failed, by itself or because it ran into what another owns; and how."""
    for id in hit.owners:
        owner = found.get(id)
        if isinstance(owner, CheckResult) and _matters(owner):
            return owner.blocked_by or owner.check, owner.state
        if isinstance(owner, _Hit) and id not in seen:
            return _at_fault(owner, found, seen | {id}) or (id, owner.finding.state)
    return None


def conform(
    library: Path, spec: Spec | None = None, *, only: Iterable[str] | None = None, skip: Iterable[str] = (),
    seed: int = SEED, level: str | None = None, progress: Callable[[Rule, int, int], None] = lambda *_: None,
) -> Report:  # fmt: skip
    """Drive a library through every rule. ``level`` "L0": do without kernels; "L2": run them on
    this machine's GPU; None: on the simulated one, where the library allows it. ``skip``: rules not to run.

    ``HostUnavailable`` where plugins cannot be driven at all.
    """
    from grader.checks.conformance import rules as _all  # noqa: F401  (fills RULES)

    began = time.perf_counter()
    reached = _reach(Path(library), level)
    with open_bench(Path(library), spec or Spec(path=Path(library)), reached) as bench:
        bench.guess()
        plugin, *others = creators_of(bench) or (None,)
        results = run_rules(bench, level=reached.level, only=only, skip=skip, seed=seed, progress=progress)
    # On the way to TensorRT 11 a library is that has arrived at 10: else the rules say what is to be mended first.
    arrived = any(each.check == "registry" and each.state is State.PASS for each in results)
    further = remark(bench.library) if arrived and only is None and not bench.is_python else ""
    return Report(
        str(library), reached.level, tuple(results), bench.trace, time.perf_counter() - began, reached.reason,
        reached.rebuild, notes=tuple(printable([*bench.spec.notes, *filter(None, [further])])), plugin=plugin,
        others=tuple(others),
    )  # fmt: skip


def conform_each(library: Path, **options) -> Iterator[Report]:
    """Without a spec: each of the library's creators in turn, in its order. ``options`` as of ``conform``."""
    first = conform(library, **options)
    if left := first.others[MOST_PLUGINS - 1 :]:
        note = f"The library has {len(left)} plugins more, which are not checked: name one with --creator."
        first = replace(first, notes=(*first.notes, note))
    yield first
    for name, version, namespace in first.others[: MOST_PLUGINS - 1]:
        yield conform(library, Spec(Path(library), name, version or "", namespace or ""), **options)


def creators_of(bench: Bench) -> list[Triple | None]:
    """The creator that is checked, None where the spec names none of them, then the library's others; empty where they
    cannot be asked."""
    try:
        creators = bench.session().creators()
        all_of_them = [tuple(printable([c.name, c.version, c.namespace])) for c in creators if c.name]
    except (PluginEnded, HostProblem):
        return []  # the rules meet the same, and say it
    try:
        mine = life.find_creator(bench.session(), bench.spec)
    except LifeProblem:
        return [None, *dict.fromkeys(all_of_them)]
    return list(dict.fromkeys([tuple(printable([mine.name, mine.version, mine.namespace])), *all_of_them]))


@contextlib.contextmanager
def open_bench(library: Path, spec: Spec, reached: Reach) -> Iterator[Bench]:
    """What the rules work on, with a device of its own, for a library that reaches so far."""
    with contextlib.ExitStack() as stack:
        if reached.level == "L2":
            from grader.checks.conformance.gpu_bench import GpuBench
            from grader.plugin.gpu_device import cuda_runtime

            bench = GpuBench(library, spec, cuda_runtime())
        else:
            device = None
            if reached.level != "none":  # at L0 too: a plugin may want memory and streams long before it is run
                from grader.simulator.runtime.client import RuntimeDevice

                device = RuntimeDevice.start()
                stack.callback(device.close)
            bench = Bench(library, spec, device=device, kernels=reached.level == "L1")
        bench.cuda = reached.elf is None or not reached.elf.static_cudart
        yield stack.enter_context(bench)


def _reach(library: Path, wanted: str | None) -> Reach:
    if wanted == "L2":  # with a driver, any runtime and any device code will do
        return Reach(level="L2")
    if library.suffix == ".py":
        return Reach(level="L0", reason="A Python plugin's enqueue() needs a GPU: --level L2 where there is one.")
    found = reach(library)
    if (found.level, wanted) == ("L1", "L0"):
        return replace(found, level="L0", reason="Only L0 was asked for.", rebuild="")
    return found
