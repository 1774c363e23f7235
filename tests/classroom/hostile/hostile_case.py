"""What a hostile or broken submission is: what it hands in, and what must come of it.

Code that gets where it must not says the word BREACH, put together at run time, so that the word stands in no
submission and any place where it turns up afterwards is a hole. The places to attack (``@HOME@``, ``@CLASS@``,
``@PORT@`` and so on, see ``hostile_class``) are filled in when a case is handed in: an attacker may know them all.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
WARM_UP, GELU = "00_warm_up", "10_masked_gelu"
WORD = "BRE" + "ACH"
ANSWER = "masked-gelu-cases-answer"
EXPLAIN = "masked-gelu-explain"


@dataclass(frozen=True, kw_only=True)
class Case:
    """One submission. ``expect`` maps an exercise to its state and points, as in "fail 0" or "crash|timeout 0";
    exercises that it does not name must have been found missing, with nothing earned."""

    name: str
    tries: str  # what it tries, or what went wrong with it, in a sentence
    source: str = ""  # the public report behind it
    chapter: str = WARM_UP
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    folder: Callable[[Path], None] | None = None  # what else is done to its folder
    expect: Mapping[str, str]
    notes: tuple[str, ...] = ()  # the kinds of notes that an instructor must be shown
    ungraded: str = ""  # words of the reason, where nothing of it can be graded
    seconds: float = 1.0  # what grading it takes, about
    copies: int = 1  # handed in by so many students, who might talk to each other while they are graded
    was: str = ""  # the verdict named before the first run, where that was mistaken, and why


def solution(name: str) -> str:
    return (ROOT / "solutions" / (GELU if "gelu" in name else WARM_UP) / name).read_text()


# --- kernels -------------------------------------------------------------------------------------------------------

_GOOD = {"bounds_guard.cu": solution("bounds_guard.cu")}  # beside each bad answer a good one, which must not suffer
_PASSES = {"bounds-guard": "pass 2"}


def kernel_file(name: str, tries: str, text: str | bytes, expect: str, **more) -> Case:
    """A file ``thread_index.cu`` of its own making."""
    files = {"thread_index.cu": text, **_GOOD, **more.pop("files", {})}
    expected = {"thread-index": expect, **_PASSES, **more.pop("expected", {})}
    return Case(name=name, tries=tries, files=files, expect=expected, **more)


def kernel(name: str, tries: str, body: str, expect: str, *, before: str = "", **more) -> Case:
    """The kernel of thread-index with this body; ``before`` stands above it."""
    text = f'{before}\nextern "C" __global__ void thread_index(float const* x, float* y)\n{{\n{body}\n}}\n'
    return kernel_file(name, tries, text, expect, **more)


# --- host C++ ------------------------------------------------------------------------------------------------------

_CPP = """#pragma once
#include "launch.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

inline void found(char const* what) { std::fprintf(stderr, "%s%s: %s\\n", "BRE", "ACH", what); std::_Exit(7); }
"""
_ENQUEUE = """
inline std::int32_t enqueue(float const* x, float* y, std::int64_t n, Stream stream) noexcept
{
    (void)x; (void)y; (void)n; (void)stream;
"""


def host(name: str, tries: str, body: str, expect: str, *, before: str = "", **more) -> Case:
    """return-status answered by a wrong ``enqueue`` with this body."""
    text = f"{_CPP}{before}\n{_ENQUEUE}{body}\n    return 1;\n}}\n"
    return Case(
        name=name, tries=tries, files={"scale_enqueue.h": text, **_GOOD},
        expect={"return-status": expect, **_PASSES}, **{"seconds": 3.0, **more},
    )  # fmt: skip


# --- Python --------------------------------------------------------------------------------------------------------

_PY = """import numpy as np

class Found(BaseException):
    def __init__(self, what):
        super().__init__('BRE' + 'ACH: ' + str(what)[:300])

def stub():
    return [(np.ones(1, np.float32), np.ones(1, np.uint8))]

"""


def released() -> dict:
    return json.loads((ROOT / "course" / GELU / f"{GELU}.ipynb").read_text())


def python_book(source: str, words: str | None = None) -> dict:
    """The released notebook with this answer cell; ``words`` answers the question in words."""
    book = released()
    for cell in book["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if name == ANSWER:
            cell["source"] = source
        if name == EXPLAIN and words:
            cell["source"] = words
    return book


def answered() -> dict:
    return python_book(solution("masked_gelu_cases.py"), "A NaN times zero is a NaN.")


def python_cell(name: str, tries: str, text: str, expect: str, **more) -> Case:
    """A whole answer cell."""
    book = json.dumps(python_book(text))
    return Case(
        name=name, tries=tries, chapter=GELU, files={f"{GELU}.ipynb": book, **more.pop("files", {})},
        expect={"masked-gelu-cases": expect}, **more,
    )  # fmt: skip


def python(name: str, tries: str, body: str, expect: str = "fail 0", *, before: str = "", **more) -> Case:
    """``cases(seed)`` with this body. What it raises is ignored, unless it found something; the answer is ``stub()``
    then, which is well formed and worth nothing."""
    body = textwrap.indent(textwrap.dedent(body).strip("\n"), " " * 8)
    text = f"""{_PY}{textwrap.dedent(before)}
def cases(seed):
    import os, sys
    try:
{body}
    except Exception:
        pass
    return stub()
"""
    return python_cell(name, tries, text, expect, **more)


# --- notebooks and folders -----------------------------------------------------------------------------------------

RIGHT = "pass 8"


def notebook(name: str, tries: str, change, expect: str = RIGHT, **more) -> Case:
    """The answered notebook after ``change``, which returns another notebook, its bytes, or None for the same."""
    book = answered()
    changed = change(book)
    book = book if changed is None else changed
    data = book if isinstance(book, bytes) else json.dumps(book).encode()
    return Case(
        name=name, tries=tries, chapter=GELU, files={f"{GELU}.ipynb": data, **more.pop("files", {})},
        expect={"masked-gelu-cases": expect}, **more,
    )  # fmt: skip


def by_id(book: dict, grade_id: str) -> dict:
    return next(c for c in book["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == grade_id)
