"""What a proof depends on, as hashes: `key` for what it proves, more for what it was proven with."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

from grader.course import KIT
from grader.proof.answer import Place, ProofError

_ROOM = Path(__file__).parent
# What makes the mutants: with other operators an old proof proves less.
_OPERATORS = ("edit.py", "mutants.py", "mutate_cmake.py", "mutate_cpp.py", "mutate_python.py")


def key(place: Place) -> str:
    """The hash over an exercise's files, its table in `chapter.toml`, its checks, the mutant operators."""
    parts = [json.dumps(_table(place), sort_keys=True)]
    for files in (place.skeleton(), place.solution()):
        parts += [f"{name} {_digest(data)}" for name, data in sorted(files.items())]
    parts.append(_hash_of(place.root, _under(place.variants_folder)))
    parts.append(_hash_of(place.root, checks_used(place)))
    parts.append(_hash_of(_ROOM, [_ROOM / name for name in _OPERATORS]))
    return _digest("\n".join(parts).encode())


def judging(place: Place) -> str:
    """The hash over everything but the answer that a verdict of this exercise depends on."""
    table = _table(place)
    checks = _hash_of(place.root, checks_used(place))
    around = surroundings(place.root, plugins=with_plugins(place))
    return _digest(json.dumps([table, checks, around], sort_keys=True).encode())


def _table(place: Place) -> dict:
    path = place.root / "course" / place.exercise.chapter / "chapter.toml"
    chapter = tomllib.loads(path.read_text(encoding="utf-8"))
    return next(table for table in chapter["exercise"] if table["slug"] == place.exercise.slug)


def with_plugins(place: Place) -> bool:
    """Whether the rules and the room of plugins judge the exercise, too."""
    return "plugin-lane" in place.exercise.needs


def surroundings(root: Path, *, plugins: bool = False) -> dict[str, str]:
    """What judged: the compiler's pins, the engine with its devices, the host side that runs answers; with ``plugins``
    also the rules of plugins and their host."""
    lock = root / "requirements.lock"
    pins = lock.read_text(encoding="utf-8") if lock.exists() else ""
    rooms = root / "grader"
    exercises = rooms / "exercises"
    host = [path for path in _under(exercises) if not re.match(r"ch\d", path.relative_to(exercises).parts[0])]
    host += [path for room in ("sandbox", "toolchain", "verdict") for path in _under(rooms / room)]
    rules = _under(rooms / "plugin") + _under(rooms / "checks" / "conformance") if plugins else []
    return {
        "engine": _hash_of(root, _under(rooms / "simulator") + _under(rooms / "gpu")),
        "host": _hash_of(root, host),
        "pins": _digest("\n".join(_requirement(pins, "nvidia-cuda-")).encode()),
        **({"plugins": _hash_of(root, rules)} if plugins else {}),
    }


def checks_used(place: Place) -> list[Path]:
    """What judges this exercise: its module and what that uses, directly or not, of chapter and checks.

    Files that are no Python (harnesses, specs, banks; skeletons and files of the kit that are compiled with an answer)
    count where their names stand in one that is used, and the reference of a spec where the spec names it.
    """
    chapter = f"grader.exercises.ch{place.exercise.chapter}"
    folder = place.root.joinpath(*chapter.split("."))
    skeletons = place.root / "plugin_skeletons"
    given = _under(skeletons / place.exercise.chapter) + _under(skeletons / KIT)
    given += _under(place.root / "solutions" / place.exercise.chapter)  # banks of hidden cases
    others = [path for path in _under(folder) if path.suffix != ".py"]
    others += [path for path in given if path.name not in place.names]
    start = folder / f"{place.exercise.slug.replace('-', '_')}.py"
    if not start.exists():
        raise ProofError(f"{start.relative_to(place.root).as_posix()}: not found; the exercise has no checks")
    found = {start}
    waiting = [start]
    while waiting:
        path = waiting.pop()
        text = path.read_text(encoding="utf-8")
        used = [other for other in others if other.name in text]
        if path.suffix == ".toml":
            used += [beside for beside in path.parent.glob("*.py") if beside.name in text]
        elif path.suffix == ".py":
            used += _imported(text, place.root, ("grader.checks", chapter))
        waiting += set(used) - found
        found.update(used)
    return sorted(found)


def _imported(text: str, root: Path, packages: tuple[str, ...]) -> Iterable[Path]:
    """The files of `packages` that a module imports; a name that a package only passes on means its home."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level:
            raise ProofError(f"import from {'.' * node.level}{node.module or ''}: checks import by full names")
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            if any(name == package or name.startswith(f"{package}.") for package in packages):
                yield _home(root, name.split("."))


def _home(root: Path, steps: list[str]) -> Path:
    """The file of a module, or of the module that a name belongs to."""
    path = root.joinpath(*steps)
    if path.is_dir():
        return path / "__init__.py"
    if path.with_suffix(".py").exists():
        return path.with_suffix(".py")
    package = path.parent
    if not package.is_dir():
        return package.with_suffix(".py")
    return package / f"{_homes(package / '__init__.py').get(steps[-1], '__init__')}.py"


def _homes(init: Path) -> dict[str, str]:
    """Which module of a package each name in its `__init__.py` comes from."""
    homes = {}
    for node in ast.parse(init.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            homes |= {alias.asname or alias.name: node.module.rsplit(".", 1)[-1] for alias in node.names}
    return homes


def _requirement(lock: str, prefix: str) -> list[str]:
    """The lines of a lock file that pin packages whose names begin with `prefix`, their hashes included."""
    taken, inside = [], False
    for line in lock.splitlines():
        if not line.startswith((" ", "\t", "#")):
            inside = line.startswith(prefix)
        if inside and not line.lstrip().startswith("#"):
            taken.append(line.strip())
    return taken


def _under(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def _hash_of(root: Path, paths: Iterable[Path]) -> str:
    lines = [f"{path.relative_to(root).as_posix()} {_digest(path.read_bytes())}" for path in sorted(paths)]
    return _digest("\n".join(lines).encode())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
