"""A course tree with a chapter of plugin exercises, in which nothing but tests and benchmarks learn.

``make`` lays it out with a copy of the package and an environment that has this copy: a process of that environment's
Python (``python``) judges the chapter as it judges any other, and so do the processes that it starts.
"""

from __future__ import annotations

import shutil
import sys
import venv
from pathlib import Path

import grader
from grader.proof.patch import read_variant

HERE = Path(__file__).parent
DATA = HERE / "plugin_course"
PLUGINS, DEFECTS = HERE.parent / "plugin" / "plugins", HERE.parent / "plugin" / "defects"
CHAPTER = "90_plugins"
STATE, RELU, PROJECT = "scale-shift-state", "whole-relu", "scale-shift-project"
# What a learner finds in place of what the solution has.
_GAPS = (
    ("return new (std::nothrow) ScaleShift(mScale, mShift); }", "return nullptr; /* a copy with all attributes */ }"),
    ("        mFields = {PluginField{\"scale\", &mScale, PluginFieldType::kFLOAT32, 1},\n"
     "            PluginField{\"shift\", &mShift, PluginFieldType::kFLOAT32, 1}};\n", "        // what must be kept\n"),
    ("                std::memcpy(&scale, field.data, sizeof(scale));\n", "                // take the value\n"),
)  # fmt: skip
# Wrong answers to STATE: a defect of the tests of rules -> the checks that fail by themselves.
WRONG = {
    "fields_null_data": {"fields-null"},
    "serialize_forgets_one": {"serialize-complete"},
    "clone_forgets_shift": {"clone-equal"},
}


def solution(slug: str) -> dict[str, bytes]:
    """The right answer, by file."""
    if slug == STATE:
        return _files(PLUGINS / "scale_shift", "scale_shift.cpp")
    if slug == PROJECT:
        return _files(DATA, "CMakeLists.txt")
    return _files(PLUGINS / "relu", "relu.cpp", "relu_kernel.cuh") | _files(DATA, "relu_kernel.cu")


def skeleton(slug: str) -> dict[str, bytes]:
    """What a learner starts from."""
    if slug != STATE:
        comment = b"#" if slug == PROJECT else b"//"
        return {name: comment + b" Write it here.\n" for name in solution(slug)}
    text = solution(slug)["scale_shift.cpp"].decode()
    for right, gap in _GAPS:
        assert text.count(right) == 1, right
        text = text.replace(right, gap)
    return {"scale_shift.cpp": text.encode()}


def wrong(name: str) -> dict[str, bytes]:
    """A wrong answer to STATE, a key of ``WRONG``."""
    return read_variant(DEFECTS / f"{name}.patch", ("plugin", "report", "first-named")).apply(solution(STATE))


def distinct(number: int, slug: str = STATE) -> dict[str, bytes]:
    """A right answer that no other number gives, and whose files no compile cache holds."""
    line = f"// Submission {number}.\n".encode()
    return {name: line + data for name, data in solution(slug).items()}


def make(root: Path) -> Path:
    """The tree, with the chapters that the course has."""
    repository = Path(grader.__file__).parents[1]
    ignored = shutil.ignore_patterns("__pycache__", "_course")
    for name in ("grader", "course", "plugin_skeletons", "solutions", "tests/variants"):
        shutil.copytree(repository / name, root / name, ignore=ignored)
    room = root / "grader" / "exercises" / f"ch{CHAPTER}"
    _lay(room, _files(DATA, "__init__.py", "scale_shift_state.py", "whole_relu.py", "scale_shift_project.py"))
    for plugin in ("scale_shift", "relu"):
        _lay(room / plugin, _files(PLUGINS / plugin, f"{plugin}.toml", "reference.py"))
    supplied = _files(PLUGINS / "scale_shift", "scale_shift_kernel.cu", "scale_shift_kernel.h")
    kit = {"scale_shift.cpp": solution(STATE)["scale_shift.cpp"]}
    _lay(root / "plugin_skeletons" / "common", kit)
    _lay(root / "course" / CHAPTER, _files(DATA, "chapter.toml"))
    _lay(root / "plugin_skeletons" / CHAPTER, supplied | skeleton(STATE) | skeleton(RELU) | skeleton(PROJECT))
    _lay(root / "solutions" / CHAPTER, solution(STATE) | solution(RELU) | solution(PROJECT))
    venv.create(root / ".venv", symlinks=True)
    packages = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    _lay(root / ".venv" / "lib" / version / "site-packages", {"copy.pth": "\n".join([str(root), *packages]).encode()})
    return root


def python(root: Path) -> str:
    """The Python that has the copy, also with ``-I``, as children are started."""
    return str(root / ".venv" / "bin" / "python")


def _files(folder: Path, *names: str) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in names}


def _lay(folder: Path, files: dict[str, bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
