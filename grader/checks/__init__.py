"""Reusable checks. Each owns a misconception, says one public sentence and names its source."""

from grader.checks import elementwise
from grader.checks.base import Check, Finding, failed, passed
from grader.checks.cases import Case, In, Out, Tolerance, grid_1d
from grader.checks.values import POISON, compare, mismatch, unwritten

__all__ = [
    "POISON", "Case", "Check", "Finding", "In", "Out", "Tolerance", "compare", "elementwise", "failed", "grid_1d",
    "mismatch", "passed", "unwritten",
]  # fmt: skip
