"""The bench of a plugin exercise: it runs all the rules that are asked for in one go."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.checks import Finding, failed, passed
from grader.checks.conformance.bench import Bench
from grader.checks.conformance.run import open_bench, run_rules
from grader.exercises.bench import KernelBench
from grader.exercises.kernel_part import KernelFile
from grader.plugin import life
from grader.plugin.build import HostUnavailable, build_host
from grader.plugin.life import LifeProblem
from grader.plugin.reference import ReferenceFailed
from grader.plugin.session import HostProblem, OtherFamily, PluginEnded
from grader.plugin.spec_records import Spec
from grader.simulator import DeviceError
from grader.toolchain.fatbin import FatbinError, images, ptx_of
from grader.toolchain.levels import Reach, reach
from grader.toolchain.records import Compilation, Library
from grader.verdict import CheckResult, State

_PLACE = re.compile(r"\(([^(),]+), line (\d+)")  # in the sentence of a device's fault


@dataclass(frozen=True, kw_only=True)
class RuleFinding(Finding):
    """``blocked_by``: the rule that answers for what this one ran into."""

    blocked_by: str | None = None


class PluginBench:
    """One learner's plugin, built, with everything that is driven of it. A context manager.

    ``rules``: ids of those that are run together. ``seconds``: after which no rule is begun any more. ``kernel``: the
    kernel file by itself, of plans that have a ``KernelPart``.
    """

    def __init__(
        self, library: Library, spec: Spec, rules: Sequence[str], seconds: float, kernel: KernelFile | None = None
    ):
        self.library, self.spec, self._rules, self._seconds = library, spec, tuple(rules), seconds
        self.kernel = kernel
        self._stack = contextlib.ExitStack()
        if kernel is not None:
            self._stack.enter_context(kernel)
        self._bench: Bench | None = None
        self._kernels: dict[str, KernelBench] = {}
        self._results: dict[str, CheckResult] = {}
        self._told: set[str] = set()

    def __enter__(self) -> PluginBench:
        return self

    def __exit__(self, *_) -> None:
        self._stack.close()

    @property
    def path(self) -> Path:
        """The library's file; only where it compiles."""
        return self.library.path

    @property
    def reach(self) -> Reach:
        """How far the library gets, read from its file."""
        return reach(self.path)

    @property
    def conformance(self) -> Bench:
        """What drives the plugin: processes, plugins, what they store, contexts, cases, and ``trace``, the calls so
        far. Opened when it is first asked for."""
        if self._bench is None:
            self._bench = self._stack.enter_context(open_bench(self.path, self.spec, self._as_far_as_it_runs))
        return self._bench

    @property
    def _as_far_as_it_runs(self) -> Reach:
        """Where the kernel by itself is wrong, nothing runs it: one mistake makes one failure."""
        wrong = self.kernel is not None and not self.kernel.right
        return dataclasses.replace(self.reach, level="L0") if wrong and self.reach.level == "L1" else self.reach

    @property
    def counters(self) -> dict[str, dict[str, float]]:
        """What was counted of kernels by themselves, by their names."""
        return self.kernel.counters if self.kernel is not None else {}

    def kernels(self, *names: str) -> KernelBench | Finding:
        """Kernels of the library as the grader itself launches them: the very PTX that the plugin's runs use, by their
        plain names (``extern "C"``), all in one file."""
        for ptx in map(_ptx, images(self.reach.elf.fatbins)):
            if all(re.search(rf"\.entry\s+{re.escape(name)}\s*\(", ptx) for name in names):
                if ptx not in self._kernels:
                    compiled = Compilation(state=State.PASS, ptx=ptx)
                    bench = KernelBench({}, "", kind="simulated", compilation=compiled)
                    self._kernels[ptx] = self._stack.enter_context(bench)
                return self._kernels[ptx]
        wanted = " and ".join(names)
        return failed(f'No .cu file defines {wanted}: write extern "C" __global__ void in front of the name.')

    def rule(self, id: str, rng) -> RuleFinding:
        """What a rule found. The first question runs all rules; a rule that is asked again draws its cases anew."""
        if not self._results:
            bench = self.conformance
            with contextlib.suppress(HostUnavailable):  # which the rules say
                build_host()  # so that compiling the grader's own, once on a machine, takes none of the plugin's time
            self._results = self._run(bench, until=time.monotonic() + self._seconds)
        if id in self._told:
            bench = self.conformance
            bench.redraw()
            others = {other: result for other, result in self._results.items() if other != id}
            result = self._run(bench, only=[id], known=others, seed=int(rng.integers(2**63)))[id]
        else:
            result = self._results[id]
        self._told.add(id)
        return _finding(result)

    def _run(self, bench: Bench, **how) -> dict[str, CheckResult]:
        results = run_rules(bench, level=self._as_far_as_it_runs.level, **({"only": self._rules} | how))
        return {result.check: result for result in results}

    def interface(self, family: str) -> Finding:
        """Whether the creator that the spec names is of this family."""
        session = self.conformance.session()
        if life.find_creator(session, self.spec).is_v3 != (family == "V3"):
            wanted, other = ("IPluginV3", "IPluginV2") if family == "V3" else ("IPluginV2DynamicExt", "IPluginV3")
            return failed(f"The creator {self.spec.name} makes plugins of {other}; this exercise asks for {wanted}.")
        with contextlib.suppress(PluginEnded, LifeProblem):  # which the rules look at
            self.conformance.plugin(session).end()
        return passed()

    def guarded(self, run: Callable[[], Finding]) -> Finding:
        """What a check of the exercise's own found; where the plugin ended or refused, that is what it found."""
        try:
            return run()
        except PluginEnded as ended:
            state = State.ERROR if ended.outcome.state is State.PASS else ended.outcome.state
            return failed(ended.words.sentence, state=state)
        except LifeProblem as problem:
            return failed(problem.sentence)
        except OtherFamily as problem:
            return failed(f"{problem}.")
        except HostProblem as problem:
            return failed(f"The plugin has not what this needs: {problem}.")
        except ReferenceFailed as problem:
            return failed(problem.sentence, state=State.GRADER_FAULT)
        except HostUnavailable as problem:
            return failed(problem.sentence, state=problem.state)
        finally:
            if self._bench is not None:
                with contextlib.suppress(DeviceError):
                    self._bench.sweep()
                    self._bench.settle()


def _ptx(image: bytes) -> str:
    try:
        return ptx_of(image)
    except FatbinError:
        return ""


def _finding(result: CheckResult) -> RuleFinding:
    """A rule's result as the finding of an exercise's check."""
    detail, state = dict(result.detail), result.state
    if place := _PLACE.search(result.message):
        detail["source_line"] = {"file": place[1], "line": int(place[2])}
    if result.blocked_by and state is State.FAIL:
        state = State.ERROR  # it was not run
    return RuleFinding(state=state, message=result.message, detail=detail, blocked_by=result.blocked_by)
