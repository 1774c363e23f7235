"""A conformance report for other programs: JSON, JUnit XML, SARIF 2.1.0."""

from __future__ import annotations

import dataclasses
import json
import re
import xml.etree.ElementTree as xml
from pathlib import Path

from grader.checks.conformance.rule import GROUPS, RULES
from grader.checks.conformance.run import Report
from grader.verdict import CheckResult, State

SCHEMA = 1
_SKIPPED = (State.UNSUPPORTED_HERE,)
_SARIF = "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/main/sarif-2.1/schema/sarif-schema-2.1.0.json"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_json(report: Report) -> str:
    """One object: schema, library, level, reason, rebuild, state, seconds, notes, versions, the rules' results."""
    return json.dumps(
        {
            "schema": SCHEMA,
            "library": report.library,
            "level": report.level,
            "reason": report.reason,
            "rebuild": report.rebuild,
            "state": report.state,
            "seconds": round(report.seconds, 3),
            "notes": list(report.notes),
            "versions": report.versions,
            "results": [dataclasses.asdict(result) | {"belief": belief(result)} for result in report.results],
        },
        indent=1,
        allow_nan=False,
        default=str,
    )


def belief(result: CheckResult) -> str:
    """The misconception behind a rule, in words."""
    return RULES[result.check].belief if result.check in RULES else ""


def to_junit(report: Report) -> str:
    """A test suite for each group of rules; what could not run here, and what waits for another rule, is skipped."""
    root = xml.Element("testsuites", name="TensorRT plugin conformance")
    for group, title in GROUPS.items():
        results = [result for result in report.results if result.group == group]
        if results:
            suite = xml.SubElement(root, "testsuite", name=title, tests=str(len(results)))
            counts = {"failures": 0, "errors": 0, "skipped": 0}
            for result in results:
                _case(suite, report, result, counts)
            for name, count in counts.items():
                suite.set(name, str(count))
    xml.indent(root)
    return xml.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: xml.Element, report: Report, result: CheckResult, counts: dict[str, int]) -> None:
    seconds = result.detail.get("seconds", 0)
    name = Path(report.library).stem
    case = xml.SubElement(
        suite, "testcase", classname=f"{name}.{result.group}", name=result.check, time=f"{seconds:.4f}"
    )
    if result.state is State.PASS:
        return
    if result.state in _SKIPPED or result.blocked_by:
        counts["skipped"] += 1
        xml.SubElement(case, "skipped", message=_xml(result.message))
        return
    kind = "failures" if result.state is State.FAIL else "errors"
    counts[kind] += 1
    found = xml.SubElement(
        case, "failure" if kind == "failures" else "error", message=_xml(result.message), type=result.state
    )
    found.text = _xml(f"The rule: {result.sentence}\nSource: {result.source}")


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)


def to_sarif(report: Report) -> str:
    """A run with one rule for each conformance rule and one result for each that failed by itself."""
    ids = [result.check for result in report.results]
    rules = [
        {
            "id": result.check,
            "shortDescription": {"text": result.sentence},
            "fullDescription": {"text": f"{result.sentence} Often believed: {belief(result)}"},
            "help": {"text": result.source},
            "defaultConfiguration": {"level": "error"},
        }
        for result in report.results
    ]
    location = {"physicalLocation": {"artifactLocation": {"uri": Path(report.library).as_posix()}}}
    results = [
        {
            "ruleId": result.check,
            "ruleIndex": ids.index(result.check),
            "level": "error",
            "message": {"text": result.message or result.sentence},
            "locations": [location],
        }
        for result in report.failed
    ]
    tool = {"driver": {"name": "grader plugin conform", "version": report.versions.get("grader", ""), "rules": rules}}
    notes = [{"level": "note", "message": {"text": text}} for text in (report.reason, *report.notes) if text]
    invocation = {"executionSuccessful": report.state is not State.GRADER_FAULT, "toolExecutionNotifications": notes}
    run = {"tool": tool, "results": results, "invocations": [invocation]}
    return json.dumps({"$schema": _SARIF, "version": "2.1.0", "runs": [run]}, indent=1)
