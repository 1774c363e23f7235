"""Hostile and broken libraries through the whole of `grader plugin conform`; all of them when this is run by itself.

Each case is one library (``libraries/hostile``), copied under the name that tells it what to do. What must hold: a
verdict, in bounded time, that the library does not pass unless it did no harm; reports that can be printed; no process
left.
"""

from __future__ import annotations

import io
import json
import os
import random
import re
import shutil
import sys
import tempfile
import time
import xml.etree.ElementTree as xml
from dataclasses import dataclass
from pathlib import Path

import building
from rich.console import Console

from grader.checks.conformance import reports
from grader.checks.conformance.run import Report, conform
from grader.cli.plugin import exit_status, show
from grader.plugin.build import build
from grader.plugin.spec import load_spec
from grader.simulator.runtime.build import build_cudart
from grader.verdict import State

FOLDER = building.PLUGINS.parent / "libraries" / "hostile"
MOST_SECONDS = 60.0  # a hang costs 10 seconds once, and half a second in every other rule
PASSES = "passes"  # what does no harm that a rule knows of

# Where and what (``hostile.cpp``, ``misdeeds.cpp``), and the rule that must fail; "" where any may.
CASES = """
static.exit loads | static.hang loads | static.null loads | static.throw loads | static.fork | static.forge loads
static.forge-many loads | static.close loads | static.overwrite | static.unlink
creator.abort loads | creator.throw loads | creator.hang loads
setLoggerFinder.null loads | setLoggerFinder.forge loads
getCreators.exit-0 loads | getCreators.throw loads | getCreators.recurse loads | getCreators.forge loads
getCreators.lie-null creators | getCreators.lie-none creators | getCreators.lie-negative creators
getCreators.lie-huge loads | getCreators.lie-wild loads | getCreators.lie-wild-creator loads
getCreators.lie-null-creator creators
log.odd passes | log.null passes | log.flood passes | log.wild loads
creatorName.lie-wild loads | creatorName.lie-null creators | creatorName.lie-odd creators
creatorName.lie-huge creators | creatorName.lie-changing creators
creatorKind.lie-odd creators | creatorKind.lie-wild loads | creatorKind.lie-null creators
getFieldNames.lie-null fields-advertised | getFieldNames.lie-wild | getFieldNames.lie-huge-count
getFieldNames.lie-negative-count fields-advertised | getFieldNames.lie-wild-name | getFieldNames.lie-odd-name
getFieldNames.lie-huge-name fields-advertised | getFieldNames.lie-huge-length passes | getFieldNames.lie-no-type passes
getFieldNames.hang
createPlugin.hang | createPlugin.eat | createPlugin.throw-odd exceptions | createPlugin.throw-long exceptions
createPlugin.lie-wild capabilities | createPlugin.lie-null | createPlugin.lie-same
constructor.throw | constructor.exit | destructor.abort | destructor.hang | destructor.throw exceptions
clone.lie-wild capabilities | clone.lie-null clone-equal | clone.lie-same clone-equal | clone.hang
getCapabilityInterface.lie-null capabilities | getCapabilityInterface.lie-wild capabilities
getPluginName.lie-wild identity | getPluginName.lie-odd identity | getPluginName.lie-huge identity
getPluginName.lie-changing identity | getPluginName.forge-list identity | getPluginNamespace.lie-null identity
getNbOutputs.lie-huge output-types | getNbOutputs.lie-many output-types | getNbOutputs.lie-negative output-types
getNbOutputs.lie-zero output-types | getNbOutputs.lie-changing output-types | getNbOutputs.hang output-types
configurePlugin.lie-status configure | configurePlugin.null configure
supportsFormatCombination.lie-all | supportsFormatCombination.lie-none formats-complete
supportsFormatCombination.lie-changing formats-complete | supportsFormatCombination.hang formats-complete
getOutputDataTypes.lie-no-type output-types | getOutputDataTypes.lie-nothing output-types
getOutputDataTypes.lie-past-end output-types
getOutputShapes.lie-huge-rank shapes | getOutputShapes.lie-negative-rank shapes | getOutputShapes.lie-wild shapes
getOutputShapes.lie-nothing shapes | getOutputShapes.lie-past-end shapes | getOutputShapes.lie-size-tensor size-tensor
getOutputShapes.lie-deep shapes | getOutputShapes.lie-large shapes | getOutputShapes.lie-endless shapes
getOutputShapes.lie-divide shapes
getWorkspaceSize.lie-2^63 | getWorkspaceSize.lie-2^40 | getWorkspaceSize.lie-2^33 | getWorkspaceSize.lie-all
getValidTactics.lie-past-end tactics | getNbTactics.lie-huge tactics | getNbTactics.lie-negative tactics
getTimingCacheID.lie-wild timing-cache | getTimingCacheID.lie-odd | getTimingCacheID.lie-huge
getTimingCacheID.lie-changing timing-cache
getFormatCombinationLimit.lie-huge passes | getFormatCombinationLimit.lie-negative formats-limit
getMetadataString.lie-huge | getMetadataString.lie-odd | getMetadataString.lie-wild metadata
getAliasedInput.lie-huge | getAliasedInput.lie-negative
setTactic.abort | onShapeChange.lie-status | onShapeChange.hang
attachToContext.lie-wild | attachToContext.lie-same attach | attachToContext.lie-null attach
getFieldsToSerialize.lie-null | getFieldsToSerialize.lie-wild | getFieldsToSerialize.lie-huge-count
getFieldsToSerialize.lie-negative-count | getFieldsToSerialize.lie-wild-fields | getFieldsToSerialize.lie-no-fields
getFieldsToSerialize.lie-wild-name | getFieldsToSerialize.lie-odd-name | getFieldsToSerialize.lie-huge-name
getFieldsToSerialize.lie-wild-data | getFieldsToSerialize.lie-huge-length | getFieldsToSerialize.lie-long-length
getFieldsToSerialize.lie-negative-length | getFieldsToSerialize.lie-no-type
enqueue.lie-status status | enqueue.lie-nothing | enqueue.exit-0 status | enqueue.quick-exit status
enqueue.abort status | enqueue.hang status | enqueue.sleep status | enqueue.deaf-hang status | enqueue.stop status
enqueue.throw exceptions | enqueue.throw-number exceptions | enqueue.throw-odd exceptions | enqueue.own-terminate status
enqueue.null status | enqueue.wild status | enqueue.device host-access | enqueue.divide status | enqueue.recurse status
enqueue.eat status | enqueue.fork | enqueue.daemon | enqueue.threads | enqueue.thread-crash status
enqueue.thread-exit status | enqueue.close status | enqueue.close-device status | enqueue.no-descriptors
enqueue.forge status | enqueue.forge-list status | enqueue.forge-many status | enqueue.damage status
enqueue.flood status | enqueue.forge-device status | enqueue.damage-device status | enqueue.flood-device status
enqueue.at-exit | enqueue.fault-loop status | enqueue.ignore-faults status | enqueue.alarm
enqueue.kill-group status | enqueue.talk passes | enqueue.last-words | enqueue.unlink | enqueue.overwrite
v2nothing.nothing passes | v2getTensorRTVersion.lie-odd | v2getPluginNamespace.lie-wild identity
v2getNbOutputs.lie-huge output-types | v2getOutputDataType.lie-no-type output-types
v2getOutputDimensions.lie-huge-rank shapes | v2getOutputDimensions.lie-wild shapes | v2configurePlugin.hang
v2initialize.abort | v2terminate.null | v2getSerializationSize.lie-2^63 | v2getSerializationSize.lie-2^24
v2getSerializationSize.lie-changing blob-size | v2getSerializationSize.hang | v2serialize.lie-past-end blob-size
v2serialize.lie-far-past-end | v2destroy.abort | v2clone.lie-wild | v2clone.lie-null
v2attachToContext.throw exceptions
v2detachFromContext.exit | v2createPlugin.lie-wild | v2deserializePlugin.lie-wild | v2deserializePlugin.lie-past-end
v2deserializePlugin.eat
enqueue.chdir passes | enqueue.reset | unload.hang passes | unload.abort passes
"""


