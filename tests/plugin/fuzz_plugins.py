"""Random and damaged blobs and fields into the right plugins, and garbage into the parent's own reading of answers.

    python tests/plugin/fuzz_plugins.py --count 100000 --jobs 2 --seed 1

``--count`` blobs go through ``deserializePlugin`` of the V2 plugins, as many field sets through ``createPlugin`` of all
in both phases, and as many damaged answers through the parent (``garbage.py``). The inputs are made in the plugin
process (``grader/plugin/host/fuzz.cpp``); round i of a seed is the same at every run, so that a crash is found again.
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import building
import garbage

from grader.plugin import life
from grader.plugin.arguments import attribute_fields
from grader.plugin.session import PluginEnded, Session
from grader.simulator.runtime.client import RuntimeDevice

BATCH = 500


@dataclass
class Tally:
    rounds: int = 0
    made: int = 0  # plugins that came of it
    crashes: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.rounds, self.made, self.crashes = (
            self.rounds + other.rounds, self.made + other.made, self.crashes + other.crashes,
        )  # fmt: skip


def samples(name: str, what: str) -> list:
    """What a right plugin takes: its blobs, or its fields."""
    spec = building.spec(name)
    with RuntimeDevice.start() as device, Session(building.built(name), device=device) as session:
        fields = [[each.wire() for each in attribute_fields(spec)]]
        stored = life.build(life.create(session, spec), spec)
        if what == "blobs":
            return [stored.blob] if stored.blob is not None else []
        if stored.fields:
            fields.append([each.wire() for each in stored.fields])
        return fields


def run(name: str, what: str, first: int, count: int) -> Tally:
    """Rounds ``first`` to ``first + count`` of one plugin; after a crash it goes on behind it."""
    tally, given = Tally(), samples(name, what)
    at, end = first, first + count
    with RuntimeDevice.start() as device:
        while given and at < end:
            with Session(building.built(name), device=device) as session:
                creator = life.find_creator(session, building.spec(name)).number
                while at < end:
                    size = min(BATCH, end - at)
                    try:
                        made, refused = session.ask("fuzz", [what, creator, at, size, given], method=f"fuzz {what}")
                    except PluginEnded as ended:
                        worst = _culprit(name, what, device, creator, at, size, given)
                        tally.crashes.append(f"{name}: {what}, round {worst}: {ended.words.sentence}")
                        size = worst + 1 - at if worst is not None else size
                        at += size
                        tally.rounds += size
                        break
                    at, tally.rounds, tally.made = at + size, tally.rounds + made + refused, tally.made + made
    return tally


def _culprit(name, what, device, creator, at: int, size: int, given) -> int | None:
    """The round that ends a fresh process by itself; None where it takes several."""
    for number in range(at, at + size):
        with Session(building.built(name), device=device) as session:
            try:
                session.ask("fuzz", [what, creator, number, 1, given], method="")
            except PluginEnded:
                return number
    return None


def everything(count: int, seed: int, jobs: int = 1) -> dict[str, Tally]:
    """So many blobs, field sets and answers, shared among the plugins."""
    names = building.names()
    old = [each for each in names if samples(each, "blobs")]
    first = seed * 1_000_000_000
    tasks = [(name, "blobs", first, -(-count // len(old))) for name in old]
    tasks += [(name, "fields", first, -(-count // len(names))) for name in names]
    tallies = {"blobs": Tally(), "fields": Tally(), "answers": Tally(*garbage.read(seed, count))}
    with ThreadPoolExecutor(jobs) as pool:
        for (_, what, *_), tally in zip(tasks, pool.map(lambda task: run(*task), tasks), strict=True):
            tallies[what].add(tally)
    return tallies


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    began, crashes = time.perf_counter(), []
    for what, tally in everything(options.count, options.seed, options.jobs).items():
        print(f"{what}: {tally.rounds} rounds, {tally.made} accepted, {len(tally.crashes)} crashes")
        crashes += tally.crashes
    for crash in crashes[:40]:
        print(f"  {crash}")
    print(f"seed {options.seed}, {time.perf_counter() - began:.0f} s")
    return 1 if crashes else 0


if __name__ == "__main__":
    sys.exit(main())
