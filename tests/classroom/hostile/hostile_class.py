"""A class of hostile and honest students on one machine, graded by the real command, and what came of it.

Around the class stand things that nobody may reach: a home with a file, a variable of the environment, servers,
another student's answer, the class secret. After the grading they are looked for in everything that was written.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import plugin_answers
from hostile_case import GELU, ROOT, WARM_UP, WORD, Case

import grader
from grader.classroom import demo, material
from grader.classroom.create import create
from grader.classroom.result import Result
from grader.classroom.scores import shown_state
from grader.classroom.session import Session
from grader.toolchain.cache import Cache

MARK = "hostile-mark"  # in the name of everything that a case leaves outside its folder
KEYS = range(0x484F5354, 0x484F5354 + 100)  # of what a case leaves with the kernel's System V calls
SCRIPT = "<script>document"
_COMMON = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/run/lock", "/etc", "/usr/lib", "/dev/mqueue")
_MOST_SECONDS = 3600
# What the honest neighbours earn, by chapter, in the order of the exercises; None: all.
NEIGHBOURS = {
    WARM_UP: {"a-right": None, "m-wrong": (0, 2, 3, 3, 3, 3), "z-unfinished": (0, 1, 0, 0, 0, 0)},
    GELU: {"a-right": None, "m-wrong": (7, 8, 6), "z-unfinished": (0, 0, 0)},
    plugin_answers.CHAPTER: {"a-right": (10, 0, 0)},  # the others are not handed in
}


def students(case: Case) -> list[str]:
    return [case.name] if case.copies == 1 else [f"{case.name}-{n + 1}" for n in range(case.copies)]


class HostileClass:
    """``place``: an empty folder. Everything is made in it; ``problems`` is what is wrong in the end."""

    def __init__(self, place: Path, cases: Sequence[Case]):
        self.place, self.cases = place, tuple(cases)
        self.home, self.temporary = place / "home", place / "tmp"
        self.chapters = sorted({case.chapter for case in cases})
        self.tokens = {what: f"canary{secrets.token_hex(12)}" for what in ("home", "environment", "neighbour")}
        self.problems: list[str] = []  # of the class as a whole
        self.wrong: dict[str, str] = {}  # case -> what is wrong with its verdict
        self.found: dict[str, str] = {}  # case -> the verdict that it got
        self.output = ""

    # --- before --------------------------------------------------------------------------------------------------

    def build(self) -> None:
        self.home.mkdir()
        self.temporary.mkdir(mode=0o777)
        (self.home / "canary.txt").write_text(self.tokens["home"])
        self._listen()
        self.tree, _ = create(self.place / "class")
        session = Session(self.tree)
        for chapter in self.chapters:
            session.release(chapter)
            self._hand_in_neighbours(chapter)
        places = {
            "HOME": self.home, "CLASS": self.tree.root, "COURSE": ROOT, "PORT": self.port,
            "PACKAGE": Path(grader.__file__).parent,
        }  # fmt: skip
        for case in self.cases:
            for student in students(case):
                self._hand_in(case, student, places)
        self.secret = self.tree.secret.read_text().strip()
        self.shm_before = _left_behind()

    def _listen(self) -> None:
        self.port, self.servers = 0, []
        for family, kind, address in (
            (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", None)),
            (socket.AF_INET6, socket.SOCK_STREAM, ("::1", None)), (socket.AF_UNIX, socket.SOCK_STREAM, "socket"),
            (socket.AF_UNIX, socket.SOCK_STREAM, f"\0{MARK}-"),
        ):  # fmt: skip
            try:
                server = socket.socket(family, kind)
                if isinstance(address, tuple):
                    address = (address[0], self.port if address[1] is None else address[1])
                elif address == "socket":
                    address = str(self.home / address)
                else:
                    address += str(self.port)
                server.bind(address)
            except OSError:  # no IPv6 here
                continue
            if kind == socket.SOCK_STREAM:
                server.listen(64)
            self.port = self.port or server.getsockname()[1]
            server.setblocking(False)
            self.servers.append(server)

    def _hand_in_neighbours(self, chapter: str) -> None:
        if chapter == plugin_answers.CHAPTER:
            bundled = {"right": {plugin_answers.FILE: plugin_answers.RIGHT.encode()}}
        else:
            bundled = demo.bundled(material.chapter(chapter))
        for name, files in bundled.items():
            student = {"right": "a-right", "wrong": "m-wrong", "unfinished": "z-unfinished"}[name]
            place = self.tree.submitted(student, chapter)
            place.mkdir(parents=True)
            for file, data in files.items():
                if student == "a-right" and file.endswith(".cu"):
                    data += f"// {self.tokens['neighbour']}\n".encode()
                (place / file).write_bytes(data)

    def _hand_in(self, case: Case, student: str, places: dict) -> None:
        place = self.tree.submitted(student, case.chapter)
        place.mkdir(parents=True)
        for name, data in case.files.items():
            data = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
            for key, value in places.items():
                data = data.replace(f"@{key}@".encode(), str(value).encode())
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(data)
        if case.folder:
            case.folder(place)

    # --- grading -------------------------------------------------------------------------------------------------

    def grade(self, confine: str | None, jobs: int) -> float:
        """Grade every chapter by the command; the seconds that it took. ``confine`` None: unconfined."""
        trust = ["--trust-submissions"] if confine is None else ["--confine", confine]
        began = time.monotonic()
        for chapter in self.chapters:
            self._run(["autograde", chapter, "--jobs", str(jobs), *trust], allowed=(0, 3))
        seconds = time.monotonic() - began
        for chapter in self.chapters:
            self._run(["class", "feedback", chapter], allowed=(0,))
        return seconds

    def _run(self, arguments: list[str], allowed) -> None:
        environment = {
            **os.environ, "HOME": str(self.home), "TMPDIR": str(self.temporary),
            "HOSTILE_CANARY": self.tokens["environment"],
            "XDG_CACHE_HOME": str(Cache("kernels").folder.parents[1]), "GRADER_DEVICE": "simulated",
        }  # fmt: skip
        command = [sys.executable, "-m", "grader.cli.main", *arguments, "--course", str(self.tree.root)]
        done = subprocess.run(
            command, env=environment, cwd=self.tree.root, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=_MOST_SECONDS,
        )  # fmt: skip
        self.output += done.stdout.decode("utf-8", "replace") + done.stderr.decode("utf-8", "replace")
        if done.returncode not in allowed:
            self.problems.append(f"grader {' '.join(arguments)} ended with {done.returncode}: {self.output[-2000:]}")

    # --- after ---------------------------------------------------------------------------------------------------

    def verify(self) -> None:
        for case in self.cases:
            for student in students(case):
                if problem := self._verdict(case, student):
                    self.wrong.setdefault(case.name, problem)
        for chapter in self.chapters:
            self._neighbours(chapter)
        self._gradebook()
        self._leaks()
        self._survivors()
        if any(map(_contacted, self.servers)):
            self.problems.append("a server of this machine was contacted")
        if (self.home / "canary.txt").read_text() != self.tokens["home"]:
            self.problems.append("a file of the home was changed")
        if self.tree.secret.read_text().strip() != self.secret:
            self.problems.append("the class secret was changed")

    def _verdict(self, case: Case, student: str) -> str:
        result = Result.read(self.tree.result(student, case.chapter))
        if case.ungraded:
            self.found[case.name] = "not graded" if result is None else "graded"
            told = " ".join(self.output.split())
            return "" if result is None and case.ungraded in told else "it was graded, or the reason was not told"
        if result is None:
            return "there is no result"
        wrong, said = [], {}
        for exercise in material.chapter(case.chapter).exercises:
            verdict = result.verdicts[exercise.slug]
            got = f"{shown_state(verdict)} {verdict.earned:g}"
            if exercise.slug not in case.expect:
                if verdict.earned or not result.missing.union(result.lost):
                    wrong.append(f"{exercise.slug}: {got}, though nothing was handed in")
                continue
            said[exercise.slug] = got
            if got not in _alternatives(case.expect[exercise.slug]):
                told = next((c.message for c in verdict.checks if c.state != "pass" and c.message), "")
                wrong.append(f"{exercise.slug}: {got}, not {case.expect[exercise.slug]}: {told[:200]}")
        kinds = {note.kind for note in result.notes}
        for kind in case.notes:
            if not kinds & set(kind.split("|")):
                wrong.append(f"no note of the kind {kind}")
        self.found[case.name] = said.get(next(iter(case.expect), ""), "missing")  # the exercise that it is about
        return "; ".join(wrong)

    def _neighbours(self, chapter: str) -> None:
        exercises = material.chapter(chapter).exercises
        for student, points in NEIGHBOURS[chapter].items():
            result = Result.read(self.tree.result(student, chapter))
            earned = result and tuple(result.verdicts[e.slug].earned for e in exercises)
            if earned != (points or tuple(e.points for e in exercises)):
                self.problems.append(f"{student} earned {earned} in {chapter}, not {points or 'all'}")

    def _gradebook(self) -> None:
        """Each automatic score is the verdict's, none was given by hand, and nobody is in it who handed nothing in."""
        from nbgrader.api import Gradebook

        known = {*NEIGHBOURS[WARM_UP], *(student for case in self.cases for student in students(case))}
        with Gradebook(f"sqlite:///{self.tree.database}") as book:
            if strangers := {student.id for student in book.students} - known:
                self.problems.append(f"the gradebook has {strangers}")
            for chapter in self.chapters:
                for submission in book.assignment_submissions(chapter):
                    result = Result.read(self.tree.result(submission.student.id, chapter))
                    for grade in (grade for part in submission.notebooks for grade in part.grades):
                        verdict = result.verdicts.get(grade.name) if result else None
                        if grade.manual_score is not None or (verdict and (grade.auto_score or 0) != verdict.earned):
                            self.problems.append(f"the gradebook's score of {submission.student.id}, {grade.name}")

    def _leaks(self) -> None:
        sought = {**self.tokens, "secret": self.secret, "code that got through": WORD}
        for path in [*_files(self.tree.root), *_files(self.home), *_files(self.temporary)]:
            inside = path.relative_to(self.place).parts
            if inside[1] in ("submitted", "source", "release", "class_secret") or path.name == "canary.txt":
                continue
            data = path.read_bytes()
            for what, token in sought.items():
                own = what == "neighbour" and ("a-right" in inside or path.name == "gradebook.db")
                if token.encode() in data and not own:
                    self.problems.append(f"leak: {what} in {'/'.join(inside[1:])}")
            if path.suffix == ".html" and SCRIPT.encode() in data:
                self.problems.append(f"leak: a script in {'/'.join(inside[1:])}")
            if inside[1] == "autograded" and path.suffix == ".ipynb" and _shows_script(data):
                self.problems.append(f"leak: a script in {'/'.join(inside[1:])}")
        self.problems += [f"leak: {what} in the output" for what, token in sought.items() if token in self.output]

    def _survivors(self) -> None:
        until = time.monotonic() + 5
        while (left := _children()) and time.monotonic() < until:  # the guard ends a moment after its grader
            time.sleep(0.1)
        self.problems += [f"survivor: process {line}" for line in left]
        self.problems += [f"survivor: {what}" for what in sorted(_left_behind() - self.shm_before)]
        self.problems += [f"survivor: {path}" for path in self.temporary.iterdir()]


