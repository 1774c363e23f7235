"""Kills `grader autograde` again and again, and takes it up each time: the end must be that of an undisturbed run.

python tests/classroom/grading_kills.py --moments 20    SIGKILL of the whole process group at random moments
python tests/classroom/grading_kills.py --steps 0       SIGKILL before each single step of writing, one run each

`--steps 5` takes five of the steps by chance. The seed is printed; `--seed` repeats a run. Exit status 0: all is well.
"""

import argparse
import contextlib
import io
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import classroom_toy as toy  # noqa: E402

ANSWERS = ("right", "half", "hidden", "pending", "wrong", "boom", "right slow", "half slow", "wrong slow", "die")
WRITES = ("os.rename", "os.mkdir", "os.remove", "os.rmdir", "shutil.rmtree")


def make_class(root: Path) -> Path:
    """A class of twelve, released and handed in."""
    from grader.classroom.create import create
    from grader.classroom.session import Session

    tree, _ = create(root / "class")
    session = Session(tree)
    session.release(toy.NAME)
    session.mark_released(toy.NAME)
    classroom = toy.Classroom(tree)
    for number in range(12):
        answer = f"{ANSWERS[number % len(ANSWERS)]} // {number}"
        classroom.hand_in(f"s{number:02}", cu=answer, book=b"{" if number == 11 else None)
    return tree.root


def start(root: Path, *words: str, before=lambda: None) -> int:
    """`grader autograde` in a process group of its own; its process number."""
    pid = os.fork()
    if pid:
        return pid
    os.setsid()
    os.chdir(root)
    before()
    from grader.cli.main import app

    status = 70
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            app(["autograde", *words], standalone_mode=True)
    except SystemExit as end:
        status = end.code or 0
    finally:
        os._exit(status)


def finish(root: Path) -> None:
    """Take the run up, undisturbed, to its end."""
    status = os.waitstatus_to_exitcode(os.waitpid(start(root, *words(root)), 0)[1])
    assert status == 3, f"the run that was taken up ended with {status}"  # of "boom" and "die"
    assert not (root / "results" / "run.json").exists()


def words(root: Path) -> list[str]:
    """What an instructor types now."""
    return ["--resume"] if (root / "results" / "run.json").exists() else ["10", "--trust-submissions", "--jobs", "2"]


def state(root: Path) -> dict:
    """All that a run leaves, but for times; that feedback can be written is tried."""
    from nbgrader.api import Gradebook

    from grader.classroom.session import Session
    from grader.classroom.tree import ClassTree

    found = {}
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        for submission in book.assignment_submissions(toy.NAME):
            (notebook,) = submission.notebooks
            grades = [(g.name, g.auto_score, g.manual_score, g.needs_manual_grade) for g in notebook.grades]
            comments = [(c.name, c.auto_comment) for c in notebook.comments]
            found[f"row of {submission.student.id}"] = sorted(grades), sorted(comments)
    for path in sorted((root / "results").rglob("result.json")):
        data = json.loads(path.read_text())
        for verdict in data["verdicts"].values():
            verdict["seconds"] = 0
        found[str(path.relative_to(root))] = data | {"graded": "", "run": ""}
    for path in sorted((root / "autograded").rglob("*")):
        found[str(path.relative_to(root))] = path.read_bytes() if path.is_file() else None
    for path in sorted((root / "results").rglob("*")):
        found[f"name {path.relative_to(root)}"] = None
    Session(ClassTree(root)).feedback(toy.NAME)
    pages = sorted(str(path.relative_to(root)) for path in (root / "feedback").rglob("*.html"))
    shutil.rmtree(root / "feedback")
    return found | {"pages": pages}


def differences(one: dict, other: dict) -> list[str]:
    return sorted(name for name in {*one, *other} if one.get(name, 0) != other.get(name, 0))


def at_moments(fresh: Path, place: Path, expected: dict, moments: int, chance: random.Random, seconds: float) -> list:
    """Kill at so many moments of runs that take about `seconds`; where a run ends first, a new class begins."""
    wrong, killed, classes, root = [], 0, 0, None
    while killed < moments:
        if root is None:
            classes += 1
            root = shutil.copytree(fresh, place / f"moments {classes}", symlinks=True)
        moment = chance.uniform(0, seconds)
        pid = start(root, *words(root))
        time.sleep(moment)
        over = os.waitpid(pid, os.WNOHANG)[0]
        if not over:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            killed += 1
            print(f"  killed after {moment:.2f} s", flush=True)
        if over or killed == moments:
            finish(root)
            wrong += differences(expected, state(root))
            root = None
    print(f"  {killed} kills of {classes} classes", flush=True)
    return wrong


def at_steps(fresh: Path, place: Path, expected: dict, some: int, chance: random.Random) -> list:
    """Kill before single steps of writing: `some` by chance, or, for 0, every one."""
    count = place / "steps"
    root = shutil.copytree(fresh, place / "counted", symlinks=True)
    pid = start(root, "10", "--trust-submissions", "--jobs", "2", before=lambda: _hook(root, count, None))
    os.waitpid(pid, 0)
    steps = range(1, int(count.read_text()) + 1)
    print(f"  {len(steps)} steps", flush=True)
    wrong = []
    for step in sorted(chance.sample(steps, some)) if some else steps:
        root = shutil.copytree(fresh, place / f"step {step}", symlinks=True)
        pid = start(root, "10", "--trust-submissions", before=lambda root=root, step=step: _hook(root, count, step))
        os.waitpid(pid, 0)
        finish(root)
        wrong += [f"step {step}: {name}" for name in differences(expected, state(root))]
        shutil.rmtree(root)
    return wrong


def _hook(root: Path, count: Path, kill_at: int | None) -> None:
    """Count what this process changes below `root`; before the step `kill_at` it is gone."""
    seen = [0]

    def heard(event, arguments):
        writes = event in WRITES or event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_ACCMODE
        if writes and str(arguments[0]).startswith(str(root)):
            seen[0] += 1
            if seen[0] == kill_at:
                os.killpg(0, signal.SIGKILL)
            if kill_at is None:
                descriptor = os.open(str(count), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.write(descriptor, str(seen[0]).encode())
                os.close(descriptor)

    sys.addaudithook(heard)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moments", type=int, default=0)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    asked = parser.parse_args()
    print(f"seed {asked.seed}", flush=True)
    chance = random.Random(asked.seed)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        os.environ["GRADER_CACHE"] = str(place / "cache")
        toy.make_course(place / "course")
        toy.patch(place / "course", workers=True)
        fresh = make_class(place)
        calm = shutil.copytree(fresh, place / "calm", symlinks=True)
        began = time.monotonic()
        finish(calm)
        seconds = time.monotonic() - began
        expected, wrong = state(calm), []
        print(f"  undisturbed: {seconds:.2f} s, {len(expected)} facts", flush=True)
        if asked.moments:
            wrong += at_moments(fresh, place, expected, asked.moments, chance, seconds)
        if asked.steps is not None:
            wrong += at_steps(fresh, place, expected, asked.steps, chance)
    for name in wrong:
        print(f"DIFFERENT: {name}")
    print("all as in an undisturbed run" if not wrong else f"{len(wrong)} differences, seed {asked.seed}")
    return bool(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
