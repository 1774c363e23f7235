"""Runs some rules on a right plugin, or on one with a patch of ``tests/plugin/defects``."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

import building

from grader.checks.conformance import rules as _rules  # noqa: F401  (fills RULES)
from grader.checks.conformance.bench import Bench
from grader.checks.conformance.run import run_rules
from grader.plugin.spec_records import Spec
from grader.simulator.runtime.client import RuntimeDevice
from grader.verdict import CheckResult, State

DEFECTS = Path(building.__file__).parent / "defects"


def header(name: str) -> dict[str, str]:
    """The lines ``# key: value`` of a defect."""
    lines = (DEFECTS / f"{name}.patch").read_text().splitlines()
    return dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))


def defective(name: str) -> Path:
    """The library of a right plugin with this patch."""
    plugin = header(name)["plugin"]
    with tempfile.TemporaryDirectory() as folder:
        for file, data in building.sources(building.PLUGINS / plugin).items():
            (Path(folder) / file).write_bytes(data)
        patch = (DEFECTS / f"{name}.patch").read_bytes()
        subprocess.run(["patch", "-p1", "-s", "-d", folder], input=patch, check=True)
        return building.compiled(building.sources(Path(folder)), f"{plugin}.cpp", strict=False)


def results(library: Path, spec: Spec, only: Iterable[str], *, level: str = "L0") -> dict[str, CheckResult]:
    device = RuntimeDevice.start() if level > "L0" else None
    try:
        with Bench(library, spec, device=device) as bench:
            return {each.check: each for each in run_rules(bench, level=level, only=only)}
    finally:
        if device is not None:
            device.close()


def failures(found: dict[str, CheckResult]) -> dict[str, str]:
    """The messages of the rules that failed by themselves."""
    ok = State.PASS, State.UNSUPPORTED_HERE
    return {id: each.message for id, each in found.items() if each.state not in ok and each.blocked_by is None}
