"""The exercises: one folder a chapter, and the runner that judges an answer."""

from grader.exercises.runner import check

__all__ = ["check"]
