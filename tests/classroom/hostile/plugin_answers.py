"""Plugin libraries that act when they are loaded, used and unloaded; some of the many in tests/plugin, end to end.

Their chapter is one of the tests, so the class that they are in is graded with a copy of the package that has it.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import venv
from pathlib import Path

from hostile_case import ROOT, Case, released

TITLE = "Plugin libraries"
CHAPTER, SLUG, FILE = "90_plugins", "scale-shift-state", "scale_shift.cpp"
PROJECT = "scale-shift-project"
_TREE = ROOT / "tests" / "exercises" / "plugin_course_tree.py"


def lay_course(place: Path) -> Path:
    """Lay the copy out, with a notebook for the chapter; a Python that has the copy in place of the package."""
    root = place / "copy"
    spec = importlib.util.spec_from_file_location("plugin_course_tree", _TREE)
    courses = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(courses)
    courses.make(root)
    cells = [_check_cell(slug, points) for slug, points in ((SLUG, 10), (courses.RELU, 10), (PROJECT, 2))]
    book = {"cells": cells, "metadata": released()["metadata"], "nbformat": 4, "nbformat_minor": 5}
    (root / "course" / CHAPTER / f"{CHAPTER}.ipynb").write_text(json.dumps(book))
    venv.EnvBuilder(symlinks=True).create(place / "env")
    [packages] = (place / "env" / "lib").glob("python3*/site-packages")
    paths = [str(root), *(path for path in sys.path if path.endswith("-packages"))]
    (packages / "course.pth").write_text("\n".join(paths))
    return place / "env" / "bin" / "python"


def _check_cell(slug: str, points: int) -> dict:
    marks = {"schema_version": 3, "grade_id": slug, "grade": True, "solution": False, "locked": True, "task": False,
             "cell_type": "code", "points": points}  # fmt: skip
    return {"cell_type": "code", "id": slug, "metadata": {"nbgrader": marks}, "execution_count": None, "outputs": [],
            "source": f'exercise("{slug}").check()'}  # fmt: skip


RIGHT = (ROOT / "tests" / "plugin" / "plugins" / "scale_shift" / FILE).read_text()
_SAYS = """#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
static void found(char const* what) { std::fprintf(stderr, "%s%s: %s\\n", "BRE", "ACH", what); std::_Exit(7); }
"""


def plugin(name, tries, first, expect, *, before="", **more):
    """The right plugin, which does this when it is loaded."""
    text = f"{_SAYS}{before}struct First {{ First() {{ {first} }} }};\nstatic First first;\n{RIGHT}"
    return Case(name=name, tries=tries, chapter=CHAPTER, files={FILE: text}, expect={SLUG: expect},
                **{"seconds": 8.0, **more})  # fmt: skip


def project(name, tries, lines, expect, **more):
    """A ``CMakeLists.txt`` of its own, which does this when it configures."""
    text = _PROJECT.replace("find_package(CUDA", f"{lines}\nfind_package(CUDA", 1)
    return Case(name=name, tries=tries, chapter=CHAPTER, files={"CMakeLists.txt": text}, expect={PROJECT: expect},
                **{"seconds": 8.0, **more})  # fmt: skip


_PROJECT = (_TREE.parent / "plugin_course" / "CMakeLists.txt").read_text()
_SHELL = "execute_process(COMMAND sh -c [==[%s]==])"
_TELLS = "for f in %s; do read -r w < $f && echo BRE''ACH $f && kill -9 -1; done; true"
READS = 'std::ifstream in("%s"); std::string word; if (in >> word) found(word.c_str());'

CASES = (
    plugin("plugin-right", "nothing: it is right", "", "pass 10"),
    plugin("plugin-reads-secret", "right, and reads the class secret when it is loaded",
           READS % "@CLASS@/class_secret", "pass 10 or fail 0"),
    plugin("plugin-reads-home", "right, and reads a file of the instructor's home", READS % "@HOME@/canary.txt",
           "pass 10 or fail 0"),
    plugin("plugin-reads-environment", "right, and reads the environment of all processes",
           "for (auto& e : std::filesystem::directory_iterator(\"/proc\")) { std::ifstream in(e.path() / \"environ\"); "
           "std::string w; while (in >> w) if (w.find(\"HOSTILE_CANARY\") != w.npos) found(w.c_str()); }",
           "pass 10 or fail|error 0"),
    plugin("plugin-leaves-file", "right, and leaves a file for the next",
           'std::ofstream("/tmp/hostile-mark-plugin") << 1; std::ofstream("/dev/shm/hostile-mark-plugin") << 1;',
           "pass 10 or fail 0"),
    plugin("plugin-exits", "ends the process with 0 when it is loaded", "std::_Exit(0);", "fail|error 0"),
    plugin("plugin-hangs", "hangs when it is loaded", "for (volatile int k = 0;; k = k + 1) { }", "timeout|fail 0",
           seconds=25),
    plugin("plugin-forges", "speaks on the channel of its host when it is loaded",
           "char const frame[] = \"\\x0d\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0{\\\"ok\\\": true}\"; "
           "for (int fd = 3; fd < 64; ++fd) send(fd, frame, sizeof frame - 1, 0); std::_Exit(0);", "fail|error 0",
           before='extern "C" long send(int, void const*, unsigned long, int);\n'),
    project("project-right", "nothing: it is right", "", "pass 2"),
    project("project-reads", "right, and a shell of its configuration reads secret and home",
            _SHELL % _TELLS % "@CLASS@/class_secret @HOME@/canary.txt", "pass 2"),
    project("project-downloads", "right, and downloads from this machine while it is configured",
            "file(DOWNLOAD http://127.0.0.1:@PORT@/x ${CMAKE_BINARY_DIR}/x STATUS said)", "pass 2"),
    project("project-stays", "right, and leaves processes and files behind",
            _SHELL % "(setsid sleep 900 &) ; nohup sleep 900 >/dev/null 2>&1 & touch /tmp/hostile-mark-project; true",
            "pass 2"),
    project("project-endless-error", "prints an error without an end, which the grader looks through",
            'string(REPEAT " at " 120000 long)\nmessage("CMake Error${long}")\nmessage(FATAL_ERROR "no")', "fail 0"),
    project("project-blames-cmake", "says that CMake is not whole, so that its points wait",
            'message(FATAL_ERROR "CMake Error: Could not find CMAKE_ROOT !!!")', "fail 0"),
    project("project-long-line", "reports a line whose number no integer takes",
            'string(REPEAT 1 5000 n)\nmessage("CMake Error at CMakeLists.txt:${n} (x):\\n  x\\n")\n'
            'message(FATAL_ERROR "no")', "fail 0"),
)  # fmt: skip
