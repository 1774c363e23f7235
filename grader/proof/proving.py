"""Proves one exercise: the skeleton fails kindly, right answers pass, each wrong one fails where it should.

Wrong answers are the variants, each with the check that must catch it, and the solution's automatic mutants.
"""

from __future__ import annotations

import random
import tomllib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from grader.proof import keys
from grader.proof.answer import Place, ProofError, gaps
from grader.proof.code import compiled_code
from grader.proof.judge import Judge, Result, Task
from grader.proof.mutants import OPERATORS, Mutant, mutants
from grader.proof.patch import PatchError, Variant
from grader.verdict import State

SEEDS = (1, 2, 3)  # of hidden cases: all for right answers, the first for wrong ones
VARIANTS_NEEDED, VARIANTS_NEEDED_IN_CHAPTER_0 = 6, 2
SHORTEST_MESSAGE = 15  # letters; less tells a learner nothing
_BUILD_CHECKS = {"compiles", "defines"}
_NO_EVIDENCE = {State.GRADER_FAULT, State.UNSUPPORTED_HERE}

Log = Callable[[str], None]


@dataclass
class Proof:
    """What was proven of one exercise, and what was not: no problem, no gap in the proof."""

    exercise: str
    problems: list[str] = field(default_factory=list)
    grader_fault: bool = False
    misconceptions: int = 0
    checks: int = 0
    variants: int = 0
    alternatives: int = 0
    mutants: dict[str, dict[str, int]] = field(default_factory=dict)
    survivors: list[dict[str, str]] = field(default_factory=list)

    @property
    def proven(self) -> bool:
        return not self.problems and not self.grader_fault


