"""Plain records: what a check found, and what an exercise earned."""

from grader.verdict.records import CheckResult, Diagnostic, Group, State, Verdict, worst

__all__ = ["CheckResult", "Diagnostic", "Group", "State", "Verdict", "worst"]
