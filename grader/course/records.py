"""What a `chapter.toml` says, as plain frozen records. `grader.course.reader` makes and checks them."""

from __future__ import annotations

from dataclasses import dataclass

from grader.verdict import Group

STAGES = ("foundations", "development", "performance", "engineering")
KINDS = ("kernel", "cpp", "python", "plugin")
TRACKS = ("core", "full", "bonus")
# What a machine must have for an exercise to be judged on it.
NEEDS = ("compiler", "host-compiler", "simulated-gpu", "plugin-lane", "gpu", "tensorrt")
HINT_RUNGS = 4


@dataclass(frozen=True, kw_only=True)
class ContractRow:
    """One row of an exercise's contract: what must hold, in words. Checks cite rows."""

    row: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Hint:
    """One rung of the hint ladder: what to look at, the rule, a smaller example, the line to change."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Misconception:
    """A wrong belief that at least one check catches; `id` is what checks and variants name."""

    id: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Explain:
    """A short answer in the learner's own words, graded by a person with the rubric."""

    id: str
    points: float
    prompt: str
    rubric: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """One graded exercise. `chapter` is its chapter's name (a folder name), `number` its number."""

    slug: str
    alias: str
    title: str
    kind: str
    track: str
    points: float
    revision: int
    files: tuple[str, ...]  # handed in, plain names; the first is the main one; empty for a Python exercise
    cell: str | None  # id of the answer of a Python exercise, None for files
    needs: tuple[str, ...]
    wall_seconds: float
    summary: str
    contract: tuple[ContractRow, ...]
    groups: tuple[Group, ...]
    hints: tuple[Hint, ...]
    misconceptions: tuple[Misconception, ...]
    chapter: str
    number: int

    @property
    def dotted(self) -> str:
        """The short name that people type: `10.forward`."""
        return f"{self.number}.{self.alias}"


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """One chapter. `name` is its folder's name in every tree and, with `.ipynb`, its notebook's."""

    number: int
    name: str
    slug: str
    title: str
    stage: str
    prerequisites: tuple[int, ...]
    core_minutes: int
    full_minutes: int
    summary: str
    explain: Explain | None
    exercises: tuple[Exercise, ...]
    kit: tuple[str, ...] = ()  # files of `plugin_skeletons/common/` that stand in the chapter's folder `common/`

    @property
    def points(self) -> float:
        """All points of the chapter, those of a person's grading included."""
        explained = self.explain.points if self.explain else 0
        return explained + sum(exercise.points for exercise in self.exercises)
