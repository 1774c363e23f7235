"""The lint of a master: what would show as raw text elsewhere, break grading, or tell too much.

Every message names file and line. `chapter.toml` and the skeletons of the clone are looked at where the
master refers to them; nothing is run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from markdown_it.token import Token

from grader.authoring.clone import AuthoringError, Clone
from grader.authoring.master import Block, Master, read
from grader.authoring.overlap import in_hints, in_master
from grader.course import KIT, Chapter

SECTIONS = (
    "What you will build", "What you need", "Why it is so", "Worked example", "Your turn", "What goes wrong",
    "What this machine cannot tell you", "Check yourself", "Explain it", "Where next",
)  # fmt: skip
FIRST_CELL_LINES = 10
_DIRECTIVE = re.compile(r":{3,}\s*\{|\+\+\+(\s|$)|%\s|\([\w-]+\)=\s*$|\{\{.*\}\}")
_ROLE = re.compile(r"\{[\w:+.-]+\}$")
_ABSOLUTE = re.compile(
    r"(?<![\w./:~-])/(?:home|Users|root|work|workspace|mnt|media|tmp|private)/\w|\b[A-Z]:\\\w|\bfile://"
)


@dataclass(frozen=True, order=True)
class Problem:
    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


def lint(clone: Clone, name: str) -> list[Problem]:
    """Everything to put right in the master of chapter `name`, in order of lines."""
    path = clone.master(name)
    shown = clone.shown(path)
    try:
        master = read(path)
    except (OSError, UnicodeDecodeError) as problem:
        return [Problem(shown, 1, f"cannot be read: {problem}")]
    try:
        chapter = clone.chapter(name)
    except AuthoringError as problem:
        return [Problem(shown, 1, str(problem))]
    found = list(master.problems)
    found += _headings(master, chapter)
    found += _ids(master, chapter)
    found += _markdown(master)
    found += _links(clone, master, name)
    found += _code(master)
    found += _absolute(master)
    found += _hints(master, chapter)
    for slug, rung, text in in_hints(clone, chapter):
        found.append((1, f"hint {rung} of {slug} in chapter.toml spells out the solution: {text}"))
    for line, slug in in_master(clone, master, chapter):
        found.append((line, f"several lines in a row of the solution of {slug} stand here"))
    return [Problem(shown, line, message) for line, message in sorted(set(found))]


Found = Iterator[tuple[int, str]]


def _headings(master: Master, chapter: Chapter) -> Found:
    tops = [line for level, _, line in master.headings if level == 1]
    if len(tops) != 1 or master.headings[0][0] != 1:
        yield (tops[1] if len(tops) > 1 else 1), "a master opens with its title, the only heading of level 1"
    wanted = [title for title in SECTIONS if chapter.number or title != "Explain it"]
    sections = [(title, line) for level, title, line in master.headings if level == 2]
    there = [title for title, _ in sections]
    for title in wanted:
        if title not in there:
            yield 1, f"the section '## {title}' is missing"
    for position, (title, line) in enumerate(sections):
        if title not in wanted:
            yield (
                line,
                f"'## {title}' is not a section of a chapter; use a heading of level 3 inside a section",
            )
        elif title in there[:position]:
            yield line, f"the section '## {title}' is there twice"
    order = [title for title in there if title in wanted]
    if len(set(order)) == len(order) and order != [title for title in wanted if title in order]:
        yield sections[0][1], f"the sections are not in the order: {', '.join(wanted)}"


def _ids(master: Master, chapter: Chapter) -> Found:
    exercises = {exercise.slug: exercise for exercise in chapter.exercises}
    cells: dict[str, dict[str, int]] = {"check": {}, "answer": {}, "explain": {}}
    for block in master.blocks:
        if block.kind not in cells:
            continue
        if block.name in cells[block.kind]:
            yield block.line, f"a second :{block.kind}: cell for {block.name}; ids are used once"
        cells[block.kind].setdefault(block.name, block.line)
        if block.kind == "explain":
            if chapter.explain is None or block.name != chapter.explain.id:
                yield block.line, f"chapter.toml has no [explain] with the id {block.name}"
        elif block.name not in exercises:
            yield block.line, f"chapter.toml has no exercise {block.name}"
        elif block.kind == "answer" and exercises[block.name].kind != "python":
            yield (
                block.line,
                f"{block.name} is answered in files; only a python exercise has an :answer: cell",
            )
    for slug, exercise in exercises.items():
        check, answer = cells["check"].get(slug), cells["answer"].get(slug)
        if check is None:
            yield 1, f"the exercise {slug} of chapter.toml has no :check: cell"
        if exercise.kind == "python" and answer is None:
            yield 1, f"the python exercise {slug} of chapter.toml has no :answer: cell"
        elif exercise.kind == "python" and check is not None and answer > check:
            yield check, f"the :check: cell of {slug} stands before its :answer: cell"
    if chapter.explain and chapter.explain.id not in cells["explain"]:
        yield 1, f"[explain] {chapter.explain.id} of chapter.toml has no :explain: cell"
    if chapter.number and not chapter.explain:
        yield 1, "chapter.toml has no [explain]; every chapter but 0 asks for one short answer in words"


def _markdown(master: Master) -> Found:
    """What only MyST knows, and raw HTML. Other tools, JupyterLab first, would show it as text or drop it."""
    if master.lines and master.lines[0].strip() == "---":
        yield 1, "front matter is not used; open with the title"
    for token in master.tokens:
        if token.type == "fence":
            info = token.info.strip()
            if info.startswith("{") and not re.match(r"\{code-cell\}(\s|$)", info):
                yield (
                    token.map[0] + 1,
                    f"the directive {info.split('}')[0]}}} is not used; only {{code-cell}} is",
                )
        elif token.type == "html_block":
            yield (
                token.map[0] + 1,
                "raw HTML is not used; write Markdown (a comment would reach the learner, too)",
            )
        elif token.type == "inline":
            for offset, text in enumerate(token.content.split("\n")):
                if _DIRECTIVE.match(text.strip()):
                    yield (
                        token.map[0] + 1 + offset,
                        f"{text.strip()[:30]!r} is MyST, not CommonMark; only {{code-cell}} is used",
                    )
            previous = None
            for line, child in _children(token):
                if child.type == "html_inline":
                    yield line, f"raw HTML is not used: {child.content}"
                if child.type == "code_inline" and previous is not None and previous.type == "text":
                    if match := _ROLE.search(previous.content):
                        yield line, f"the role {match.group()} is not used; other tools show it as text"
                previous = child


def _children(token: Token) -> Iterator[tuple[int, Token]]:
    """The inline tokens with the line of each."""
    line = token.map[0] + 1
    for child in token.children or []:
        yield line, child
        line += child.type in ("softbreak", "hardbreak")


def _links(clone: Clone, master: Master, name: str) -> Found:
    anchors = {title.replace(" ", "-") for _, title, _ in master.headings}
    for token in master.tokens:
        for line, child in _children(token) if token.type == "inline" else ():
            if child.type not in ("link_open", "image"):
                continue
            target = str(child.attrs.get("href") or child.attrs.get("src") or "")
            parts = urlsplit(target)
            path = unquote(parts.path)
            if parts.scheme in ("http", "https", "mailto", "attachment"):
                continue
            if parts.scheme or parts.netloc or path.startswith("/"):
                yield (
                    line,
                    f"the link {target} is absolute; link from the chapter's folder, or to a public address",
                )
            elif not path:
                if unquote(parts.fragment) not in anchors:
                    yield line, f"no heading answers the link {target}; write its text with '-' for spaces"
            elif not _linked(clone, name, path):
                yield (
                    line,
                    f"the link {target} leads nowhere: the learner's folder has no such file",
                )


def _linked(clone: Clone, name: str, path: str) -> bool:
    """Whether `path` is there, seen from a learner's folder: notebook and skeletons side by side."""
    steps = ["workspace", name, *path.split("/")]
    resolved: list[str] = []
    for step in steps:
        if step == ".." and resolved:
            resolved.pop()
        elif step not in (".", ""):
            resolved.append(step)
    if resolved[:1] != ["workspace"] or len(resolved) < 3:
        return False
    chapter, rest = resolved[1], "/".join(resolved[2:])
    if rest == f"{chapter}.ipynb":
        return clone.master(chapter).exists()
    if rest.startswith(f"{KIT}/"):
        return (clone.root / "plugin_skeletons" / rest).exists()
    return any((clone.root / tree / chapter / rest).exists() for tree in ("course", "plugin_skeletons"))


