"""The report of a run on the real engine: what is in it, and whether a document that someone sends is one.

``docs/engine_report.md`` describes it. A report holds no path, no user and no machine's name.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grader.verdict import State

KIND, SCHEMA = "tensorrt-plugin-engine-report", 1
MOST_BYTES = 64 << 20

# Key to type, or to a list of one table for a list of such objects. A key with "?" may be null.
_CALL = {"seq": int, "object": str, "interface": str, "method": str, "seconds": (int, float)}
_RULE = {"rule": str, "sentence": str, "held?": bool, "occasions": int}
_OUTPUT = {"name": str, "shape": list, "expected_shape?": list, "state": str, "largest_error?": (int, float)}
_RUN = {"at": str, "extents": dict, "milliseconds?": (int, float), "outputs": [_OUTPUT]}
_COMBINATION = {"types": list, "state": str, "sentence": str, "build?": dict, "runs": [_RUN], "calls": [_CALL],
                "order": [_RULE], "outline": list, "messages": list, "layers": list}  # fmt: skip
_REPORT = {"kind": str, "schema": int, "state": str, "sentence": str, "machine": dict, "library": dict, "plugin": dict,
           "trace": str, "combinations": [_COMBINATION]}  # fmt: skip


def empty(library: Path) -> dict[str, Any]:
    """A report with nothing found yet."""
    try:
        digest = hashlib.sha256(library.read_bytes()).hexdigest()
    except OSError:
        digest = ""
    return {
        "kind": KIND,
        "schema": SCHEMA,
        "state": State.UNSUPPORTED_HERE.value,
        "sentence": "",
        "machine": {"platform": platform.machine(), "python": platform.python_version()},
        "library": {"file": library.name, "sha256": digest},
        "plugin": {},
        "trace": "",
        "combinations": [],
    }


def problems(report: Any) -> list[str]:
    """What keeps a document from being a report, each with its place; empty for a good one."""
    if not isinstance(report, dict) or report.get("kind") != KIND:
        return [f'It is no report: "kind" must be "{KIND}".']
    if report.get("schema") != SCHEMA:
        return [f"It is a report of schema {report.get('schema')}; this tool reads schema {SCHEMA}."]
    found = list(_wrong(report, _REPORT, ""))
    if report.get("state") not in {state.value for state in State}:
        found.append(f"state: {report.get('state')} is no state.")
    return found


def write(report: Mapping[str, Any], path: Path) -> None:
    path.write_text(json.dumps(report, indent=1, allow_nan=False) + "\n")


def read(path: Path) -> dict[str, Any]:
    """``ValueError`` with one sentence for each problem, one a line."""
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"It is larger than {MOST_BYTES >> 20} MB.")
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"It is no JSON: {error}.") from None
    if found := problems(report):
        raise ValueError("\n".join(found))
    return report


def _wrong(value: Mapping[str, Any], table: Mapping[str, Any], place: str):
    for key, kind in table.items():
        name = key.rstrip("?")
        here = f"{place}{name}"
        if name not in value:
            yield f"{here}: is missing."
        elif value[name] is None and key.endswith("?"):
            continue
        elif isinstance(kind, list):
            if not isinstance(value[name], list):
                yield f"{here}: must be a list."
                continue
            for index, item in enumerate(value[name]):
                if isinstance(item, dict):
                    yield from _wrong(item, kind[0], f"{here}[{index}].")
                else:
                    yield f"{here}[{index}]: must be an object."
        elif not isinstance(value[name], kind) or (isinstance(value[name], bool) and kind is not bool):
            yield f"{here}: has the wrong type, {type(value[name]).__name__}."


def main(files: list[str]) -> int:
    """``python -m grader.plugin.engine.report FILE...``: 0 where all are reports."""
    status = 0
    for name in files:
        try:
            report = read(Path(name))
            print(f"{name}: a report of {report['plugin'].get('name')}, {report['state']}")
        except (OSError, ValueError) as error:
            status = 1
            print("\n".join(f"{name}: {line}" for line in str(error).splitlines()))
    return status


if __name__ == "__main__":
    import sys

    sys.exit(main(sys.argv[1:]))
