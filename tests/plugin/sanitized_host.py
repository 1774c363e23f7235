"""The plugin host under AddressSanitizer and UndefinedBehaviorSanitizer: lives of the right plugins, fuzzed input.

Only the host is instrumented: what a plugin does to itself is the rules' business.
"""

from __future__ import annotations

import sys
from pathlib import Path

import building
import fuzz_plugins

from grader.plugin import life
from grader.plugin.build import HOST, build
from grader.plugin.objects import LifeProblem
from grader.plugin.session import PluginEnded, Session
from grader.sandbox import Limits
from grader.simulator.runtime.client import RuntimeDevice

# The host has its own handlers of faults, and ends without taking anything down.
ENVIRONMENT = {
    "ASAN_OPTIONS": "detect_leaks=0:handle_segv=0:handle_sigbus=0:use_sigaltstack=0:abort_on_error=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}
LIMITS = Limits(wall_seconds=120, memory_bytes=8 << 30, processes=64)
ROUNDS = 2000


def session(program: Path, name: str, device) -> Session:
    return Session(building.built(name), device=device, program=[str(program)], limits=LIMITS, environment=ENVIRONMENT)


def whole_life(program: Path, name: str, device) -> None:
    spec = building.spec(name)
    for combination in spec.combinations()[:4]:
        with session(program, name, device) as first:
            stored = life.build(life.create(first, spec), spec, combination)
        with session(program, name, device) as second:
            plugin = life.revive(second, stored)
            life.end(life.attach(plugin), plugin)
            second.unload()


def damaged(program: Path, name: str, device) -> None:
    for what in ("blobs", "fields"):
        if given := fuzz_plugins.samples(name, what):
            with session(program, name, device) as one:
                creator = life.find_creator(one, building.spec(name)).number
                one.ask("fuzz", [what, creator, 1, ROUNDS, given], method=f"fuzz {what}")


def main() -> int:
    wrong = 0
    program = build(HOST, flags=("-fsanitize=address,undefined", "-fno-sanitize-recover=all"))
    with RuntimeDevice.start() as device:
        for name in building.names():
            for part in (whole_life, damaged):
                try:
                    part(program, name, device)
                except (PluginEnded, LifeProblem) as problem:
                    wrong += 1
                    print(f"{name}, {part.__name__}: {problem}")
                    if isinstance(problem, PluginEnded):
                        print(problem.outcome.stderr[-3000:])
    print(f"{len(building.names())} right plugins, {ROUNDS} damaged inputs of each kind: {wrong} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
