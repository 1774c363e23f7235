"""What findings say to people: printable, with an end, in the words of the plugin's own interface family."""

from __future__ import annotations

import re
from dataclasses import replace

from grader.checks.base import Finding
from grader.checks.conformance.bench import Bench
from grader.plugin.life import LifeProblem
from grader.plugin.session import HostProblem, HostUnavailable, PluginEnded
from grader.sandbox.wire import printable

_LONGEST = 2000  # characters of a message
# Rules speak of IPluginV3. What takes the place of a method in IPluginV2DynamicExt.
_V2 = {
    "getOutputShapes": "getOutputDimensions",
    "getOutputDataTypes": "getOutputDataType",
    "onShapeChange": "configurePlugin",
    "getPluginName": "getPluginType",
}
_V3_METHOD = re.compile(rf"\b({'|'.join(_V2)})\(")


def worded(finding: Finding, bench: Bench) -> Finding:
    """A finding as it is told. Texts of the plugin's own, as its names and its exceptions are, may stand in it."""
    message = finding.message
    if _V3_METHOD.search(message) and _is_v2(bench):
        message = _V3_METHOD.sub(lambda found: f"{_V2[found[1]]}(", message)
    if len(message) > _LONGEST:
        message = f"{message[: _LONGEST // 2]} … {message[-_LONGEST // 2 :]}"
    return replace(finding, message=printable(message), detail=printable(finding.detail))


def _is_v2(bench: Bench) -> bool:
    try:
        return bench.once("is V2", lambda: not bench.is_v3)
    except (LifeProblem, HostProblem, HostUnavailable, PluginEnded):
        return False
