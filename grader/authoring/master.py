"""Reads a master: CommonMark with `{code-cell}` blocks, as blocks in order with their lines.

The format stands in docs/architecture.md, 'Masters'. Reading never guesses: whatever does not fit is kept in
`Master.problems` with its line, so that the lint can show all of them and the build refuses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

SPLIT_LEVEL = 3  # a heading up to this level opens a new Markdown cell
_PYTHON = {"", "python", "python3", "ipython", "ipython3"}
_OPTION = re.compile(r":([a-z-]+):\s*(.*?)\s*")
_KINDS = ("check", "answer", "explain")


@dataclass(frozen=True)
class Block:
    """One cell to be. `line` is the line of the first line of `source` in the master, from 1."""

    kind: str  # "text", "example", "check", "answer" or "explain"
    source: str
    line: int
    path: tuple[str, ...]  # the headings above it, outermost first
    name: str = ""  # the slug, or the id of an explain cell
    tags: tuple[str, ...] = ()


@dataclass
class Master:
    blocks: list[Block] = field(default_factory=list)
    headings: list[tuple[int, str, int]] = field(default_factory=list)  # level, text, line
    problems: list[tuple[int, str]] = field(default_factory=list)  # line, message
    tokens: list[Token] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


def read(path: Path) -> Master:
    """Read the master at `path`. OSError and UnicodeDecodeError pass through."""
    return parse(path.read_text(encoding="utf-8"))


def parse(text: str) -> Master:
    """Read a master from its text."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    master = Master(tokens=tokens, lines=text.splitlines())
    path: list[tuple[int, str]] = []
    start = 0  # first line, from 0, of the text that is being gathered

    def close_text(end: int) -> None:
        lines = master.lines[start:end]
        while lines and not lines[-1].strip():
            lines.pop()
        skip = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
        if lines[skip:]:
            titles = tuple(title for _, title in path)
            master.blocks.append(Block("text", "\n".join(lines[skip:]), start + skip + 1, titles))

    for position, token in enumerate(tokens):
        is_cell = token.type == "fence" and token.info.strip().startswith("{code-cell}")
        if is_cell and token.level:
            master.problems.append(
                (token.map[0] + 1, "a code cell must start at the left margin, outside lists and quotes")
            )
        elif token.level:
            continue
        elif token.type == "heading_open":
            level, title = int(token.tag[1]), tokens[position + 1].content
            if level <= SPLIT_LEVEL:
                close_text(token.map[0])
                start = token.map[0]
            path = [(lv, name) for lv, name in path if lv < level] + [(level, title)]
            master.headings.append((level, title, token.map[0] + 1))
        elif is_cell:
            close_text(token.map[0])
            start = token.map[1]
            if not _closed(token, master.lines):
                master.problems.append(
                    (token.map[0] + 1, f"this code cell is never closed by {token.markup}")
                )
            _cell(master, token, tuple(title for _, title in path))
    close_text(len(master.lines))
    return master


def _closed(token: Token, lines: list[str]) -> bool:
    first, end = token.map
    last = lines[end - 1].strip()
    return end - 1 > first and set(last) == {token.markup[0]} and len(last) >= len(token.markup)


def _cell(master: Master, token: Token, path: tuple[str, ...]) -> None:
    """Turn one `{code-cell}` fence into a block, or into a problem."""
    line = token.map[0] + 1
    language = token.info.strip().removeprefix("{code-cell}").strip()
    body = token.content.rstrip("\n").split("\n")
    options: dict[str, str] = {}
    taken = 0
    for taken, text in enumerate([*body, ""]):  # noqa: B007
        match = _OPTION.fullmatch(text)
        if match is None:
            break
        key, value = match.groups()
        if key not in (*_KINDS, "tags") or key in options:
            known = (
                "given twice"
                if key in options
                else "not known; there are :check:, :answer:, :explain: and :tags:"
            )
            master.problems.append((line + 1 + taken, f"option :{key}: is {known}"))
        options[key] = value
    if taken and taken < len(body) and not body[taken].strip():
        taken += 1
    kinds = [kind for kind in _KINDS if kind in options]
    if len(kinds) > 1:
        master.problems.append((line, f"a cell is one of :{': :'.join(kinds)}:, not several"))
    kind = kinds[0] if kinds else "example"
    name = options.get(kind, "")
    if kinds and not re.fullmatch(r"[A-Za-z0-9_-]{1,57}", name):  # nbformat allows 64, and "-answer" is added
        master.problems.append(
            (line, f":{kind}: needs an id of at most 57 letters, digits, '_' and '-', not {name!r}")
        )
    if language not in ({"markdown"} if kind == "explain" else _PYTHON):
        wanted = "markdown" if kind == "explain" else "python"
        master.problems.append((line, f"the language of this code cell must be {wanted}, not {language!r}"))
    source = "\n".join(body[taken:]).rstrip()
    if not source:
        master.problems.append((line, "this code cell is empty"))
    if kind == "check" and source != f'exercise("{name}").check()':
        master.problems.append((line + 1 + taken, f'a check cell holds one line: exercise("{name}").check()'))
    tags = options.get("tags", "[]")
    if not re.fullmatch(r"\[[\w, -]*\]", tags):
        master.problems.append((line, ":tags: takes a list, as in :tags: [hide-input]"))
    names = tuple(tag.strip() for tag in tags.strip("[]").split(",") if tag.strip())
    master.blocks.append(Block(kind, source, line + 1 + taken, path, name, names))
