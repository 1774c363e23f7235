"""Builds the grader's wheel for students: the package with the pristine course data inside, the same bytes
each time.

Setuptools is not asked: the wheel differs from the package (course data in, nothing else of the clone), and
students must be able to compare its hash.
"""

from __future__ import annotations

import base64
import hashlib
import re
import tomllib
import zipfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import grader
from grader.classroom.errors import ClassroomError
from grader.course import Chapter, Tree

PROJECT = "tensorrt-plugin-course"
# What the package is made of. Anything else in its folders (caches, compiled engines, an editor's copies)
# stays out.
SUFFIXES = {
    ".py", ".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".inc", ".toml", ".json", ".jsonl", ".txt", ".csv", ".css",
    ".js", ".html", ".j2", ".svg", ".png", ".md", ".lock",
}  # fmt: skip
_LEFT_OUT = {"__pycache__", "_course"}


def build_wheel(tree: Tree, folder: Path, chapters: Sequence[Chapter]) -> Path:
    """Write the wheel with the data of `chapters` into `folder` (made if needed) and return its path."""
    package = Path(grader.__file__).resolve().parent
    members = {f"grader/{name}": path.read_bytes() for name, path in package_files(package).items()}
    data = {name: path.read_bytes() for name, path in course_files(tree, chapters).items()}
    for chapter in chapters:
        name = f"course/{chapter.name}/chapter.toml"
        data[name] = among_themselves(data[name].decode(), chapters).encode()
    members |= {f"grader/_course/{name}": content for name, content in data.items()}
    # Where no chapter has skeletons, there is still the folder that makes course data of it.
    if not any(member.startswith("grader/_course/plugin_skeletons/") for member in members):
        members["grader/_course/plugin_skeletons/README.md"] = b"These chapters have no files to start from.\n"
    about, scripts = _metadata(package.parent)
    name = f"{PROJECT.replace('-', '_')}-{grader.__version__}"
    info = f"{name}.dist-info"
    members[f"{info}/METADATA"] = about.encode()
    members[f"{info}/entry_points.txt"] = scripts.encode()
    members[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: grader class release\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    members[f"{info}/top_level.txt"] = b"grader\n"
    members[f"{info}/RECORD"] = _record(members, f"{info}/RECORD")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-py3-none-any.whl"
    write_zip(path, members)
    return path


def package_files(package: Path) -> dict[str, Path]:
    """The files of the package by their names in it, sorted."""
    found = {}
    for path in sorted(package.rglob("*")):
        name = path.relative_to(package)
        hidden = any(part.startswith(".") or part in _LEFT_OUT for part in name.parts)
        if path.is_file() and not path.is_symlink() and not hidden and path.suffix in SUFFIXES:
            found[name.as_posix()] = path
    return found


def course_files(tree: Tree, chapters: Sequence[Chapter]) -> dict[str, Path]:
    """The public course data by name: of each chapter `chapter.toml` and what its learners are given. Solutions and
    masters lie in other folders and cannot get in."""
    found = {}
    for chapter in chapters:
        for path in (tree.notebook(chapter).with_name("chapter.toml"), *tree.given(chapter).values()):
            found[path.relative_to(tree.root).as_posix()] = path
    return dict(sorted(found.items()))


def among_themselves(text: str, chapters: Sequence[Chapter]) -> str:
    """A `chapter.toml` without the prerequisites that are not among `chapters`: to a student of this class they
    are knowledge, not chapters to open."""
    here = {chapter.number for chapter in chapters}
    kept = [number for number in tomllib.loads(text)["prerequisites"] if number in here]
    changed = re.sub(r"(?m)^prerequisites\s*=\s*\[[^\]]*\]", f"prerequisites = {kept}", text, count=1)
    if tomllib.loads(changed) != tomllib.loads(text) | {"prerequisites": kept}:
        raise ClassroomError("chapter.toml: write its prerequisites as one list of numbers at a line's start")
    return changed


def write_zip(path: Path, members: dict[str, bytes]) -> None:
    """A zip archive whose bytes depend on names and contents only."""
    with zipfile.ZipFile(path, "w") as archive:
        for name in sorted(members):
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            entry.create_system = 3  # Unix, whatever this machine is
            archive.writestr(entry, members[name])


def _record(members: dict[str, bytes], own: str) -> bytes:
    lines = []
    for name in sorted(members):
        digest = base64.urlsafe_b64encode(hashlib.sha256(members[name]).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(members[name])}")
    return "\n".join([*lines, f"{own},,", ""]).encode()


def _metadata(root: Path) -> tuple[str, str]:
    """METADATA and entry_points.txt: from `pyproject.toml` in a clone, else from the installed wheel."""
    if (root / "pyproject.toml").is_file():
        return _from_pyproject(
            tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        )
    try:
        installed = metadata.distribution(PROJECT)
    except metadata.PackageNotFoundError:
        raise ClassroomError(f"{PROJECT} is not installed, and {root} has no pyproject.toml") from None
    return installed.read_text("METADATA") or "", installed.read_text("entry_points.txt") or ""


def _from_pyproject(project: dict) -> tuple[str, str]:
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"License-Expression: {project['license']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {requirement}" for requirement in project["dependencies"]),
    ]
    for extra, requirements in project.get("optional-dependencies", {}).items():
        lines.append(f"Provides-Extra: {extra}")
        for requirement in requirements:
            what, _, marker = (part.strip() for part in requirement.partition(";"))
            condition = f'({marker}) and extra == "{extra}"' if marker else f'extra == "{extra}"'
            lines.append(f"Requires-Dist: {what} ; {condition}")
    scripts = [
        "[console_scripts]",
        *(f"{name} = {target}" for name, target in project.get("scripts", {}).items()),
    ]
    return "\n".join([*lines, ""]), "\n".join([*scripts, ""])