def _code(master: Master) -> Found:
    cells = [block for block in master.blocks if block.kind in ("example", "check", "answer")]
    imported = False
    for block in cells:
        imported = imported or bool(
            re.search(r"^from grader import .*\bexercise\b", block.source, re.MULTILINE)
        )
        if block.kind == "check" and not imported:
            yield block.line, "`from grader import exercise` must stand in a cell before the first check"
        yield from _python(block)
    if cells and len(cells[0].source.splitlines()) > FIRST_CELL_LINES:
        yield cells[0].line, f"the first code cell opens the chapter: at most {FIRST_CELL_LINES} lines"


def _python(block: Block) -> Found:
    lines = block.source.split("\n")
    if lines[0].startswith("%%"):
        if lines[0].split()[0] in ("%%bash", "%%sh", "%%script", "%%system", "%%!"):
            yield (
                block.line,
                "a shell cell does not run everywhere; use Python or a grader command in the text",
            )
        return  # another language: %%cuda and the like
    for offset, text in enumerate(lines):
        if text.lstrip().startswith("!") or re.match(r"\s*%(pip|conda|uv|sx|system)\b", text):
            yield block.line + offset, f"no set-up and no shell in a notebook: {text.strip()}"
    plain = "\n".join("" if text.lstrip().startswith(("%", "!")) else text for text in lines)
    try:
        tree = compile(plain, "cell", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except (SyntaxError, ValueError) as problem:
        yield block.line + (getattr(problem, "lineno", None) or 1) - 1, f"this cell is not Python: {problem}"
        return
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and re.match(r"/[A-Za-z]\w*/", node.value)
        ):
            yield (
                block.line + node.lineno - 1,
                f"an absolute path exists on one machine only: {node.value[:60]!r}",
            )


def _absolute(master: Master) -> Found:
    for number, text in enumerate(master.lines, 1):
        if match := _ABSOLUTE.search(text):
            yield number, f"an absolute path exists on one machine only: {text[match.start() :][:40]!r}"


def _hints(master: Master, chapter: Chapter) -> Found:
    """A hint is asked for, rung by rung; the notebook never shows one."""
    text = " ".join(" ".join(master.lines).split())
    for hint in (hint for exercise in chapter.exercises for hint in exercise.hints):
        tidy = " ".join(hint.text.split())
        if len(tidy) >= 20 and tidy in text:
            yield 1, f"a hint of chapter.toml stands in the master: {tidy[:50]!r}"
