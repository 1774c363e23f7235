"""What `grader prove` and `python -m grader.proof verify` do."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import sys
from collections import Counter
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from grader import course
from grader.proof import keys
from grader.proof.answer import Place, ProofError
from grader.proof.judge import Judge
from grader.proof.kept import keep, standing
from grader.proof.proving import Proof, Prover

HERE = Path(__file__).resolve().parents[2]
SAMPLED = 6  # variants, alternatives and mutants each, of a stale proof that is proven again


def prove(
    slugs: list[str],
    *,
    as_json: bool = False,
    root: Path = HERE,
    jobs: int | None = None,
    judge: Judge | None = None,
) -> int:
    """Prove the exercises named (slugs or aliases), all without one; keep the proofs in `tests/proofs`."""
    try:
        exercises = _exercises(root, slugs)
    except course.CourseError as problem:
        print(problem, file=sys.stderr)
        return 2
    proofs = []
    try:
        with judge or Judge(jobs=_jobs(jobs)) as judges:
            for exercise in exercises:
                proofs.append(_proof(Place(root, exercise), judges))
                if not as_json:
                    print(_shown(proofs[-1]), flush=True)
    except BrokenProcessPool:
        print("A worker was ended from outside. What was judged is kept: prove again to go on.", file=sys.stderr)
        return 3
    if as_json:
        print(json.dumps(_summary(proofs), indent=1, ensure_ascii=False))
    else:
        proven = sum(proof.proven for proof in proofs)
        print(f"{proven} of {len(proofs)} exercises proven")
        print(f"{judges.judged} answers judged, {judges.recalled} recalled from the cache")
    if any(proof.grader_fault for proof in proofs):
        return 3
    return 0 if all(proof.proven for proof in proofs) else 1


def verify(
    *,
    sample: int = 1,
    seed: int | None = None,
    root: Path = HERE,
    jobs: int | None = None,
    judge: Judge | None = None,
) -> int:
    """Hold every kept proof against the files; prove `sample` stale ones again, drawn with `seed`."""
    try:
        exercises = _exercises(root, [])
    except course.CourseError as problem:
        print(problem, file=sys.stderr)
        return 2
    standings = {exercise.slug: standing(Place(root, exercise)) for exercise in exercises}
    wanting = {slug: found for slug, found in standings.items() if found.state in ("missing", "outdated")}
    for slug, found in wanting.items():
        print(f"{slug}: not proven: {found.reason}; run `grader prove {slug}`")
    orphans = sorted({path.stem for path in (root / "tests" / "proofs").glob("*.json")} - standings.keys())
    for slug in orphans:
        print(f"tests/proofs/{slug}.json: there is no such exercise; remove the file")
    stale = [slug for slug, found in standings.items() if found.state == "stale"]
    fresh = len(standings) - len(wanting) - len(stale)
    print(f"proofs: {fresh} fresh, {len(stale)} stale, {len(wanting)} wanting, of {len(standings)} exercises")
    failed = bool(wanting or orphans)
    if stale:
        seed = random.SystemRandom().randrange(1 << 32) if seed is None else seed
        chosen = random.Random(seed).sample(stale, min(sample, len(stale)))
        changed = sorted({word for slug in stale for word in standings[slug].reason.split(", ")})
        print(f"stale since {', '.join(changed)} changed: {', '.join(stale)}; run `grader prove`")
        if chosen:
            print(f"proving again with seed {seed}, {SAMPLED} variants and mutants each: {', '.join(chosen)}")
        by_slug = {exercise.slug: exercise for exercise in exercises}
        with judge or Judge(jobs=_jobs(jobs)) as judges:
            for slug in chosen:
                place = Place(root, by_slug[slug])
                proof = Prover(place, judges, log=_log, sample=SAMPLED, seed=seed).prove()
                print(_shown(proof))
                failed = failed or not proof.proven
    return 1 if failed else 0


def _proof(place: Place, judge: Judge) -> Proof:
    """Prove one exercise and keep the proof, unless the exercise's files changed meanwhile.

    The proof names the surroundings that it began with: where they changed meanwhile, it is stale at once.
    """
    try:
        key, proven_with = keys.key(place), keys.surroundings(place.root, plugins=keys.with_plugins(place))
    except ProofError:
        key, proven_with = "", {}  # the prover says what is missing
    proof = Prover(place, judge, log=_log).prove()
    if not proof.proven:
        place.proof.unlink(missing_ok=True)
    elif keys.key(place) != key:
        proof.problems.append("its files changed while it was being proven; prove it again")
    else:
        keep(place, proof, key, proven_with)
    return proof


def _exercises(root: Path, slugs: list[str]) -> list[course.Exercise]:
    tree = course.Tree(root)
    if slugs:
        return list({found.slug: found for found in (course.find(slug, tree) for slug in slugs)}.values())
    return [exercise for chapter in course.chapters(tree) for exercise in chapter.exercises]


def _jobs(jobs: int | None) -> int:
    return jobs if jobs is not None else min(2, os.cpu_count() or 1)


def _log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _shown(proof: Proof) -> str:
    fates: Counter[str] = Counter()
    for counted in proof.mutants.values():
        fates.update(counted)
    each = ", ".join(f"{number} {fate.replace('_', ' ')}" for fate, number in sorted(fates.items()))
    line = (
        f"{proof.exercise}: {'proven' if proof.proven else 'NOT PROVEN'}: "
        f"{proof.misconceptions} misconceptions, {proof.variants} variants, "
        f"{proof.alternatives} alternatives, {fates.total()} mutants ({each or 'none'})"
    )
    return "\n".join([line, *(f"  {problem}" for problem in proof.problems)])


def _summary(proofs: list[Proof]) -> dict:
    return {
        "schema": 1,
        "proven": all(proof.proven for proof in proofs),
        "exercises": [{"proven": proof.proven, **dataclasses.asdict(proof)} for proof in proofs],
    }
