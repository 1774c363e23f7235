"""What a proof depends on, as hashes: `key` for what it proves, more for what it was proven with."""

from __future__ import annotations

import ast
import hashlib
import json
import tomllib
from collections.abc import Iterable
from pathlib import Path

from grader.proof.answer import Place

_ROOM = Path(__file__).parent
# What makes the mutants: with other operators an old proof proves less.
_OPERATORS = ("edit.py", "mutants.py", "mutate_cpp.py", "mutate_python.py")


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
    return _digest(json.dumps([table, checks, surroundings(place.root)], sort_keys=True).encode())


def _table(place: Place) -> dict:
    path = place.root / "course" / place.exercise.chapter / "chapter.toml"
    chapter = tomllib.loads(path.read_text(encoding="utf-8"))
    return next(table for table in chapter["exercise"] if table["slug"] == place.exercise.slug)


def surroundings(root: Path) -> dict[str, str]:
    """What judged: the compiler's pins, the engine with its devices, the host side that runs answers."""
    lock = root / "requirements.lock"
    pins = lock.read_text(encoding="utf-8") if lock.exists() else ""
    rooms = root / "grader"
    host = [
        path for path in _under(rooms / "exercises") if not path.relative_to(rooms).parts[1].startswith("ch")
    ]
    return {
        "engine": _hash_of(root, _under(rooms / "simulator") + _under(rooms / "gpu")),
        "host": _hash_of(root, host + _under(rooms / "sandbox") + _under(rooms / "toolchain")),
        "pins": _digest("\n".join(_requirement(pins, "nvidia-cuda-")).encode()),
    }


def checks_used(place: Place) -> list[Path]:
    """The code of the exercise's chapter and the modules of `grader.checks` that it uses, directly or not."""
    chapter = _under(place.root / "grader" / "exercises" / f"ch{place.exercise.chapter}")
    found = set(chapter)
    waiting = [path for path in chapter if path.suffix == ".py"]
    while waiting:
        for module in _checks_imported(waiting.pop(), place.root):
            if module not in found:
                found.add(module)
                waiting.append(module)
    return sorted(found)


def _checks_imported(path: Path, root: Path) -> Iterable[Path]:
    """The files of `grader.checks` that a file imports; a name passed on by the package means its home."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.split(".")[:2] == ["grader", "checks"]
        ):
            folder = root.joinpath(*node.module.split("."))
            if not folder.is_dir():
                yield folder.with_suffix(".py")
                continue
            homes = _homes(folder / "__init__.py")
            for name in (alias.name for alias in node.names):
                file = folder / f"{name}.py"
                yield file if file.exists() else folder / f"{homes.get(name, '__init__')}.py"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[:2] == ["grader", "checks"]:
                    file = root.joinpath(*alias.name.split("."))
                    yield file / "__init__.py" if file.is_dir() else file.with_suffix(".py")


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
