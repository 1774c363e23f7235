"""Submissions whose folder is odd: files renamed, doubled, linked, too many, too large, no files at all."""

from __future__ import annotations

import os
import socket
import zipfile
from io import BytesIO
from pathlib import Path

from hostile_case import GELU, Case, answered, json, kernel_file, solution

TITLE = "Files and folders"
NAME = "thread_index.cu"
GOOD = solution(NAME)
GONE = "error 0"


def folder(name, tries, change, expect="pass 2", **more):
    """A right kernel in a folder that ``change`` was done to."""
    return kernel_file(name, tries, GOOD, expect, folder=change, **more)


def renamed(new):
    def change(place: Path):
        (place / new).parent.mkdir(parents=True, exist_ok=True)
        (place / NAME).rename(place / new)

    return change


def replaced(make):
    def change(place: Path):
        (place / NAME).unlink()
        make(place / NAME)

    return change


def also(*files):
    def change(place: Path):
        for name, data in files:
            path = place / name if isinstance(name, str) else Path(os.fsdecode(os.fsencode(place) + b"/" + name))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data.encode() if isinstance(data, str) else data)

    return change


def sparse(size):
    def make(path: Path):
        with path.open("wb") as file:
            file.truncate(size)

    return make


def many(place: Path):
    for n in range(10_000):
        (place / f"f{n}.txt").touch()


def deep(place: Path):
    here = place
    for _ in range(200):
        here = here / "d"
        here.mkdir()
    (here / "x.cu").write_text("x")


def unix_socket(path: Path):
    here = os.getcwd()
    os.chdir(path.parent)  # the address of a socket has 107 bytes at most
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(here)


def zipped(place: Path):
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr(NAME, GOOD)
        file.writestr("../../../escaped.cu", GOOD)
    (place / NAME).unlink()
    (place / "homework.zip").write_bytes(packed.getvalue())


def emptied(place: Path):
    for path in place.iterdir():
        path.unlink()


def linked_folder(place: Path):
    emptied(place)
    place.rmdir()
    place.symlink_to(place.parents[2] / "source")


EVIL = "import os, sys\nsys.stderr.write('BRE' + 'ACH')\nos._exit(0)\n"
HELPERS = [(name, EVIL) for name in ("numpy.py", "math.py", "json.py", "sitecustomize.py", "usercustomize.py",
"conftest.py",
           "grader/__init__.py", "nbgrader_config.py", "jupyter_config.py", ".pythonrc", "helper.py")]  # fmt: skip
BOOK = json.dumps(answered())