@dataclass(frozen=True)
class Case:
    name: str  # "enqueue.hang"
    owner: str  # the rule that must fail; "" where any may; PASSES


def cases() -> list[Case]:
    found = (each.split() for line in CASES.strip().splitlines() for each in line.split("|"))
    return [Case(row[0], row[1] if len(row) > 1 else "") for row in found]


def sample(count: int, seed: int) -> list[Case]:
    return random.Random(seed).sample(cases(), count)


def library() -> Path:
    return build(FOLDER, shared=True, flags=["-Wl,--no-as-needed", str(build_cudart())])


def judge(case: Case) -> tuple[Report, float]:
    """Run one; ``AssertionError`` says what does not hold."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{case.name}.so"
        shutil.copy(library(), path)
        began = time.perf_counter()
        spec = "hostile_v2" if case.name.startswith("v2") else "hostile"
        report = conform(path, load_spec(FOLDER / f"{spec}.toml"))
        seconds = time.perf_counter() - began
        left = processes_with(folder)
    assert not left, f"{case.name}: processes are left: {left}"
    assert seconds < MOST_SECONDS, f"{case.name} took {seconds:.0f} s"
    check(case, report)
    check_forms(case, report)
    return report, seconds


def check(case: Case, report: Report) -> None:
    failed = {each.check: each.message for each in report.failed}
    assert report.state is not State.GRADER_FAULT, f"{case.name}: a fault of the grader: {failed}"
    if case.owner == PASSES:
        assert not failed, f"{case.name}: {failed}"
    elif case.owner:
        assert case.owner in failed, f"{case.name}: {case.owner} should have failed, not {failed}"
    for message in failed.values():
        assert len(message) < 2500 and not re.search("[\x00-\x08\x0e-\x1f\x7f-\x9f]", message), (
            f"{case.name}: {message!r}"
        )
    assert exit_status(report) == (1 if failed else 0)


def check_forms(case: Case, report: Report) -> None:
    assert json.loads(reports.to_json(report))["state"] == report.state, case.name
    assert json.loads(reports.to_sarif(report))["version"] == "2.1.0", case.name
    xml.fromstring(reports.to_junit(report))
    text = io.StringIO()
    show(report, Console(file=text, width=120, force_terminal=False), full=True)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text.getvalue()), f"{case.name}: {text.getvalue()!r}"
    json.loads(report.trace.to_json())


def processes_with(folder: str) -> list[str]:
    """Processes that have a library of this folder mapped."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            if int(name) != os.getpid() and f"{folder}/" in Path(f"/proc/{name}/maps").read_text():
                found.append(name)
        except OSError:
            continue
    return found


def main(names: list[str]) -> int:
    wrong, worst = 0, 0.0
    chosen = [case for case in cases() if not names or case.name in names]
    for case in chosen:
        try:
            report, seconds = judge(case)
            worst = max(worst, seconds)
            said = ", ".join(f"{each.check}: {each.message[:100]}" for each in report.failed[:2]) or "nothing to blame"
            print(f"{case.name} {report.state} {seconds:.1f} s: {said}", flush=True)
        except AssertionError as problem:
            wrong += 1
            print(f"WRONG {problem}", flush=True)
    print(f"{len(chosen)} libraries, {wrong} wrong verdicts; the longest run took {worst:.1f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
