"""The leak search: does a folder that students get hold solutions, masters, variants or the secret?

What is public (skeletons, learner notebooks, `chapter.toml`) is subtracted from what is private, by lines.
What is left is searched for in every file of the folder, inside archives and databases too, in a form that
does not change when text is put into JSON, HTML, CSV or a Python literal.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.authoring.unpack import Piece, pieces

SHORTEST_LINE = 20  # signs of a line, without blanks and quotes, that make it telling
GRAM, STEP = 12, 8  # SHORTEST_LINE must be at least GRAM + STEP - 1
SHORTEST_SECRET = 8  # bytes
PRIVATE = {"solution": "solutions", "master": "authoring", "variant": "tests/variants"}
PUBLIC = ("plugin_skeletons", "course")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_UNICODE_ESCAPE = re.compile(r"\\+u([0-9a-fA-F]{4})")
_DROPPED = re.compile(r"[\s\\\"'`]+")


@dataclass(frozen=True, order=True)
class Leak:
    """`member` is the place inside `file` ("" is the file itself); `excerpt` is what was found there."""

    file: str
    member: str
    kind: str  # "solution", "master", "variant", "secret", or "unreadable"
    excerpt: str

    def __str__(self) -> str:
        place = f"{self.file} ({self.member})" if self.member else self.file
        return f"{place}: {self.kind}: {self.excerpt}"


def find_leaks(
    target: Path, *, clone: Path, secrets: Iterable[bytes] = (), own: Iterable[Path] = ()
) -> list[Leak]:
    """Search the folder (or file) `target`.

    `own` are files or folders whose lines are allowed, such as the submission that a feedback page repeats.
    What cannot be opened is a leak of kind "unreadable". Raises ValueError where the search would find
    nothing whatever there is: nothing is private, a secret has less than 8 bytes, or `target` holds no file.
    """
    search = _Search(clone, tuple(secrets), tuple(own))
    files = [target] if target.is_file() else sorted(path for path in target.rglob("*") if not path.is_dir())
    if not files:
        raise ValueError(f"{target}: there is no file to search")
    leaks: dict[Leak, None] = {}
    for path in files:
        shown = path.name if path == target else path.relative_to(target).as_posix()
        try:
            data = path.read_bytes()
        except OSError as problem:
            leaks[Leak(shown, "", "unreadable", str(problem))] = None
            continue
        for piece in pieces(data):
            for kind, excerpt in search.look(piece):
                leaks[Leak(shown, piece.member, kind, excerpt)] = None
    return sorted(leaks)


class _Search:
    """What to look for: whole files by hash, telling lines by canonical form, secrets by spelling."""

    def __init__(self, clone: Path, secrets: tuple[bytes, ...], own: tuple[Path, ...]):
        public = [path for tree in PUBLIC for path in _files(clone / tree)] + [
            p for o in own for p in _files(o)
        ]
        known = "\n".join(
            form for path in public for text in _readings(path.read_bytes()) for form in _forms(text)
        )
        hashes = {_hash(path.read_bytes()) for path in public}
        self.lines: dict[str, tuple[str, str]] = {}  # canonical form -> kind, the line itself
        self.hashes: dict[str, tuple[str, str]] = {}
        for kind, tree in PRIVATE.items():
            for path in _files(clone / tree):
                digest = _hash(path.read_bytes())
                if digest not in hashes:
                    self.hashes.setdefault(
                        digest, (kind, f"the whole of {path.relative_to(clone).as_posix()}")
                    )
                for canonical, line in _lines(path, kind).items():
                    if len(canonical) >= SHORTEST_LINE and canonical not in known:
                        self.lines.setdefault(canonical, (kind, line))
        if not self.lines:
            raise ValueError(f"{clone}: no line is private there; is it a clone with solutions?")
        # A text is cut at every STEP-th sign; a line that it holds has one whole GRAM from such a cut.
        self.grams: dict[str, list[str]] = {}
        for canonical in self.lines:
            for start in range(STEP):
                self.grams.setdefault(canonical[start : start + GRAM], []).append(canonical)
        self.secrets = [spelling for secret in secrets for spelling in _spellings(secret)]

    def look(self, piece: Piece) -> Iterator[tuple[str, str]]:
        if piece.problem:
            yield "unreadable", piece.problem
        if found := self.hashes.get(_hash(piece.data)):
            yield found
        for spelling in self.secrets:
            if spelling in piece.data:
                yield "secret", f"{len(spelling)} bytes that spell the secret"
        for text in {form for reading in _readings(piece.data) for form in _forms(reading)}:
            cuts = {text[start : start + GRAM] for start in range(0, len(text), STEP)}
            for gram in self.grams.keys() & cuts:
                yield from (self.lines[line] for line in self.grams[gram] if line in text)


def _files(root: Path) -> list[Path]:
    if root.is_file():
        return [root]
    return sorted(
        p for p in root.rglob("*") if p.is_file() and "__pycache__" not in p.parts and p.name[0] != "."
    )


def _hash(data: bytes) -> str:
    return hashlib.sha256(data.strip().replace(b"\r\n", b"\n")).hexdigest() if data.strip() else ""


def _lines(path: Path, kind: str = "") -> dict[str, str]:
    """The lines of a file by canonical form. Of a patch only what it adds, and its title."""
    found: dict[str, str] = {}
    readings = list(_readings(path.read_bytes()))
    for text in readings[-1:] if path.suffix == ".ipynb" else readings:
        for line in text.splitlines():
            if kind == "variant":
                if line.startswith("+") and not line.startswith("+++"):
                    line = line[1:]
                elif not line.startswith("# title:"):
                    continue
            elif kind == "master" and line.lstrip().startswith(("```", "~~~")):
                continue  # opening fences are the format, which the authoring room itself spells out
            found.setdefault(canonical(line), line.strip())
    return found


def _readings(data: bytes) -> Iterator[str]:
    """The texts that `data` may be: as it stands, and the strings inside JSON with lists of lines joined."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = data.decode("utf-16", "replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
    yield text
    if text.lstrip()[:1] in ("{", "["):
        try:
            yield "\n".join(_strings(json.loads(text)))
        except (ValueError, RecursionError):
            pass