def _alternatives(text: str) -> set[str]:
    """`fail|error 0 or pass 2` -> {"fail 0", "error 0", "pass 2"}."""
    pairs = (each.split() for each in text.split(" or "))
    return {f"{state} {points}" for states, points in pairs for state in states.split("|")}


def _files(folder: Path):
    for here, _, names in os.walk(folder):
        yield from (path for name in names if (path := Path(here, name)).is_file() and not path.is_symlink())


def _shows_script(notebook: bytes) -> bool:
    """In a place that a browser would run: Markdown, or HTML among the outputs."""
    for cell in json.loads(notebook)["cells"]:
        shown = [cell["source"]] if cell["cell_type"] == "markdown" else [
            text for output in cell["outputs"] for kind, text in output.get("data", {}).items() if kind != "text/plain"
        ]  # fmt: skip
        if any(SCRIPT in "".join(text) for text in shown):
            return True
    return False


def _contacted(server: socket.socket) -> bool:
    try:
        server.accept() if server.type == socket.SOCK_STREAM else server.recv(1)
    except BlockingIOError:
        return False
    return True


def _children() -> list[str]:
    """The processes that this one has been left with (it is their reaper, see ``run``)."""
    found = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
            if int(parent) == os.getpid():
                if state == "Z":
                    os.waitpid(int(pid), os.WNOHANG)
                else:
                    found.append(f"{pid} {Path(f'/proc/{pid}/cmdline').read_bytes()[:80]!r}")
        except (OSError, ValueError):
            continue
    return found


def _left_behind() -> set[str]:
    """What cases leave outside their folders: marked files, segments of memory, processes of graders that are gone."""
    found = set()
    for folder in _COMMON:
        if os.path.isdir(folder):
            found |= {f"{folder}/{name}" for name in os.listdir(folder) if name.startswith(MARK)}
    for kind in ("shm", "msg", "sem"):
        rows = Path(f"/proc/sysvipc/{kind}")
        lines = rows.read_text().splitlines()[1:] if rows.exists() else []
        found |= {f"{kind} {line.split()[0]}" for line in lines if int(line.split()[0]) % 2**32 in KEYS}
    for group in Path("/sys/fs/cgroup").glob("**/grader-*-*"):
        if not Path("/proc", group.name.split("-")[1]).exists() and _holds_processes(group):
            found.add(str(group))
    return found


def _holds_processes(group: Path) -> bool:
    """An empty one may be of any grader on this machine that was killed."""
    try:
        return bool((group / "cgroup.procs").read_text().split())
    except OSError:
        return False
