"""A check that owns a misconception, and can fail for another reason than that somebody has it."""

from __future__ import annotations

import dataclasses

from grader.checks.base import Check, Finding
from grader.verdict import CheckResult


class BeliefCheck(Check):
    """Of a failure whose finding has ``no_belief=True`` in its detail, no belief is told.

    Where nothing was answered yet, nobody thought anything, and the belief would give the answer away.
    """

    def result(self, finding: Finding, **how) -> CheckResult:
        result = super().result(finding, **how)
        return dataclasses.replace(result, misconception=None) if finding.detail.get("no_belief") else result
