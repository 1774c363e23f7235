"""Exercises whose answer is a plugin: C++ and CUDA files that are compiled to a library, loaded and driven.

What is checked are rules of ``grader plugin conform``, and checks of the exercise's own:

>>> PLAN = PluginPlan(
...     package=__package__, spec="scale_shift.toml", group="library",
...     rules=(
...         *asked(*theme("fields"), group="fields", own={"fields-null": "data-is-there"}),
...         *asked("values", "stream", group="runs"),
...     ),
... )
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import ClassVar

from grader.checks import Check, Finding, failed, passed
from grader.checks.conformance import rules as _all  # noqa: F401  (fills RULES)
from grader.checks.conformance.owners import needs_of
from grader.checks.conformance.rule import GROUPS, RULES, Rule
from grader.checks.conformance.run import RUNNING, with_needs
from grader.course import Exercise
from grader.exercises.host import compile_finding
from grader.exercises.kernel_part import COMPILES, KernelFile, KernelPart
from grader.exercises.plugin_bench import PluginBench, RuleFinding
from grader.exercises.submission import supplied_files
from grader.plugin.spec import Spec, load_spec
from grader.toolchain import Library, Source, compile_library
from grader.toolchain.cmake import build_library
from grader.toolchain.system_calls import system_calls
from grader.verdict import CheckResult, State

_COMPILES = {
    False: "The files compile with nvcc and g++ as C++17 and link to a library.",
    True: "CMake configures and builds the project, and it makes one library.",
}
_FOUND = "creators"  # the rule that tells whether there is anything to ask for its interface


def theme(name: str, family: str = "V3") -> tuple[str, ...]:
    """The ids of the rules of one theme, such as "fields" (``grader.checks.conformance.rule.GROUPS``), that are about
    plugins of this family."""
    if name not in GROUPS:
        raise ValueError(f"there is no theme {name} of rules; there are {', '.join(GROUPS)}")
    return tuple(each.id for each in RULES.values() if each.group == name and each.family in ("", family))


def asked(*ids: str, group: str, own: Mapping[str, str] = {}) -> tuple[Check, ...]:
    """Rules as checks of an exercise. ``group``: of the exercise's points. ``own``: which misconceptions of the
    exercise's own these rules catch; another rule tells the belief that is behind most failures."""
    for id in (*ids, *own):
        if id not in RULES:
            raise ValueError(f"there is no rule {id}")
    return tuple(_check(RULES[id], group, own.get(id)) for id in ids)


@dataclass(frozen=True, kw_only=True)
class RuleCheck(Check):
    """A rule as a check. Which rule it waits for, if any, comes out when the rules are run."""

    def result(self, finding: Finding, **how) -> CheckResult:
        blocked_by = finding.blocked_by if isinstance(finding, RuleFinding) else None
        return dataclasses.replace(super().result(finding, **how), blocked_by=blocked_by)