def _strings(value) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for pair in value.items() for item in pair for text in _strings(item))
    elif isinstance(value, list):
        if all(isinstance(item, str) for item in value):
            yield "".join(value)
        else:
            yield from (text for item in value for text in _strings(item))


def _forms(text: str) -> set[str]:
    """The canonical forms of a text: as it is, and without tags (a highlighter wraps every word in one)."""
    plain = _UNICODE_ESCAPE.sub(lambda match: chr(int(match.group(1), 16)), text)
    return {
        canonical(form) for form in {text, plain, html.unescape(_TAG.sub("", plain)), html.unescape(plain)}
    }


def canonical(text: str) -> str:
    """Without blanks, quotes and backslashes: the same before and after any depth of quoting."""
    return _DROPPED.sub("", html.unescape(text))


def _spellings(secret: bytes) -> set[bytes]:
    """Raw, hexadecimal, base64. A secret that is a line of hexadecimal digits counts as bytes, too."""
    secret = secret.strip(b"\r\n ") or secret
    if len(secret) < SHORTEST_SECRET:
        raise ValueError(f"a secret of {len(secret)} bytes is too short to be searched for")
    raw = [secret]
    if len(secret) >= 4 * SHORTEST_SECRET and re.fullmatch(rb"(?:[0-9a-fA-F]{2})+", secret):
        raw.append(bytes.fromhex(secret.decode()))
    return {spelling for one in raw for spelling in _spelled(one)}


def _spelled(secret: bytes) -> set[bytes]:
    found = {secret, secret.hex().encode(), secret.hex().upper().encode()}
    for shift in range(3):  # base64 spells a text in three ways, by where in the encoded whole it begins
        middle = base64.b64encode(bytes(shift) + secret)
        skip, keep = (0, 2, 3)[shift], (shift + len(secret)) // 3 * 4
        found |= {middle[skip:keep], middle[skip:keep].translate(bytes.maketrans(b"+/", b"-_"))}
    return {spelling for spelling in found if len(spelling) >= SHORTEST_SECRET}
