"""TensorRT's headers as a list of declarations: name, file, line, text, what the comment above says, and the status.

A reader of NVIDIA's public headers, not of C++: it follows braces, semicolons and ``//!`` comments, which is enough for
the ``NvInfer*.h`` of 8.6 to 10.x. Nothing of them is kept here; they are read where they lie.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grader.toolchain.tensorrt import headers_version

_SCOPE = re.compile(
    r"(?:inline )?(?P<kind>namespace|enum class|enum|class|struct|union)\b(?P<marks>(?:\s+TRT_\w+)*)"
    r"\s*(?P<name>\w*)\s*(?:final\s*)?(?::(?!:)\s*(?P<bases>[^{]*))?$"
)
_ALIAS = re.compile(r"using (\w+) = (?:(v_\d+_\d+)::)?(\w+)$")
_FUNCTION = re.compile(r"(~?\w+|operator\W+)\s*\(")
_VARIABLE = re.compile(r"(\w+)\s*(?:\[[^\]]*\])?\s*(?:=.*)?(?:\{.*\})?$")
_PARAGRAPH = re.compile(r"\\(?:(?:class|struct|enum|typedef)\s+\w+|(\w+))\s*")
_SENTENCE = re.compile(r"(?<!e\.g\.)(?<!i\.e\.)(?<=[.!?])\s+(?=[A-Z`'\\])")
_SINCE = re.compile(r"Deprecated: Deprecated in (?:TensorRT )?(\d+\.\d+)")
_MARKS = {"note": "Note: ", "warning": "Warning: ", "return": "Returns: ", "see": "See ", "param": "Parameter ",
          "deprecated": "Deprecated: "}  # fmt: skip
_INFO = re.compile(r'InterfaceInfo\{"([^"]+)", (\d+), (\d+)\}')


@dataclass(frozen=True)
class Declaration:
    """``name`` is qualified as one writes it: "IPluginV3OneBuildV2::getAliasedInput"."""

    name: str
    kind: str  # "class", "struct", "enum", "value", "method", "member", "function", "type"
    file: str  # "NvInferRuntime.h"
    line: int
    text: str  # in one line, without the body
    sentences: tuple[str, ...] = ()  # of the comment above, in order
    since: str | None = None  # deprecated since; "?" where the headers do not say
    bases: tuple[str, ...] = ()
    info: str | None = None  # of a versioned interface: "PLUGIN_V3ONE_BUILD 2.0"
    pure: bool = False  # a method without a body of its own: a plugin must have it

    @property
    def status(self) -> str:
        return "current" if self.since is None else f"deprecated since {self.since}"


@dataclass
class _Scope:
    kind: str
    name: str
    at: int = -1  # of its declaration in the list


@dataclass
class _File:
    name: str
    found: list[Declaration] = field(default_factory=list)
    aliases: dict[tuple[str, str], Declaration] = field(default_factory=dict)  # (v_2_0, IPluginV3OneBuild) -> alias


def index(folder: Path) -> Mapping[str, Declaration]:
    """All declarations of the headers in ``folder`` by their qualified names; of overloads, the first."""
    stamp = headers_version(folder) or ""
    return _index(folder, stamp)


@functools.lru_cache(maxsize=4)
def _index(folder: Path, version: str) -> Mapping[str, Declaration]:
    files = [_read(path) for path in sorted(folder.glob("NvInfer*.h")) if path.name != "NvInferImpl.h"]
    aliases = {key: alias for file in files for key, alias in file.aliases.items()}
    by_name: dict[str, Declaration] = {}
    for file in files:
        for one in file.found:
            one = _renamed(one, aliases)
            by_name.setdefault(one.name, one)
    for alias in aliases.values():
        by_name.setdefault(alias.name, alias)
    for name, one in by_name.items():  # what belongs to a deprecated class is deprecated with it
        owner = by_name.get(name.rpartition("::")[0])
        if owner and owner.since and one.since in (None, "?"):
            by_name[name] = _with(one, since=owner.since)
    return by_name


def _renamed(one: Declaration, aliases: Mapping[tuple[str, str], Declaration]) -> Declaration:
    """With the name that ``using`` gives to a class of v_1_0 or v_2_0, and what is said there about it."""
    space, _, rest = one.name.partition("::")
    if not re.fullmatch(r"v_\d+_\d+", space):
        return one
    head, _, tail = rest.partition("::")
    alias = aliases.get((space, head))
    bases = tuple(_base(base, aliases) for base in one.bases)
    if alias is None:
        return _with(one, name=rest, bases=bases)
    if tail:
        return _with(one, name=f"{alias.name}::{tail}", bases=bases)
    since = alias.since or one.since
    return _with(one, name=alias.name, bases=bases, sentences=alias.sentences, since=since)


def _base(base: str, aliases: Mapping[tuple[str, str], Declaration]) -> str:
    space, _, name = base.rpartition("::")
    alias = aliases.get((space, name))
    return alias.name if alias else name


def _with(one: Declaration, **changes) -> Declaration:
    return Declaration(**{**one.__dict__, **changes})


def _read(path: Path) -> _File:
    file = _File(path.name)
    scopes: list[_Scope] = []
    buffer, doc, start, skip, body = "", [], 0, 0, ""
    for number, line, comment in _lines(path):
        if comment is not None:
            if not buffer.strip() and not skip:
                doc.append(comment)
            continue
        for piece in re.findall(r"[{};,()]|[^{};,()]+", line):
            if skip:  # inside a body: only its braces count
                skip += (piece == "{") - (piece == "}")
                body += piece
                if not skip:
                    _told(file, scopes, body)
                    body = ""
                    buffer, doc = "", []
                continue
            enum = bool(scopes) and scopes[-1].kind.startswith("enum")
            if piece == "{":
                scope = _SCOPE.search(_tidy(buffer))
                initial = re.search(r"[=\w\]]\s*$", buffer) and "(" not in buffer and not scope
                if scope:
                    _open(file, scopes, scope, start, doc)
                    buffer, doc = "", []
                elif initial:  # "int32_t nbFields{};"
                    buffer += piece
                else:
                    _declare(file, scopes, buffer, start, doc)
                    skip = 1
            elif piece == "}":
                if "{" in buffer:
                    buffer += piece
                else:
                    if enum:
                        _declare(file, scopes, buffer, start, doc)
                    if scopes:
                        scopes.pop()
                    buffer, doc = "", []
            elif piece == ";" or (piece == "," and enum and buffer.count("(") == buffer.count(")")):
                _declare(file, scopes, buffer, start, doc)
                buffer, doc = "", []
            else:
                if not buffer.strip() and piece.strip():
                    start = number
                buffer += piece
                if buffer.strip() in ("public:", "protected:", "private:"):
                    buffer, doc = "", []
    return file


def _lines(path: Path) -> Iterator[tuple[int, str, str | None]]:
    """Number, code, None; or number, "", the text of a ``//!`` line. Without preprocessor and other comments."""
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), path.read_text(errors="replace"), flags=re.S)
    text = re.sub(r"\\\n", " \n", text)
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("//!") and not stripped.startswith("//!<"):
            yield number, "", stripped[3:].strip()
        elif not stripped.startswith("#"):
            yield number, re.sub(r"//.*", "", line) + " ", None


