"""Hostile and broken submissions through `grader autograde`, in one class with honest ones, and what must hold then.

    python tests/classroom/hostile/grade_hostile.py                        all of them, in both kinds of confinement
    python tests/classroom/hostile/grade_hostile.py --confine landlock --only 'reads-*' --keep
    python tests/classroom/hostile/grade_hostile.py --sample 20 --seed 7   some, chosen at random

Exit status 0 only if every verdict is as named beforehand, the honest neighbours got exactly their points, nothing
leaked and nothing was left behind. ``--markdown FILE`` writes the table.
"""

from __future__ import annotations

import argparse
import ctypes
import fnmatch
import importlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import plugin_answers  # noqa: E402
from hostile_case import Case  # noqa: E402
from hostile_class import HostileClass, students  # noqa: E402

from grader.toolchain import lane  # noqa: E402

FAMILIES = (
    "kernels_compiling", "kernels_running", "host_code", "python_answers", "python_looks", "python_system",
    "notebooks", "folders", "plugin_answers",
)  # fmt: skip
_COPY = "HOSTILE_COURSE"  # in the environment of a run with the copy of the package that plugin answers need
KINDS = ("bubblewrap", "landlock")
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: what outlives its parents becomes a child of this process, and is seen
SAMPLE_SECONDS = 40.0  # what a sample may take by the cases' own estimates, on one processor


def families() -> dict[str, tuple[str, tuple[Case, ...]]]:
    """Module -> (title, cases)."""
    modules = {name: importlib.import_module(name) for name in FAMILIES}
    return {name: (module.TITLE, module.CASES) for name, module in modules.items()}


def all_cases() -> list[Case]:
    return [case for _, cases in families().values() for case in cases]


def sample(cases: list[Case], count: int, seed: int) -> list[Case]:
    """``count`` cases, of every family in turn, whose estimates fit into ``SAMPLE_SECONDS``."""
    draw = random.Random(seed)
    decks = [draw.sample(own, len(own)) for _, (_, own) in sorted(families().items())]
    wanted, chosen, left = {case.name for case in cases}, [], SAMPLE_SECONDS
    while any(decks) and len(chosen) < count:
        for deck in decks:
            while deck:
                case = deck.pop()
                if case.name in wanted and case.seconds * case.copies <= left and case.seconds < 5:
                    chosen.append(case)
                    left -= case.seconds * case.copies
                    break
    return chosen[:count]


def attack(cases: list[Case], confine: str | None, jobs: int, keep: bool) -> tuple[HostileClass, float]:
    place = Path(tempfile.mkdtemp(prefix="hostile-class-"))
    place.chmod(0o755)  # a child's user must get through to what it may see
    room = HostileClass(place, cases)
    try:
        room.build()
        seconds = room.grade(confine, jobs)
        room.verify()
    finally:
        for server in getattr(room, "servers", ()):
            server.close()
        if keep:
            print(f"kept: {place}")
        else:
            shutil.rmtree(place, ignore_errors=True)
    return room, seconds


def table(rooms: dict[str, HostileClass], cases: list[Case]) -> str:
    names = {case.name for case in cases}
    lines = ["| family | cases | " + " | ".join(f"wrong verdicts, {kind}" for kind in rooms) + " |"]
    lines.append("|---|---|" + "---|" * len(rooms))
    for title, own in families().values():
        mine = [case for case in own if case.name in names]
        wrong = (str(sum(case.name in room.wrong for case in mine)) for room in rooms.values())
        if mine:
            lines.append(f"| {title} | {len(mine)} | " + " | ".join(wrong) + " |")
    return "\n".join(lines)


def verdicts(rooms: dict[str, HostileClass], cases: list[Case]) -> str:
    names, lines = {case.name for case in cases}, []
    for title, own in families().values():
        mine = [case for case in own if case.name in names]
        if not mine:
            continue
        lines += ["", f"## {title}", "", "| case | what it tries | verdict | report |", "|---|---|---|---|"]
        for case in mine:
            found = list(dict.fromkeys(room.found.get(case.name, "none") for room in rooms.values()))
            tries = case.tries.replace("|", "\\|")
            lines.append(f"| `{case.name}` | {tries} | {', '.join(found)} | {case.source} |")
    return "\n".join(lines)


def again_with_plugins() -> int:
    """This run, in a process that has the chapter of plugin exercises."""
    with tempfile.TemporaryDirectory(prefix="hostile-course-") as folder:
        Path(folder).chmod(0o755)
        python = plugin_answers.lay_course(Path(folder))
        programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # nbgrader calls alembic
        return subprocess.run([python, *sys.argv], env={**os.environ, "PATH": programs, _COPY: folder}).returncode


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--confine", choices=(*KINDS, "none"), help="default: both kinds, one after the other")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--only", default="*", help="a pattern of names, or of a family's module")
    options.add_argument("--skip", default="", help="a pattern of names")
    options.add_argument("--sample", type=int, default=0)
    options.add_argument("--seed", type=int, default=None)
    options.add_argument("--keep", action="store_true", help="keep the class to look at")
    options.add_argument("--markdown", type=Path)
    chosen = options.parse_args()
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    cases = [
        case for name, (_, own) in families().items() for case in own
        if (fnmatch.fnmatch(case.name, chosen.only) or fnmatch.fnmatch(name, chosen.only))
        and not fnmatch.fnmatch(case.name, chosen.skip)
    ]  # fmt: skip
    if any(case.chapter == plugin_answers.CHAPTER for case in cases) and not chosen.sample:
        if not lane.state().ready:
            print(f"{plugin_answers.TITLE} are left out. {lane.state().sentence}")
            cases = [case for case in cases if case.chapter != plugin_answers.CHAPTER]
        elif _COPY not in os.environ:
            return again_with_plugins()
    if chosen.sample:
        seed = random.SystemRandom().randrange(10**6) if chosen.seed is None else chosen.seed
        print(f"a sample of {chosen.sample}, seed {seed}")
        cases = sample(cases, chosen.sample, seed)
    rooms, bad = {}, 0
    for kind in KINDS if chosen.confine is None else (chosen.confine,):
        began = time.monotonic()
        room, seconds = attack(cases, None if kind == "none" else kind, chosen.jobs, chosen.keep)
        rooms[kind] = room
        for name, problem in sorted(room.wrong.items()):
            print(f"WRONG {name}: {problem}")
        for problem in room.problems:
            print(f"PROBLEM {problem}")
        bad += len(room.wrong) + len(room.problems)
        handed_in = sum(len(students(case)) for case in cases)
        took = f"{seconds:.0f} s of grading ({time.monotonic() - began:.0f} s in all)"
        print(f"{kind}: {len(cases)} cases, {handed_in} submissions, {took}; ", end="")
        print(f"{len(room.wrong)} wrong verdicts, {len(room.problems)} other problems", flush=True)
    print(table(rooms, cases))
    if chosen.markdown:
        chosen.markdown.write_text(f"{table(rooms, cases)}\n{verdicts(rooms, cases)}\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main() if os.name == "posix" else 2)
