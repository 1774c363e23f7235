"""Cases of "creator not found": libraries that were really built and loaded, and all that is known of the look-up.

How a case was made, and how its evidence is gathered, is in ``tests/exercises/not_found/``.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

CAUSES = {
    "not-loaded": "The library is not in the process that asks: nobody loaded it there, or it was given back.",
    "does-not-load": "The dynamic linker refuses the library: a symbol or another library is missing.",
    "no-entry-point": "loadLibrary does not find getCreators and setLoggerFinder under their plain names.",
    "no-registrar": "dlopen opened the library, and nothing in it registered a creator.",
    "refused": "The registry refuses the whole library: one of its triples is taken.",
    "other-triple": "The creator is registered under another name, version or namespace.",
}
KEYS = {
    "name": "the name that is asked for",
    "version": "the version that is asked for",
    "namespace": "the namespace that is asked for",
    "file": "the library that should have the creator",
    "steps": "what the process did before it asked: [how, file, result]",
    "log": "what the registry told the application's error recorder; empty where it has none",
    "registry": "the libraries' creators in the registry: [name, version, namespace, file]",
    "linker": "what dlopen(RTLD_NOW) says of the file in another process; empty where it opens",
    "exports": "functions that the file exports",
    "undefined": "symbols that the file takes from whoever has them",
    "needed": "libraries that the file needs",
    "creators": "its creators, once another process has loaded it: [name, version, namespace]",
}
BANK = "creator_not_found.jsonl"


@dataclass(frozen=True)
class Case:
    """``theme``: the check that it belongs to. ``proofs``: keys of ``evidence`` each of which proves the cause."""

    id: str
    theme: str
    title: str
    cause: str
    proofs: tuple[str, ...]
    evidence: Mapping


def read(data: bytes | str, rename: Mapping[str, str] = {}) -> tuple[Case, ...]:
    """The cases of a file, one a line; ``rename`` puts one name in the place of another, in all of them."""
    text = data if isinstance(data, str) else data.decode()
    for old, new in rename.items():
        text = text.replace(old, new)
    return tuple(
        Case(row["id"], row["theme"], row["title"], row["cause"], tuple(row["proofs"]), row["evidence"])
        for row in map(json.loads, text.splitlines())
    )


def visible_text() -> str:
    return (resources.files(__package__) / BANK).read_text()


@functools.cache
def visible() -> tuple[Case, ...]:
    return read(visible_text())


def renaming(rng) -> dict[str, str]:
    """Other names of the same lengths (they stand in mangled names) for the plugins of the visible cases."""
    first = ("group_shift", "row_scaling", "masked_gelu", "linear_gate")
    second = ("swish", "mixer", "carry", "noise")
    found = {"scale_shift": str(rng.choice(first)), "clamp": str(rng.choice(second))}
    return found | {_camel(old): _camel(new) for old, new in found.items()}


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))
