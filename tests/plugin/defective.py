"""The defective plugins of ``defects/``: each a patch on a right plugin, which says beforehand what it must fail.

A header's lines, besides those of any variant (``grader/proof/patch.py``): ``plugin`` (the folder that is patched),
``report`` (public reports of this defect, if there are any) and ``first-named`` (owner and ``also`` as they were first
named, where a run showed the naming to be wrong).
"""

from __future__ import annotations

import functools
import hashlib
import json
import time
from dataclasses import dataclass, field
from pathlib import Path

import building

import grader
from grader.checks.conformance.run import Report, conform
from grader.proof.patch import PatchError, Variant, read_variant
from grader.verdict import State

HERE = Path(__file__).parent
PATCHES = HERE / "defects"
KEPT = HERE / "defects.json"
_MORE = ("plugin", "report", "first-named")
# What judges: with other code here a kept result says less.
_ROOMS = ("plugin", "checks/conformance", "simulator/runtime")


@dataclass(frozen=True)
class Subject:
    """A library to be judged: a right plugin, or one with a defect. ``must_fail`` is empty for a right one."""

    name: str
    plugin: str
    patch: Variant | None = None

    @property
    def must_fail(self) -> frozenset[str]:
        return frozenset() if self.patch is None else self.patch.also | {self.patch.owner}

    @property
    def report(self) -> str:
        return self.patch.more.get("report", "") if self.patch else ""

    def files(self) -> dict[str, bytes]:
        """``PatchError`` where the patch does not fit."""
        files = building.sources(building.PLUGINS / self.plugin)
        return self.patch.apply(files) if self.patch else files

    @property
    def key(self) -> str:
        """Of everything that is the subject's own: sources, spec, reference, patch."""
        folder = building.PLUGINS / self.plugin
        paths = [path for path in sorted(folder.iterdir()) if path.is_file()]
        patch = [PATCHES / f"{self.name}.patch"] if self.patch else []
        return _digest([*paths, *patch])


@dataclass
class Judged:
    """What a run said: the messages of the rules that failed by themselves. ``problems``: why that is not right."""

    name: str
    failed: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    build_seconds: float = 0.0
    run_seconds: float = 0.0


def defect(path: Path) -> Subject:
    patch = read_variant(path, _MORE)
    if "plugin" not in patch.more:
        raise PatchError(f"{path.name}: the header needs '# plugin: ...'")
    return Subject(patch.name, patch.more["plugin"], patch)


def defects() -> list[Subject]:
    return [defect(path) for path in sorted(PATCHES.glob("*.patch"))]


def right() -> list[Subject]:
    return [Subject(name, name) for name in building.names()]


def judge(subject: Subject) -> Judged:
    """Build it and drive it through all rules."""
    found = Judged(subject.name)
    began = time.perf_counter()
    try:
        library = building.compiled(subject.files(), f"{subject.plugin}.cpp", strict=subject.patch is None)
    except (AssertionError, PatchError) as problem:
        found.problems.append(f"it is not built: {problem}")
        return found
    found.build_seconds = time.perf_counter() - began
    report = conform(library, building.spec(subject.plugin))
    found.run_seconds = report.seconds
    found.failed = {each.check: each.message for each in report.failed}
    found.problems += _problems(subject, report)
    return found


def _problems(subject: Subject, report: Report) -> list[str]:
    problems = []
    if report.level != "L1" and "loads" not in subject.must_fail:
        problems.append(f"it reaches {report.level} only: {report.reason}")
    failed = {each.check for each in report.failed}
    known = {each.check for each in report.results}
    states = {each.check: each.state for each in report.results}
    problems += [f"rule {name} is at fault itself" for name in sorted(failed) if states[name] is State.GRADER_FAULT]
    problems += [f"there is no rule {name}" for name in sorted(subject.must_fail - known)]
    problems += [f"rule {name} must fail, and does not" for name in sorted(subject.must_fail & known - failed)]
    problems += [
        f"rule {each.check} fails too: {each.message}" for each in report.failed if each.check not in subject.must_fail
    ]
    return problems


def kept() -> dict[str, dict]:
    """What ``prove_defects.py`` kept, by name: "key", "with" and "failed" of each."""
    return json.loads(KEPT.read_text()) if KEPT.exists() else {}


def keep(subjects: list[Subject], judged: list[Judged]) -> None:
    """Add what went well, forget what went wrong and what is gone."""
    names = {subject.name for subject in (*defects(), *right())}
    entries = {name: entry for name, entry in kept().items() if name in names}
    for subject, found in zip(subjects, judged, strict=True):
        entries.pop(subject.name, None)
        if not found.problems:
            entries[subject.name] = {"key": subject.key, "with": surroundings(), "failed": sorted(found.failed)}
    lines = [f' "{name}": {json.dumps(entry)}' for name, entry in sorted(entries.items())]
    KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def standing(subject: Subject, entries: dict[str, dict]) -> str:
    """One of "fresh", "stale" (only what judges has changed), "outdated" (it or its plugin has), "missing"."""
    entry = entries.get(subject.name)
    if entry is None:
        return "missing"
    if entry["key"] != subject.key:
        return "outdated"
    return "fresh" if entry["with"] == surroundings() else "stale"


@functools.cache
def surroundings() -> str:
    """The hash of what judges."""
    rooms = [Path(grader.__file__).parent / room for room in _ROOMS]
    return _digest(
        path
        for room in rooms
        for path in sorted(room.rglob("*"))
        if path.is_file() and path.suffix not in (".pyc", ".so")
    )


def _digest(paths) -> str:
    lines = [f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in paths]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
