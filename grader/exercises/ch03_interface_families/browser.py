"""A small browser of the headers: what a name is, where it stands, and what the comment above it says."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from grader.exercises.ch03_interface_families.headers import Declaration, index
from grader.toolchain.tensorrt import find_headers, headers_version

MOST = 12  # declarations shown at once
BRIEF = 3  # sentences of each, where several are shown
_CODE = "margin:0 0 .3em 1em;white-space:pre-wrap;word-break:normal;font-family:var(--jp-code-font-family,monospace)"
LACKING = "TensorRT's headers are not on this machine yet: run `grader plugin-lane` in a terminal, or wait for it."


class Found:
    """Declarations to show, or the sentence that says why there are none."""

    def __init__(self, declarations: Sequence[Declaration], sentence: str, *, full: bool = True):
        self.declarations, self.sentence, self.full = tuple(declarations), sentence, full

    def __iter__(self):
        return iter(self.declarations)

    def __len__(self) -> int:
        return len(self.declarations)

    def _said(self, one: Declaration) -> tuple[Sequence[str], str]:
        """The sentences to show of one declaration, and how to see the others."""
        if not self.full:
            return (), ""
        if len(self.declarations) == 1 or len(one.sentences) <= BRIEF + 1:
            return one.sentences, ""
        return one.sentences[:BRIEF], f'{len(one.sentences) - BRIEF} more: declarations("{one.name}")'

    def __repr__(self) -> str:
        parts = [self.sentence]
        for one in self.declarations[:MOST]:
            said, more = self._said(one)
            parts.append(f"{one.name}\n  {one.file}:{one.line}, {one.status}\n  {one.text}")
            parts += [f"    {number}. {text}" for number, text in enumerate(said, 1)]
            parts += [f"    {more}"] if more else []
        return "\n".join(filter(None, parts))

    def _repr_html_(self) -> str:
        lead = f"<p>{escape(self.sentence)}</p>" if self.sentence else ""
        return f"<div>{lead}{''.join(map(self._block, self.declarations[:MOST]))}</div>"

    def _block(self, one: Declaration) -> str:
        where = f"{escape(one.file)}, line {one.line} · {escape(one.status)}"
        info = f" · version string {escape(one.info)}" if one.info else ""
        said, more = self._said(one)
        items = "".join(f"<li>{escape(text)}</li>" for text in said)
        return (
            f'<p style="margin:.8em 0 .2em"><b><code>{escape(one.name)}</code></b> · {where}{info}</p>'
            f'<pre style="{_CODE}">{escape(one.text)}</pre>'
            + (f'<ol style="margin:0 0 0 1em">{items}</ol>' if items else "")
            + (f'<p style="margin:.2em 0 0 1.5em"><code>{escape(more)}</code></p>' if more else "")
        )


def declarations(name: str, folder: str | Path | None = None) -> Found:
    """What the headers declare under ``name``: "getAliasedInput", or "IPluginV3OneBuildV2::getAliasedInput".

    Each with file, line, status, and the numbered sentences of its comment. Of an unknown name, the nearest ones.
    ``folder``: other headers than those that the course uses, of 8.6 or 11 say.
    """
    known = _known(folder)
    if known is None:
        return Found((), LACKING)
    asked = plain(name)
    if (one := look_up(asked, known)) is not None:
        return Found([one], "")
    if found := called(asked, known):
        more = f" The first {MOST}:" if len(found) > MOST else ""
        return Found(found, f"{len(found)} declarations are called {asked}.{more}" if len(found) > 1 else "")
    near = nearest(asked, known)
    return Found((), f"The headers declare no {asked}." + (f" Near it: {', '.join(near)}." if near else ""))


def mentions(phrase: str, folder: str | Path | None = None) -> Found:
    """The declarations whose name or comment has ``phrase`` in it, in small letters or capitals: "aliased"."""
    known = _known(folder)
    if known is None:
        return Found((), LACKING)
    wanted = phrase.strip().lower()
    if not wanted:
        return Found((), 'A word to search for is needed: mentions("aliased").')
    found = [
        one for one in known.values()
        if wanted in one.name.lower() or any(wanted in sentence.lower() for sentence in one.sentences)
    ]  # fmt: skip
    plugin_first = sorted(
        found, key=lambda one: ("plugin" not in f"{one.name} {one.file}".lower(), one.since is not None)
    )
    more = f", the first {MOST} of them:" if len(found) > MOST else ":" if found else "."
    count = "1 declaration mentions" if len(found) == 1 else f"{len(found)} declarations mention"
    return Found(plugin_first, f"{count} “{phrase}”{more}", full=False)


def plain(name: str) -> str:
    """A name without what one may write around it: ``nvinfer1::``, parameters, the number of a sentence."""
    text = re.sub(r"\(.*|\s*#\s*\d+\s*$", "", str(name)).strip().replace(".", "::")
    return text.removeprefix("::").removeprefix("nvinfer1::")


def look_up(name: str, known: Mapping[str, Declaration]) -> Declaration | None:
    """The declaration of a qualified name: through ``using`` and, for a method, up to the base that declares it."""
    if name in known and (known[name].kind != "type" or "::" in name):
        return known[name]
    owner, _, member = name.rpartition("::")
    if name in known:  # an alias
        return known.get(known[name].bases[0], known[name])
    seen = set()
    while owner in known and owner not in seen:
        seen.add(owner)
        if (one := known.get(f"{owner}::{member}")) is not None:
            return one
        bases = known[owner].bases
        owner = bases[0] if bases else ""
    return None


def called(name: str, known: Mapping[str, Declaration]) -> list[Declaration]:
    """The declarations whose name, without the class or enumeration that they stand in, is ``name``."""
    return [one for one in known.values() if one.name.rpartition("::")[2] == name]


def nearest(name: str, known: Mapping[str, Declaration]) -> list[str]:
    """Up to three declared names that look or end like ``name``."""
    last = name.rpartition("::")[2]
    same = [one for one in known if one.rpartition("::")[2] == last]
    if same:
        return sorted(same, key=lambda one: -difflib.SequenceMatcher(None, one, name).ratio())[:3]
    near = difflib.get_close_matches(last, {one.rpartition("::")[2] for one in known}, 1, 0.8)
    return [one for one in known if one.rpartition("::")[2] in near][:3]


def _known(folder: str | Path | None) -> Mapping[str, Declaration] | None:
    if folder is not None:
        return index(Path(folder)) if headers_version(Path(folder)) else None
    headers, _ = find_headers()
    return index(headers.folder) if headers else None