class Prover:
    """Proves one exercise with a judge. Where `sample` is given, with only so many variants, alternatives and mutants,
    drawn with `seed`."""

    def __init__(self, place: Place, judge: Judge, *, log: Log, sample: int | None = None, seed: int = 0):
        self.place, self.judge, self.log, self.sample, self.seed = place, judge, log, sample, seed
        self.exercise = place.exercise
        self.proof = Proof(self.exercise.slug, misconceptions=len(self.exercise.misconceptions))

    def prove(self) -> Proof:
        try:
            self._prove()
        except ProofError as problem:
            self._problem(str(problem))
        return self.proof

    def _prove(self) -> None:
        skeleton, solution, variants = self.place.skeleton(), self.place.solution(), self.place.variants()
        # Alone and first: then all that follow link the one object that is kept of each file they share with it.
        code = (self.judge.code_of or compiled_code)(self.exercise.slug, self.exercise.kind, solution)
        first, *solved = self._judge([self._task(skeleton), *(self._task(solution, seed) for seed in SEEDS)])
        self._skeleton(first)
        self.proof.checks = len(solved[0].checks)
        for seed, result in zip(SEEDS, solved, strict=True):
            self._right("the solution", seed, result)
        if any(result.state != State.PASS for result in solved):
            return  # nothing that follows would mean anything
        self._variants(variants, solution, solved[0])
        self._mutants(skeleton, solution, code)

    def _task(self, files: dict[str, bytes], seed: int | None = None, same_as: str | None = None) -> Task:
        return Task(self.exercise.slug, self.exercise.kind, files, seed, same_as)

    def _judge(self, tasks: list[Task], what: str = "") -> list[Result]:
        def progress(done: int, total: int) -> None:
            if what and (done % 20 == 0 or done == total):
                self.log(f"{self.exercise.slug}: {done} of {total} {what}")

        return self.judge.many(tasks, lambda: keys.judging(self.place), progress)

    def _problem(self, text: str) -> None:
        self.proof.problems.append(text)

    def _sound(self, who: str, result: Result) -> bool:
        """Whether a result is evidence at all, and every check that failed says why."""
        for check, found in result.failed.items():
            if found["state"] == State.GRADER_FAULT:
                self.proof.grader_fault = True
            if found["state"] in _NO_EVIDENCE:
                self._problem(
                    f"{who}: check {check} gave no verdict here ({found['state']}): {found['message']}"
                )
                return False
            if len(found["message"].strip()) < SHORTEST_MESSAGE:
                self._problem(
                    f"{who}: check {check} fails without a message that helps: {found['message']!r}"
                )
        if result.state == State.GRADER_FAULT and not result.failed:
            self.proof.grader_fault = True
            self._problem(f"{who}: no verdict: a group of points has no check")
            return False
        return True

    def _skeleton(self, result: Result) -> None:
        if self._sound("the skeleton", result) and result.state == State.PASS:
            self._problem("the skeleton passes as it is shipped: there is nothing left to do")

    def _right(self, who: str, seed: int, result: Result) -> None:
        if self._sound(who, result) and result.state != State.PASS:
            for check, found in result.failed.items():
                self._problem(f"{who} fails check {check} with seed {seed}: {found['message']}")

    def _variants(self, variants: list[Variant], solution: dict[str, bytes], solved: Result) -> None:
        patched: dict[str, dict[str, bytes]] = {}
        for variant in variants:
            try:
                patched[variant.name] = variant.apply(solution)
            except PatchError as problem:
                self._problem(str(problem))
        wrong = [v for v in variants if not v.alternative and v.name in patched]
        right = [v for v in variants if v.alternative and v.name in patched]
        self.proof.variants, self.proof.alternatives = len(wrong), len(right)
        self._coverage(wrong, solved, patched)
        wrong, right = self._drawn(wrong), self._drawn(right)
        tasks = [self._task(patched[v.name], SEEDS[0]) for v in wrong]
        tasks += [self._task(patched[v.name], seed) for v in right for seed in SEEDS]
        results = iter(self._judge(tasks, "variants"))
        for variant in wrong:
            self._wrong(variant, next(results), solved)
        for variant in right:
            for seed in SEEDS:
                self._right(f"the alternative {variant.name}", seed, next(results))

    def _drawn(self, variants: list[Variant]) -> list[Variant]:
        """Those that are judged: all, or where a sample is wanted so many."""
        if self.sample is None or self.sample >= len(variants):
            return variants
        return random.Random(self.seed).sample(variants, self.sample)

    def _coverage(self, wrong: list[Variant], solved: Result, patched: dict[str, dict[str, bytes]]) -> None:
        """Every misconception and every check that owns one has a variant, and there are enough of them."""
        needed = VARIANTS_NEEDED if self.exercise.number else VARIANTS_NEEDED_IN_CHAPTER_0
        if len(wrong) < needed:
            self._problem(f"{len(wrong)} wrong variants; at least {needed} are needed")
        covered = {variant.misconception for variant in wrong}
        for misconception in self.exercise.misconceptions:
            if misconception.id not in covered:
                self._problem(f"the misconception {misconception.id} of chapter.toml has no wrong variant")
        owners = {variant.owner for variant in wrong}
        for check, found in solved.checks.items():
            if found["misconception"] and check not in owners:
                self._problem(f"no variant shows that check {check} can fail")
        same: dict[tuple, str] = {}
        for name, files in patched.items():
            content = tuple(sorted(files.items()))
            if content in same:
                self._problem(f"the variants {same[content]} and {name} give the same files")
            same.setdefault(content, name)

    def _wrong(self, variant: Variant, result: Result, solved: Result) -> None:
        who = f"the variant {variant.name}"
        if not self._sound(who, result):
            return
        owner = solved.checks.get(variant.owner or "")
        if owner is None:
            self._problem(f"{who}: there is no check {variant.owner}; there are {', '.join(solved.checks)}")
            return
        known = {misconception.id for misconception in self.exercise.misconceptions}
        if variant.misconception not in known:
            self._problem(f"{who}: chapter.toml has no misconception {variant.misconception}")
        if owner["misconception"] != variant.misconception:
            theirs = owner["misconception"] or "none"
            self._problem(f"{who} is of {variant.misconception}, but check {variant.owner} owns {theirs}")
        for check in sorted(variant.also - solved.checks.keys()):
            self._problem(f"{who}: 'also' names {check}, which is no check")
        failed = result.failed
        if variant.owner not in failed:
            caught = ", ".join(failed) or "no check"
            self._problem(f"{who} must fail check {variant.owner}, but fails {caught}")
        elif failed[variant.owner]["hidden"]:
            self._problem(
                f"{who} fails check {variant.owner} on hidden cases only; a learner is not told at once"
            )
        for check in sorted(failed.keys() - variant.also - {variant.owner}):
            self._problem(f"{who} also fails check {check}, which its 'also' line does not name")
        for check in sorted((variant.also & solved.checks.keys()) - failed.keys() - result.blocked.keys()):
            self._problem(f"{who} passes check {check}, which its 'also' line names")

    def _mutants(self, skeleton: dict[str, bytes], solution: dict[str, bytes], code: str | None) -> None:
        regions = gaps(skeleton, solution)
        made = [m for name, data in solution.items() for m in mutants(name, data.decode(), regions[name])]
        complete = self.sample is None or self.sample >= len(made)
        if not complete:
            made = random.Random(self.seed).sample(made, self.sample or 0)
        tasks = [self._task({**solution, m.file: m.text.encode()}, SEEDS[0], code) for m in made]
        survivors: list[str] = []
        counts: dict[str, Counter[str]] = {}
        for mutant, result in zip(made, self._judge(tasks, "mutants"), strict=True):
            fate = self._fate(mutant, result)
            counts.setdefault(mutant.operator, Counter())[fate] += 1
            if fate == "survived":
                survivors.append(mutant.id)
        self.proof.mutants = {
            name: dict(sorted(counts[name].items())) for name in OPERATORS if name in counts
        }
        self._survivors(survivors, complete)

    def _fate(self, mutant: Mutant, result: Result) -> str:
        if result.same_code:
            return "same_code"
        states = {found["state"] for found in result.failed.values()}
        if State.GRADER_FAULT in states:
            self.proof.grader_fault = True
            self._problem(f"the grader broke on the mutant {mutant.id}")
            return "grader_fault"
        if result.failed.keys() & _BUILD_CHECKS:
            return "not_built"
        return "killed" if states - {State.UNSUPPORTED_HERE} else "survived"

    def _survivors(self, survivors: list[str], complete: bool) -> None:
        explained = explanations(self.place)
        for name in survivors:
            if name in explained:
                self.proof.survivors.append({"id": name, "why": explained[name]})
            else:
                self._problem(f"unexplained survivor: {name}")
        if complete:
            for name in explained.keys() - set(survivors):
                self._problem(f"survivors.toml explains what did not survive: {name}")


def explanations(place: Place) -> dict[str, str]:
    """Mutant id -> why it is equivalent, from `survivors.toml`. Raises ProofError."""
    path = place.variants_folder / "survivors.toml"
    shown = path.relative_to(place.root).as_posix()
    if not path.exists():
        return {}
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise ProofError(f"{shown}: {problem}") from None
    found: dict[str, str] = {}
    for entry in data.get("survivor", []):
        ids = entry.get("ids", [entry.get("id")])  # several mutants may be equivalent for one reason
        why = str(entry.get("why", ""))
        if len(entry) != 2 or not ids or len(why.split()) < 3 or not all(isinstance(i, str) for i in ids):
            raise ProofError(f"{shown}: a [[survivor]] has an id (or ids) and a sentence 'why': {entry}")
        for name in ids:
            if name in found:
                raise ProofError(f"{shown}: {name} is explained twice")
            found[name] = why
    if set(data) - {"survivor"}:
        raise ProofError(f"{shown}: only [[survivor]] tables belong there")
    return found
