"""What a kernel takes of a multiprocessor, by ptxas: registers, spills, stack, shared memory, barriers.

NVRTC has ptxas inside, and runs it where the architecture is a real one (``sm_80``, not ``compute_80``); with
``-Xptxas -v`` it reports in its log. So the numbers need no GPU, and no other tool than the compiler of every check.
They are of that architecture and of this compiler's version: another ptxas may give a kernel other registers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.toolchain.kernel import compile_kernel
from grader.toolchain.records import Source
from grader.verdict import State

_REPORT = ("-Xptxas", "-v")
_ENTRY = re.compile(r"^[ \t]*(?:\.visible\s+|\.weak\s+)*\.entry\s+([\w$]+)", re.M)
_BEGINS = re.compile(r"ptxas info\s*: Compiling entry function '([\w$]+)' for 'sm_\w+'")
_NUMBERS = {
    "registers": r"Used (\d+) registers",
    "spill_store_bytes": r"(\d+) bytes spill stores",
    "spill_load_bytes": r"(\d+) bytes spill loads",
    "stack_bytes": r"(\d+) bytes (?:cumulative stack size|stack frame)",
    "shared_bytes": r"(\d+) bytes smem",
    "barriers": r"used (\d+) barriers",
}


class ResourcesUnavailable(Exception):
    """The file does not compile, or nothing here can compile it. ``state`` types it; ``sentence`` is plain text."""

    def __init__(self, state: State, sentence: str):
        super().__init__(sentence)
        self.state, self.sentence = state, sentence


@dataclass(frozen=True)
class Resources:
    """Of one kernel. Bytes of spills are those of the code, each instruction once for a thread, not of its runs."""

    registers: int  # of a thread
    spill_store_bytes: int  # registers saved to local memory, since there are too few
    spill_load_bytes: int
    stack_bytes: int  # local memory of a thread: spills, arrays, frames of called functions
    shared_bytes: int  # static shared memory of a block
    barriers: int


def kernel_resources(source: Source, arch: str = "sm_80", options: Sequence[str] = ()) -> Mapping[str, Resources]:
    """The resources of every kernel of a file, by its name in the module. Screened, compiled in the compile child and
    cached like any compilation. ``ResourcesUnavailable`` where it does not compile; ``ValueError`` for an ``arch``
    that is no real architecture."""
    if not re.fullmatch(r"sm_\d+[af]?", arch):
        raise ValueError(f"{arch!r} is no real architecture such as 'sm_80': ptxas compiles for nothing else")
    compiled = compile_kernel(source, arch=arch, options=(*options, *_REPORT))
    if compiled.state is not State.PASS or compiled.ptx is None:
        raise ResourcesUnavailable(compiled.state, compiled.message)
    found = _read(compiled.log)
    # A message of the source's own may look like a report, but stands in front of it: the last one counts.
    names = dict.fromkeys(_ENTRY.findall(compiled.ptx))
    if missing := names.keys() - found.keys():
        raise ResourcesUnavailable(State.GRADER_FAULT, f"ptxas reports nothing about {', '.join(sorted(missing))}.")
    return {name: found[name] for name in names}


def _read(log: str) -> dict[str, Resources]:
    """The reports of a log. What follows a kernel's compile time is about functions that it calls."""
    parts = _BEGINS.split(log)
    return {
        name: _resources(text.split("Compile time")[0]) for name, text in zip(parts[1::2], parts[2::2], strict=True)
    }


def _resources(report: str) -> Resources:
    """A number that is not named is zero. The stack stands twice: of the kernel alone, then with all that it calls."""
    numbers = {key: re.findall(pattern, report) for key, pattern in _NUMBERS.items()}
    return Resources(**{key: int(values[-1]) if values else 0 for key, values in numbers.items()})
