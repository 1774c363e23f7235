"""Run the checks of one exercise on one answer, and make the verdict."""

from __future__ import annotations

import hashlib
import importlib
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grader import course
from grader.checks import Check, Finding, failed
from grader.exercises import submission
from grader.gpu import DeviceUnavailable
from grader.sandbox import ChildEnded
from grader.simulator import DeviceError
from grader.verdict import CheckResult, Group, State, Verdict

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Job:
    """One answer to one exercise."""

    exercise: course.Exercise
    directory: Path
    device: str | None = None
    cells: Mapping[str, str] | None = None

    def files(self) -> dict[str, bytes] | Finding:
        return submission.read_files(self.exercise.files, self.directory)

    def cell(self) -> str | Finding:
        """The source of the answer cell of a Python exercise."""
        slug = self.exercise.slug
        if self.cells is not None:
            return self.cells.get(slug) or failed(f"The answer cell of {slug} is missing or empty.", state=State.ERROR)
        return submission.read_cell(f"{slug}-answer", self.directory)


def plan_of(exercise: course.Exercise):
    """The ``PLAN`` of an exercise's module."""
    module = f"grader.exercises.ch{exercise.chapter}.{exercise.slug.replace('-', '_')}"
    return importlib.import_module(module).PLAN


def check(
    slug: str,
    directory: Path | str,
    *,
    seed: int | None = None,
    hidden: bool = False,
    reveal: bool = False,
    tell: bool = False,
    device: str | None = None,
    cells: Mapping[str, str] | None = None,
    on_visible: Callable[[Verdict], None] | None = None,
) -> Verdict:
    """Check the answer in ``directory``.

    ``hidden`` also runs the seeded checks that passed with the cases of ``seed``. ``reveal`` is for people who learn
    by themselves: the hidden cases come only once everything visible passed, and tell what they found. ``tell`` is for
    instructors: all that ``hidden`` runs tells what it found. ``on_visible`` is given the verdict of the visible cases
    before the hidden ones start. ``device`` is "simulated", "cuda" or None (this machine's). Raises
    ``course.CourseError`` for an unknown exercise; anything else that goes wrong is in the verdict.
    """
    exercise = course.find(slug)
    started = time.perf_counter()
    job = Job(exercise, Path(directory), device, cells)
    plan = plan_of(exercise)
    checks = plan.all_checks()

    def verdict(results, counters=None, hidden_seed=None) -> Verdict:
        return Verdict.of(
            exercise=exercise.slug,
            revision=exercise.revision,
            checks=results,
            groups=[Group(id=g.id, title=g.title, points=g.points) for g in exercise.groups],
            device=_device_name(plan, device),
            seed=hidden_seed,
            seconds=round(time.perf_counter() - started, 3),
            counters=counters or {},
            provenance=provenance(exercise),
        )

    if lacking := _lacking(exercise):
        return verdict(_all_blocked(checks, lacking))
    try:
        bench = plan.bench(job)
        if isinstance(bench, Finding):
            return verdict(_all_blocked(checks, bench))
        with bench:
            results = _run_visible(checks, bench, exercise.slug)
            counters = dict(getattr(bench, "counters", {}))
            seen = verdict(results, counters)
            if on_visible:
                on_visible(seen)
            if not hidden or (reveal and seen.state not in (State.PASS, State.UNSUPPORTED_HERE)):
                return seen
            drawn = any(c.seeded and r.state is State.PASS for c, r in zip(checks, results, strict=True))
            return verdict(_run_hidden(checks, bench, results, seed, reveal or tell), counters, seed if drawn else None)
    except _ENDED as ended:
        return verdict(_all_blocked(checks, _finding_of(ended)))
    except Exception:
        log.exception("checking %s", slug)
        return verdict(_all_blocked(checks, _OUR_FAULT))


_ENDED = (DeviceError, DeviceUnavailable, ChildEnded)
_OUR_FAULT = failed(
    "Something in the grader broke, not in your answer. It costs you nothing; please report it.",
    state=State.GRADER_FAULT,
)


def _lacking(exercise: course.Exercise) -> Finding | None:
    """What says so where the exercise needs the plugin lane and it is not there."""
    if "plugin-lane" not in exercise.needs:
        return None
    from grader.toolchain import lane

    now = lane.state()
    return None if now.ready else failed(now.sentence, state=State.UNSUPPORTED_HERE)