def _check(rule: Rule, group: str, misconception: str | None = None) -> RuleCheck:
    def run(bench: PluginBench, rng) -> Finding:
        finding = bench.rule(rule.id, rng)
        if misconception is None and finding.state not in (State.PASS, State.UNSUPPORTED_HERE):
            finding = dataclasses.replace(finding, detail=finding.detail | {"belief": rule.belief})
        return finding

    return RuleCheck(
        id=rule.id, sentence=rule.sentence, misconception=misconception, group=group, run=run, seeded=rule.seeded,
        source=rule.source,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PluginPlan:
    """``spec`` is a file of ``package``, the chapter's folder, with the reference that it names beside it.

    ``rules`` (see ``asked``) are run together, with what they need; ``checks``, the exercise's own, take the
    ``PluginBench`` and run after them. ``file_checks``, its own too, look at the library's file (``bench.reach.elf``)
    before anything else does; all else waits for them, so that a mistake has the name that the exercise gives it.
    ``group``: of "compiles" and of the rules that others need and that ``rules`` leaves out. ``supplied``: files of the
    chapter's skeletons, or of the common kit ("common/status.h"), that are compiled with the answer and not handed in.
    ``family``: "V3" or "V2" (IPluginV2DynamicExt), which the plugin must be of. ``cmake``: the files are built by their
    own ``CMakeLists.txt``. ``strict``: a warning that names a defect of a plugin fails the build, as in
    ``toolchain.compile_library``. ``kernel``: the answer's kernels, which are checked by themselves before all else;
    rules that run kernels wait for them (the ``needs`` of ``checks`` that do: ``kernel.needed``).
    """

    package: str
    spec: str
    rules: tuple[Check, ...]
    group: str
    checks: tuple[Check, ...] = ()
    file_checks: tuple[Check, ...] = ()
    kernel: KernelPart | None = None
    supplied: tuple[str, ...] = ()
    family: str = "V3"
    cmake: bool = False
    strict: bool = True
    device: ClassVar[str] = "simulated"  # whatever this machine has: the log of the simulated GPU is the evidence

    def __post_init__(self):
        for each in self.rules:
            if RULES[each.id].family not in ("", self.family):
                raise ValueError(f"the rule {each.id} is not about {self.family} plugins")

    def all_checks(self) -> tuple[Check, ...]:
        found, need = [*(self.kernel.all_checks() if self.kernel else ()), *self._library()], "self-contained"
        mine = {check.id: check for check in self.rules}
        for rule in self._with_needs():
            check = mine.get(rule.id) or _check(rule, self.group)
            waits = self.kernel.needed if self.kernel and _runs_kernels(rule) else ()
            found.append(dataclasses.replace(check, needs=(need, *waits)))
            if rule.id == _FOUND:
                found.append(self._interface())
                need = "interface"
        return *found, *(_guarded(each, need) for each in self.checks)

    def bench(self, job) -> PluginBench | Finding:
        files = job.files()
        if isinstance(files, Finding):
            return files
        library = self.build(files, job.exercise)
        if isinstance(library, Finding):
            return library
        kernel = self._kernel_file(files, job.exercise)
        if isinstance(kernel, Finding):
            return kernel
        rules = [each.id for each in self._with_needs()]
        return PluginBench(library, self._spec(), rules, job.exercise.wall_seconds, kernel)

    def build(self, files: Mapping[str, bytes], exercise: Exercise) -> Library | Finding:
        """The library of an answer's files; a finding where the course lacks what is supplied."""
        supplied = supplied_files(self.supplied, exercise.chapter)
        if isinstance(supplied, Finding):
            return supplied
        if self.cmake:
            return build_library(supplied | files, strict=self.strict)
        return compile_library(Source(supplied | files, exercise.files[0]), strict=self.strict)

    def _kernel_file(self, files: Mapping[str, bytes], exercise: Exercise) -> KernelFile | Finding | None:
        if self.kernel is None:
            return None
        supplied = supplied_files(self.supplied, exercise.chapter)
        if isinstance(supplied, Finding):
            return supplied
        return self.kernel.open(supplied | files, strict=self.strict)

    def _spec(self) -> Spec:
        return _load(self.package, self.spec)

    def _with_needs(self) -> Iterable[Rule]:
        every = with_needs(each.id for each in self.rules)
        return [each for each in every if each.family in ("", self.family)]

    def _library(self) -> tuple[Check, ...]:
        """What the files and the library's file say, before anything of it is loaded."""
        return (
            Check(
                id="compiles", misconception=None, group=self.group, run=_compiles,
                sentence=_COMPILES[self.cmake], needs=(COMPILES,) if self.kernel else (),
            ),
            *(dataclasses.replace(each, needs=("compiles", *each.needs)) for each in self.file_checks),
            Check(
                id="reaches", misconception=None, group=self.group, run=_reaches,
                needs=("compiles", *(each.id for each in self.file_checks)),
                sentence="The library has all its symbols, and kernels that the simulated GPU can run.",
            ),
            Check(
                id="self-contained", misconception=None, group=self.group, run=_self_contained, needs=("reaches",),
                sentence="The library uses C++, CUDA's runtime and TensorRT, and asks nothing else of the system.",
            ),
        )  # fmt: skip

    def _interface(self) -> Check:
        name = "IPluginV3" if self.family == "V3" else "IPluginV2DynamicExt"
        return Check(
            id="interface", misconception=None, group=self.group, needs=(_FOUND,),
            sentence=f"The plugin is of the interface family that the exercise asks for: {name}.",
            run=lambda bench, rng: bench.guarded(lambda: bench.interface(self.family)),
        )  # fmt: skip


@functools.cache
def _load(package: str, spec: str) -> Spec:
    return load_spec(Path(str(resources.files(package) / spec)))


@functools.cache
def _runs_kernels(rule: Rule) -> bool:
    """Whether a rule runs kernels, or waits for one that does."""
    waits = (RULES[need] for need in needs_of(rule))
    return rule.level != "L0" or rule.id in RUNNING or any(map(_runs_kernels, waits))


def _guarded(check: Check, need: str) -> Check:
    def run(bench: PluginBench, rng) -> Finding:
        return bench.guarded(lambda: check.run(bench, rng))

    return dataclasses.replace(check, run=run, needs=(need, *check.needs))


def _compiles(bench: PluginBench, rng) -> Finding:
    if bench.library.state is not State.PASS:
        return compile_finding(bench.library)
    return passed(diagnostics=[dataclasses.asdict(each) for each in bench.library.diagnostics])


def _reaches(bench: PluginBench, rng) -> Finding:
    found = bench.reach
    return passed() if found.level == "L1" and found.loads else failed(f"{found.reason} {found.rebuild}".strip())


def _self_contained(bench: PluginBench, rng) -> Finding:
    elf = bench.reach.elf
    if elf is None or not (calls := system_calls(elf)):
        return passed()
    return failed(
        f"The library calls {', '.join(calls)}: a plugin opens no files, starts no processes and leaves descriptors "
        "and memory protection alone. It is not loaded."
    )