def _open(file: _File, scopes: list[_Scope], found: re.Match, line: int, doc: list[str]) -> None:
    kind, name = found["kind"], found["name"]
    scope = _Scope(kind, name)
    if kind != "namespace" and name and not re.search(r"\btemplate\b", found.string):
        bases = tuple(
            part.split()[-1].removeprefix("nvinfer1::") for part in (found["bases"] or "").split(",") if part.split()
        )
        text = _tidy(found.string)
        shown = "enum" if kind.startswith("enum") else kind
        scope.at = len(file.found)
        bases = () if shown == "enum" else bases
        file.found.append(_made(file, scopes, name, shown, line, text, doc, bases=bases))
    scopes.append(scope)


def _declare(file: _File, scopes: list[_Scope], buffer: str, line: int, doc: list[str]) -> None:
    text = _tidy(buffer)
    if alias := _ALIAS.match(text):
        made = _made(file, scopes, alias[1], "type", line, text, doc, bases=(alias[3],))
        if alias[2]:
            file.aliases[alias[2], alias[3]] = _with(made, name=alias[1])
        else:
            file.found.append(made)
        return
    if not text or text.startswith(("friend ", "template", "using ", "typedef", "static_assert")):
        return
    if scopes and scopes[-1].kind.startswith("enum"):
        name, kind = re.match(r"\w+", text), "value"
        name = name and name[0]
    elif (function := _FUNCTION.search(text)) and "=" not in text[: function.start()]:
        name, kind = function[1].strip(), "method" if _in_class(scopes) else "function"
        if scopes and name.removeprefix("~") == scopes[-1].name:
            return
    elif re.match(r"(?:class|struct|enum)\b", text) or not (variable := _VARIABLE.search(text)):
        return  # a forward declaration
    else:
        name, kind = variable[1], "member" if _in_class(scopes) else "constant"
    if name:
        file.found.append(_made(file, scopes, name, kind, line, text, doc))


def _made(file: _File, scopes: list[_Scope], name, kind, line, text, doc, **more) -> Declaration:
    path = [scope.name for scope in scopes if scope.name and scope.name not in ("nvinfer1", "impl")]
    sentences = _sentences(doc)
    marked = re.search(r"TRT_DEPRECATED\w*", text) is not None
    version = next((found[1] for one in sentences if (found := _SINCE.match(one))), None)
    since = version or ("?" if marked else None)
    shown = re.sub(r"\bTRT_DEPRECATED\w*\s*|\s*=\s*0$", "", text)
    pure = kind == "method" and text.endswith("= 0")
    told = "::".join([*path, name]), kind, file.name, line, _tidy(shown), sentences, since
    return Declaration(*told, pure=pure, **more)


def _told(file: _File, scopes: list[_Scope], body: str) -> None:
    """What getInterfaceInfo returns, noted at its class."""
    if (info := _INFO.search(body)) and scopes and scopes[-1].at >= 0:
        at = scopes[-1].at
        file.found[at] = _with(file.found[at], info=f"{info[1]} {info[2]}.{info[3]}")


def _in_class(scopes: list[_Scope]) -> bool:
    return bool(scopes) and scopes[-1].kind in ("class", "struct", "union")


def _sentences(doc: list[str]) -> tuple[str, ...]:
    """The comment's sentences. A command such as ``\\note`` or an empty line begins a new one."""
    paragraphs: list[str] = [""]
    for line in doc:
        opening = _PARAGRAPH.match(line)
        if opening or not line:
            paragraphs.append("")
        word = (opening[1] or "") if opening else ""
        rest = line[opening.end() :] if opening else line
        paragraphs[-1] += f" {_MARKS.get(word, '')}{rest}"
    return tuple(s for p in paragraphs if p.strip() for s in _SENTENCE.split(_tidy(p)))


def _tidy(text: str) -> str:
    return re.sub(r"\(\s+", "(", " ".join(text.split()))
