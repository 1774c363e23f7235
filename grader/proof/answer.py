"""Where skeleton, solution, variants and proof of an exercise lie, and what a learner has to write."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.course import Exercise
from grader.proof.patch import PatchError, Variant, read_variant


class ProofError(Exception):
    """A file that a proof needs is missing or wrong; the text says which and what to do."""


@dataclass(frozen=True)
class Place:
    """The files of one exercise in the clone at `root`."""

    root: Path
    exercise: Exercise

    @property
    def names(self) -> tuple[str, ...]:
        """The files of an answer; a Python answer is one file that bears the exercise's name."""
        return self.exercise.files or (f"{self.exercise.slug.replace('-', '_')}.py",)

    @property
    def variants_folder(self) -> Path:
        return self.root / "tests" / "variants" / self.exercise.slug

    @property
    def proof(self) -> Path:
        return self.root / "tests" / "proofs" / f"{self.exercise.slug}.json"

    def skeleton(self) -> dict[str, bytes]:
        """What the learner starts from. Raises ProofError."""
        if self.exercise.kind != "python":
            return self._read(self.root / "plugin_skeletons" / self.exercise.chapter)
        from grader.exercises.submission import read_cell

        source = read_cell(f"{self.exercise.slug}-answer", self.root / "course" / self.exercise.chapter)
        if not isinstance(source, str):
            raise ProofError(f"course/{self.exercise.chapter}: {source.message}")
        return {self.names[0]: source.encode()}

    def solution(self) -> dict[str, bytes]:
        """The right answer. Raises ProofError."""
        return self._read(self.root / "solutions" / self.exercise.chapter)

    def variants(self) -> list[Variant]:
        """Wrong and alternative answers, by name. Raises ProofError for a patch that cannot be read."""
        try:
            return [read_variant(path) for path in sorted(self.variants_folder.glob("*.patch"))]
        except PatchError as problem:
            raise ProofError(f"tests/variants/{self.exercise.slug}/{problem}") from None

    def _read(self, folder: Path) -> dict[str, bytes]:
        try:
            return {name: (folder / name).read_bytes() for name in self.names}
        except OSError as problem:
            file = Path(problem.filename or folder).relative_to(self.root).as_posix()
            raise ProofError(f"{file}: cannot be read: {problem.strerror}") from None


def gaps(skeleton: Mapping[str, bytes], solution: Mapping[str, bytes]) -> dict[str, set[int]]:
    """For each file the lines (from 1) of the solution that the skeleton lacks: what a learner writes."""
    found = {}
    for name, data in solution.items():
        before = [line.strip() for line in skeleton.get(name, b"").decode().splitlines()]
        after = [line.strip() for line in data.decode().splitlines()]
        matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
        found[name] = {
            line + 1
            for tag, _, _, start, end in matcher.get_opcodes()
            if tag in ("replace", "insert")
            for line in range(start, end)
        }
    return found