def _run_visible(checks, bench, slug) -> list[CheckResult]:
    results: dict[str, CheckResult] = {}
    for each in checks:
        blocked = _blocked(each, results)
        results[each.id] = blocked or each.result(_run(each.run, each.id, bench, visible_seed(slug, each.id)))
    return list(results.values())


def _run_hidden(checks, bench, visible: list[CheckResult], seed: int, reveal: bool) -> list[CheckResult]:
    """The visible results, with a failure in place of each pass that the hidden cases of ``seed`` take back."""
    results: dict[str, CheckResult] = {}
    for each, result in zip(checks, visible, strict=True):
        if result.state is State.PASS:
            result = _blocked(each, results) or result
        if result.state is State.PASS and each.seeded:
            finding = _run(each.run_hidden or each.run, each.id, bench, seed)
            if finding.state is not State.PASS:
                result = each.result(finding, hidden=True, reveal=reveal)
        results[each.id] = result
    return list(results.values())


def _blocked(each: Check, results: Mapping[str, CheckResult]) -> CheckResult | None:
    """The record that says so, if a check that ``each`` needs did not pass."""
    blocker = next((need for need in each.needs if results[need].state is not State.PASS), None)
    if blocker is None:
        return None
    root = results[blocker].blocked_by or blocker
    state = results[root].state
    return each.blocked(root, State.ERROR if state is State.FAIL else state)


def _run(run: Callable[..., Finding], id: str, bench, seed: int) -> Finding:
    try:
        finding = run(bench, np.random.default_rng(seed))
    except _ENDED as ended:
        return _finding_of(ended)
    except Exception:
        log.exception("check %s", id)
        return _OUR_FAULT
    if not isinstance(finding, Finding):
        log.error("check %s returned %r", id, finding)
        return _OUR_FAULT
    return finding


def _finding_of(ended: Exception) -> Finding:
    if isinstance(ended, DeviceError):
        return failed(ended.sentence, state=ended.state)
    if isinstance(ended, DeviceUnavailable):
        return failed(f"{str(ended)[:1].upper()}{str(ended)[1:]}.", state=State.UNSUPPORTED_HERE)
    return failed(
        "The device process ended before it answered. It costs you nothing; please report it.", state=State.GRADER_FAULT
    )


def _all_blocked(checks, finding: Finding) -> list[CheckResult]:
    first, *rest = checks
    return [first.result(finding), *(each.blocked(first.id, finding.state) for each in rest)]


def _device_name(plan, device) -> str:
    if own := getattr(plan, "device", None):  # of plugins, which are judged on the simulated GPU alone
        return own
    if not getattr(plan, "kernels", None):
        return "host"
    from grader import gpu

    try:
        return device or gpu.device_kind()
    except DeviceUnavailable:
        return "none"


def visible_seed(slug: str, check_id: str) -> int:
    """The fixed seed of a check's visible cases: the same for everybody, every time."""
    return int.from_bytes(hashlib.sha256(f"{slug}/{check_id}".encode()).digest()[:8], "little")


# what an exercise needs -> the compiler that this names in its verdicts, and how to ask for its version
_COMPILERS = {"compiler": "nvrtc_version", "host-compiler": "host_compiler"}


def provenance(exercise: course.Exercise) -> dict[str, str]:
    """Versions of what judges the exercise, as plain words: with them a verdict can be reproduced."""
    import platform

    from grader import __version__, toolchain

    versions = {"grader": __version__, "python": platform.python_version(), "numpy": np.__version__}
    asked = [ask for need, ask in _COMPILERS.items() if need in exercise.needs]
    compilers = [getattr(toolchain, ask)() for ask in asked]
    if asked:
        versions["compiler"] = ", ".join(f"{c.name} {c.version}" for c in compilers if c) or "none"
    if "plugin-lane" in exercise.needs:
        from grader.toolchain import tensorrt

        headers = tensorrt.tensorrt_include()
        versions["tensorrt"] = f"headers of {tensorrt.headers_version(headers) or '?'}" if headers else "none"
    return versions