CASES = (
    folder("copy-1", "the second download of a browser", renamed("thread_index (1).cu"), notes=("renamed",),
           source="nbgrader#567"),
    folder("copy-name", "a copy that Jupyter made", renamed("thread_index-Copy1.cu"), notes=("renamed",),
           source="nbgrader#744"),
    folder("letter-case", "other letters, large and small", renamed("Thread_Index.CU"), notes=("renamed",)),
    folder("text-suffix", "the suffix that an editor added", renamed("thread_index.cu.txt"), notes=("renamed",)),
    folder("subfolder", "a folder inside the folder", renamed("my answers/src/thread_index.cu"), notes=("renamed",)),
    folder("too-deep", "a folder far too deep", renamed("a/b/c/d/e/f/thread_index.cu"), GONE, notes=("missing",)),
    folder("other-suffix", "another suffix", renamed("thread_index.cpp"), GONE, notes=("missing",)),
    folder("two-copies", "two copies, neither under its name",
           lambda p: (also(("thread_index (2).cu", "error"))(p), renamed("thread_index (1).cu")(p)), notes=("renamed",
           "duplicate")),
    folder("letter-case-both", "names that differ in letter case only", also(("THREAD_INDEX.cu", "error"))),
    folder("link-secret", "a link to the class secret",
           replaced(lambda p: p.symlink_to(p.parents[3] / "class_secret")), GONE,
           notes=("refused",), source="Submitty#6732"),
    folder("link-neighbour", "a link to another student's answer",
           replaced(lambda p: p.symlink_to(p.parents[2] / "a-right" / "00_warm_up" / NAME)), GONE, notes=("refused",),
           source="nbgrader#978"),
    folder("link-loop", "a link to itself", replaced(lambda p: p.symlink_to(p.name)), GONE, notes=("refused",)),
    folder("link-zero", "a link to /dev/zero", replaced(lambda p: p.symlink_to("/dev/zero")), GONE, notes=("refused",)),
    folder("link-inside", "a folder that is a link to all the others", lambda p: (
        (p / "all").symlink_to(p.parents[1]), (p / NAME).unlink()), GONE, notes=("missing",)),
    folder("link-folder", "the whole submission is a link", linked_folder, GONE, expected={"bounds-guard": GONE},
           ungraded="a link stands in place of the folder"),
    folder("fifo", "a pipe that never says anything", replaced(os.mkfifo), GONE, notes=("refused",)),
    folder("socket", "a socket", replaced(unix_socket), GONE, notes=("unreadable|refused",)),
    folder("directory", "a folder under the file's name", replaced(Path.mkdir), GONE, notes=("missing",)),
    folder("closed-file", "a file that nobody may read", lambda p: (p / NAME).chmod(0), "pass 2 or error 0"),
    folder("sparse-gigabyte", "a file of a gigabyte that holds nothing", replaced(sparse(1 << 30)), GONE,
           notes=("unreadable",)),
    folder("sparse-book", "a notebook of a terabyte beside it", lambda p: sparse(1 << 40)(p / "00_warm_up.ipynb")),
    folder("many-files-there", "ten thousand files beside it", many, source="nbgrader#416"),
    folder("deep-there", "two hundred folders in each other", deep),
    folder("zip-there", "a zip file in place of the files, one of whose names leads out of it", zipped, GONE,
           notes=("missing",), source="Submitty#6732"),
    folder("odd-names-there", "names that are no text", also(
        (b"\xff\xfe.cu", "x"), (b"a\nb.cu", "x"), (b"\x1b[2J.cu", "x"), (b"-rf", "x"), (b"$(reboot).cu", "x"),
        (b"thread_index.cu\n", "x"), ("\u202eUC.xedni_daerht", "x"), ("thread_index\u200b.cu", "x"))),
    folder("grader-files", "files of the class among its own", also(
        ("gradebook.db", "x"), ("class_secret", "0" * 64), ("result.json", '{"earned": 2}'), ("chapter.toml",
        "points = 99"),
        ("timestamp.txt", "2026-01-01 00:00:00 UTC"), ("launch.h", "#error mine"), ("device.h", "#error mine"))),
    folder("odd-time", "a time of submission that is none", also(("timestamp.txt",
           "yesterday \x00 I think " + "9" * 100_000))),
    folder("nothing-there", "an empty folder", emptied, GONE, expected={"bounds-guard": GONE}, notes=("missing",),
           source="nbgrader#1219"),
    folder("git", "a whole repository with its hooks", also((".git/hooks/post-checkout", EVIL), (".git/config", "x"))),
    Case(name="helpers", tries="modules that Python or Jupyter might load from beside the notebook", chapter=GELU,
         files={f"{GELU}.ipynb": BOOK}, folder=also(*HELPERS), expect={"masked-gelu-cases": "pass 8"},
         source="nbgrader: helper.py", seconds=2.0),
    Case(name="book-copy", tries="the name of a second download", chapter=GELU, files={f"{GELU} (1).ipynb": BOOK},
         expect={"masked-gelu-cases": "pass 8"}, notes=("renamed",), source="nbgrader: A1 (1).ipynb", seconds=2.0),
    Case(name="book-other-name", tries="a name of its own", chapter=GELU, files={"Untitled.ipynb": BOOK},
         expect={"masked-gelu-cases": "pass 8"}, notes=("renamed",), source="nbgrader#1409", seconds=2.0),
    Case(name="book-two", tries="an empty notebook under the right name, the answered one under another", chapter=GELU,
         files={f"{GELU}.ipynb": "", f"{GELU} (1).ipynb": BOOK}, expect={"masked-gelu-cases": "error 0"},
         notes=("unreadable",), source="ok-client#352"),
    Case(name="book-checkpoint", tries="the notebook only among Jupyter's checkpoints", chapter=GELU,
         files={f".ipynb_checkpoints/{GELU}-checkpoint.ipynb": BOOK}, expect={"masked-gelu-cases": "error 0"},
         notes=("missing",)),
)  # fmt: skip
