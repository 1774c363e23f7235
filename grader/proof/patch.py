"""Variants: small patches on a solution, read and applied strictly (docs/architecture.md, 'Variants')."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_KEYS = {"title", "misconception", "owner", "also", "alternative"}
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@.*")


class PatchError(Exception):
    """A patch that cannot be read or does not fit; the text names the file and the line or hunk."""


@dataclass(frozen=True)
class Hunk:
    file: str
    start: int  # line of the first old line, from 1
    old: tuple[str, ...]
    new: tuple[str, ...]
    line: int  # of its @@ line in the patch


@dataclass(frozen=True)
class Variant:
    """One patch. A wrong answer has a misconception and an owner; a right one is an alternative."""

    name: str
    title: str
    misconception: str | None
    owner: str | None
    also: frozenset[str]
    alternative: bool
    hunks: tuple[Hunk, ...]
    more: Mapping[str, str] = field(default_factory=dict)  # header lines that only some readers know

    def apply(self, files: Mapping[str, bytes]) -> dict[str, bytes]:
        """The files with the patch applied. Raises PatchError that names the hunk which does not fit."""
        changed = dict(files)
        for file in dict.fromkeys(hunk.file for hunk in self.hunks):
            if file not in changed:
                names = ", ".join(sorted(changed))
                raise PatchError(f"{self.name}.patch: there is no file {file} in the answer, only {names}")
            hunks = [hunk for hunk in self.hunks if hunk.file == file]
            changed[file] = self._apply(changed[file].decode(), hunks).encode()
        return changed

    def _apply(self, text: str, hunks: list[Hunk]) -> str:
        lines = text.split("\n")
        result: list[str] = []
        done = 0
        for hunk in hunks:
            at = self._place(lines, hunk, done)
            result += lines[done:at] + list(hunk.new)
            done = at + len(hunk.old)
        return "\n".join(result + lines[done:])

    def _place(self, lines: list[str], hunk: Hunk, least: int) -> int:
        """Where the old lines stand, exactly: at the stated line, else at the only other place with them."""
        size = len(hunk.old)
        places = [
            at for at in range(least, len(lines) - size + 1) if tuple(lines[at : at + size]) == hunk.old
        ]
        if hunk.start - 1 in places:
            return hunk.start - 1
        where = f"{self.name}.patch:{hunk.line}: the hunk for {hunk.file}, line {hunk.start},"
        if not places:
            raise PatchError(f"{where} does not fit the solution; make the patch again from the present one")
        if len(places) > 1:
            raise PatchError(f"{where} fits in {len(places)} places; give it more lines of context")
        return places[0]


def read_variant(path: Path, more: Collection[str] = ()) -> Variant:
    """Read one patch. ``more``: further header keys that it may have. Raises PatchError with the file and the line."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as problem:
        raise PatchError(f"{path.name}: cannot be read: {problem}") from None
    keys, start = _header(path.name, lines, _KEYS.union(more))
    alternative = keys.get("alternative") == "true"
    needed = {"title"} if alternative else {"title", "misconception", "owner"}
    if missing := sorted(needed - keys.keys()):
        raise PatchError(f"{path.name}: the header needs '# {missing[0]}: ...'")
    if alternative and (keys.keys() & {"owner", "also", "misconception"}):
        raise PatchError(f"{path.name}: an alternative is right: it has no owner and no misconception")
    return Variant(
        name=path.stem,
        title=keys["title"],
        misconception=keys.get("misconception"),
        owner=keys.get("owner"),
        also=frozenset(word.strip() for word in keys.get("also", "").split(",") if word.strip()),
        alternative=alternative,
        hunks=_hunks(path.name, lines, start),
        more={key: keys[key] for key in more if key in keys},
    )


def _header(name: str, lines: list[str], known_keys: Collection[str]) -> tuple[dict[str, str], int]:
    keys: dict[str, str] = {}
    for number, line in enumerate(lines):
        if line.startswith("--- "):
            return keys, number
        if not line.strip():
            continue
        key, colon, value = line.removeprefix("#").partition(":")
        key, value = key.strip(), value.strip()
        if not line.startswith("#") or not colon or key not in known_keys or not value:
            known = ", ".join(sorted(known_keys))
            raise PatchError(f"{name}:{number + 1}: a header line is '# key: value', the keys are {known}")
        if key in keys:
            raise PatchError(f"{name}:{number + 1}: the key {key} is given twice")
        if key == "alternative" and value not in ("true", "false"):
            raise PatchError(f"{name}:{number + 1}: alternative is true or false")
        keys[key] = value
    raise PatchError(f"{name}: no unified diff (--- a/FILE) follows the header")


def _hunks(name: str, lines: list[str], start: int) -> tuple[Hunk, ...]:
    hunks: list[Hunk] = []
    file = ""
    number = start
    while number < len(lines):
        line = lines[number]
        if line.startswith("--- "):
            following = lines[number + 1] if number + 1 < len(lines) else ""
            file, new = _file(line), _file(following)
            if not following.startswith("+++ ") or not file or file != new:
                raise PatchError(f"{name}:{number + 1}: '--- a/FILE' and '+++ b/FILE' must name one file")
            number += 2
        elif match := _HUNK.fullmatch(line):
            hunk, number = _hunk(name, lines, number, file, match)
            hunks.append(hunk)
        elif not line.strip() or line.startswith(("diff ", "index ")):
            number += 1
        else:
            raise PatchError(f"{name}:{number + 1}: this line belongs to no hunk: {line[:40]!r}")
    if not hunks or all(hunk.old == hunk.new for hunk in hunks):
        raise PatchError(f"{name}: the patch changes nothing")
    return tuple(hunks)


def _file(line: str) -> str:
    """The file's name in a '--- a/FILE<tab>date' line; "" for anything but a plain name."""
    path = line[4:].split("\t")[0].strip()
    name = re.sub(r"^[ab]/", "", path)
    return name if re.fullmatch(r"[\w.-]+", name) else ""


def _hunk(name: str, lines: list[str], number: int, file: str, match: re.Match) -> tuple[Hunk, int]:
    counts = [int(match[2] or 1), int(match[4] or 1)]
    old: list[str] = []
    new: list[str] = []
    at = number + 1
    while (len(old), len(new)) != tuple(counts):
        line = lines[at] if at < len(lines) else "?"
        sign = line[:1] or " "  # editors drop the blank of an empty context line
        if sign not in " -+\\" or len(old) > counts[0] or len(new) > counts[1]:
            raise PatchError(
                f"{name}:{number + 1}: the hunk has other numbers of lines than its @@ line says"
            )
        if sign in " -":
            old.append(line[1:])
        if sign in " +":
            new.append(line[1:])
        at += 1
    while at < len(lines) and lines[at].startswith("\\"):  # "\ No newline at end of file"
        at += 1
    return Hunk(file, int(match[1]), tuple(old), tuple(new), number + 1), at
