"""A conformance report for other programs: JSON, JUnit XML, SARIF 2.1.0."""

from __future__ import annotations

import dataclasses
import json
import re
import xml.etree.ElementTree as xml
from pathlib import Path
from urllib.parse import quote

from grader.checks.conformance.rule import GROUPS, RULES
from grader.checks.conformance.run import Report
from grader.verdict import CheckResult, State, worst

SCHEMA = 1
_SKIPPED = (State.UNSUPPORTED_HERE,)
_SARIF = "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/main/sarif-2.1/schema/sarif-schema-2.1.0.json"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_json(*reports: Report) -> str:
    """One object: schema, library, plugin, level, reason, rebuild, state, seconds, notes, versions, the rules' results.

    Several plugins of one library: an object with schema, library, state, seconds, and such objects under ``plugins``.
    """
    found = [_as_object(report) for report in reports]
    if len(found) > 1:
        state = worst(report.state for report in reports)
        seconds = round(sum(report.seconds for report in reports), 3)
        found = [
            {"schema": SCHEMA, "library": reports[0].library, "state": state, "seconds": seconds, "plugins": found}
        ]
    return json.dumps(found[0], indent=1, allow_nan=False, default=str)


def _as_object(report: Report) -> dict:
    name, version, namespace = report.plugin or (None, None, None)
    return {
        "schema": SCHEMA,
        "library": report.library,
        "plugin": {"name": name, "version": version, "namespace": namespace} if report.plugin else None,
        "level": report.level,
        "reason": report.reason,
        "rebuild": report.rebuild,
        "state": report.state,
        "seconds": round(report.seconds, 3),
        "notes": list(report.notes),
        "versions": report.versions,
        "results": [dataclasses.asdict(result) | {"belief": belief(result)} for result in report.results],
    }


def plugin_name(report: Report) -> str:
    """ "ScaleShift 1", with the namespace before it where it has one; "" where there is no creator."""
    name, version, namespace = report.plugin or (None, None, None)
    return f"{namespace + '::' if namespace else ''}{name or ''} {version or ''}".strip()


def belief(result: CheckResult) -> str:
    """The misconception behind a rule, in words."""
    return RULES[result.check].belief if result.check in RULES else ""


def to_junit(*reports: Report) -> str:
    """A test suite for each group of rules; what could not run here, and what waits for another rule, is skipped."""
    root = xml.Element("testsuites", name="TensorRT plugin conformance")
    for report in reports:
        for group, title in GROUPS.items():
            results = [result for result in report.results if result.group == group]
            if results:
                named = f"{plugin_name(report)}: {title}" if len(reports) > 1 else title
                suite = xml.SubElement(root, "testsuite", name=_xml(named), tests=str(len(results)))
                counts = {"failures": 0, "errors": 0, "skipped": 0}
                for result in results:
                    _case(suite, report, result, counts)
                for name, count in counts.items():
                    suite.set(name, str(count))
    xml.indent(root)
    return xml.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: xml.Element, report: Report, result: CheckResult, counts: dict[str, int]) -> None:
    seconds = result.detail.get("seconds", 0)
    name = ".".join(filter(None, (Path(report.library).stem, (report.plugin or ("",))[0])))
    case = xml.SubElement(
        suite, "testcase", classname=_xml(f"{name}.{result.group}"), name=result.check, time=f"{seconds:.4f}"
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


def to_sarif(*reports: Report) -> str:
    """One run, with one rule for each conformance rule and one result for each that failed by itself."""
    rules = list({result.check: _sarif_rule(result) for report in reports for result in report.results}.values())
    ids = [each["id"] for each in rules]
    results = [_sarif_result(report, result, ids) for report in reports for result in report.failed]
    notes = dict.fromkeys(text for report in reports for text in (report.reason, *report.notes) if text)
    invocation = {
        "executionSuccessful": all(report.state is not State.GRADER_FAULT for report in reports),
        "toolExecutionNotifications": [{"level": "note", "message": {"text": text}} for text in notes],
    }
    driver = {"name": "grader plugin conform", "version": reports[0].versions.get("grader", "0"), "rules": rules}
    run = {"tool": {"driver": driver}, "results": results, "invocations": [invocation]}
    return json.dumps({"$schema": _SARIF, "version": "2.1.0", "runs": [run]}, indent=1)


def _sarif_rule(result: CheckResult) -> dict:
    return {
        "id": result.check,
        "shortDescription": {"text": result.sentence},
        "fullDescription": {"text": f"{result.sentence} Often believed: {belief(result)}"},
        "help": {"text": result.source or result.sentence},
        "defaultConfiguration": {"level": _sarif_level(result)},
    }


def _sarif_level(result: CheckResult) -> str:
    """A rule that no document demands gives a warning."""
    return "warning" if result.check in RULES and RULES[result.check].recommended else "error"


def _sarif_result(report: Report, result: CheckResult, ids: list[str]) -> dict:
    """``partialFingerprints``: so that a finding is the same one in the next run, though a binary has no lines."""
    location: dict = {"physicalLocation": {"artifactLocation": {"uri": artifact(report.library)}}}
    if name := plugin_name(report):
        location["logicalLocations"] = [{"name": name, "kind": "type"}]
    return {
        "ruleId": result.check,
        "ruleIndex": ids.index(result.check),
        "level": _sarif_level(result),
        "message": {"text": f"{name}: {result.message or result.sentence}" if name else result.message},
        "locations": [location],
        "partialFingerprints": {"pluginRule/v1": f"{name}/{result.check}"},
    }


def artifact(library: str) -> str:
    """The library as a SARIF location: relative to the current folder where it lies in it, else a file: URI."""
    path = Path(library)
    try:
        return quote(path.relative_to(Path.cwd()).as_posix())
    except ValueError:
        return path.as_uri() if path.is_absolute() else quote(path.as_posix())
