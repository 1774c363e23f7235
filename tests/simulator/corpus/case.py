"""Reads a kernel of the corpus: what it is launched with, and what must be said of it.

A file begins with ``//`` lines: one sentence about the kernel, then tags. The values are Python expressions over
NumPy's names, the small functions of ``data.py`` and what stands above them: ``x`` is a buffer's contents, ``x_at`` its
address.

    // @fault race, uninitialised_shared        the kinds that are right; none: the kernel is right
    // @says barrier                            what the fault's sentence must hold, commas between several
    // @buffer x                                the buffer that the fault must name
    // @launch grid=4, block=256, shared=1024   also blocks=(first, last), budget
    // @in x = normal(1000)                     an input, which kernels may only read
    // @inout y = zeros(1000, i32)              a buffer with contents
    // @out y = empty(1000)                     a buffer that nobody has written
    // @freed x = normal(8)                     a buffer that is freed before the launch
    // @scalar n = 1000                         or an address: 0, x_at + 4
    // @expect y = 2 * x                        the result; inputs and scalars go by their names
    // @close 1e-5                              relative and absolute tolerance of the results; without it: exact

Parameters are given in the kernel's order. In the text, ``// <- fault`` ends the line that must be told,
``// <- other`` one that is right as well (the second side of a race, another place where threads wait).
``// fix: code`` at the end of a line stands for that line in the *mended* kernel, which must be silent; a line that
holds nothing else is put in.
``@mended TAG`` is a tag of the mended kernel alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
ROLES = ("in", "out", "inout", "freed", "scalar")
_TAG = re.compile(r"//\s*@(mended\s+)?(\w+)\s*(.*)")
_MARK = re.compile(r"//\s*<-\s*(?:fault|other)\b")
_FIX = re.compile(r"^(\s*)(.*?)\s*// fix: (.*)$")


@dataclass
class Case:
    name: str  # "faulty/some_kernel", with " mended" behind it if it is
    text: str
    sentence: str = ""
    kinds: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    buffer: str | None = None
    lines: tuple[int, ...] = ()
    launch: tuple[str, ...] = ()
    arguments: dict[str, tuple[str, str]] = field(default_factory=dict)  # name -> (role, expression)
    results: dict[str, str] = field(default_factory=dict)
    close: float = 0.0

    @property
    def file(self) -> str:
        return self.name.split("/")[1].split()[0] + ".cu"


def read(path: Path, *, mended: bool = False) -> Case:
    text = path.read_text()
    case = Case(f"{path.parent.name}/{path.stem}" + " mended" * mended, text)
    lines = text.splitlines()
    case.lines = tuple(k for k, line in enumerate(lines, 1) if _MARK.search(line))
    for line in lines:
        if not line.startswith("//"):
            break
        if (tag := _TAG.match(line)) is None:
            case.sentence = f"{case.sentence} {line[2:].strip()}".strip()
        elif mended or not tag[1]:
            _take(case, tag[2], tag[3].strip())
    if mended:
        case.kinds, case.says, case.buffer, case.lines = (), (), None, ()
        case.text = "\n".join(map(_mend, lines))
    return case


def _take(case: Case, tag: str, value: str) -> None:
    if tag in ("fault", "says"):
        words = tuple(word.strip() for word in value.split(","))
        if tag == "fault":
            case.kinds = words
        else:
            case.says = words
    elif tag == "buffer":
        case.buffer = value
    elif tag == "launch":
        case.launch += (value,)
    elif tag == "close":
        case.close = float(value)
    elif tag == "expect" or tag in ROLES:
        name, expression = (part.strip() for part in value.split("=", 1))
        if tag == "expect":
            case.results[name] = expression
        else:
            case.arguments[name] = (tag, expression)
    else:
        raise ValueError(f"{case.name}: no tag is called @{tag}")


def _mend(line: str) -> str:
    found = _FIX.match(line)
    return found[1] + found[3] if found else line


def has_fix(path: Path) -> bool:
    return bool(re.search(r"// fix: |^// @mended ", path.read_text(), re.M))


def all_cases() -> list[Case]:
    """Every kernel, and behind it the mended one where the file says how."""
    cases = []
    for path in sorted(HERE.glob("faulty/*.cu")) + sorted(HERE.glob("right/*.cu")):
        cases.append(read(path))
        if has_fix(path):
            cases.append(read(path, mended=True))
    return cases
