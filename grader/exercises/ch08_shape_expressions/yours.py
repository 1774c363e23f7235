"""The plugin in the learner's own folder, driven as the worked example is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader import course
from grader.checks import Finding
from grader.exercises.ch08_shape_expressions.relative_position_bias import PLAN
from grader.exercises.ch08_shape_expressions.story import Driven, drive
from grader.plugin.build import HostUnavailable
from grader.plugin.life import LifeProblem
from grader.plugin.session import PluginEnded
from grader.plugin.spec import load_spec
from grader.plugin.spec_records import Spec
from grader.verdict import State


@dataclass(frozen=True)
class _Library:
    library: Path
    spec: Spec


def drive_yours(runs: Sequence[tuple[int, Mapping[str, int]]], folder: Path | str = ".") -> Driven | None:
    """RelativePositionBias of the files in ``folder``; where it is not that far yet, a line says why."""
    exercise = course.find("relative-position-bias", course.pristine())
    built = PLAN.build({name: Path(folder, name).read_bytes() for name in exercise.files}, exercise)
    if isinstance(built, Finding) or built.state is not State.PASS:
        print(f"Not yet: {built.message}")
        return None
    try:
        return drive(_Library(built.path, load_spec(Path(__file__).with_name(PLAN.spec))), runs)
    except (LifeProblem, PluginEnded, HostUnavailable) as problem:
        print(f"Not yet: {problem}")
        return None
