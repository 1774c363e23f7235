"""What PTX says of its kernels' parameters, whatever the code in them is."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from grader.simulator.device import Parameter

SIZES = {
    "b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "b32": 4, "u32": 4, "s32": 4, "f32": 4,
    "b64": 8, "u64": 8, "s64": 8, "f64": 8,
}  # fmt: skip
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*(?:\(([^)]*)\))?([^{;]*)[{;]")
_PARAMETER = re.compile(
    r"\.param\s+(?:\.align\s+(?P<align>\d+)\s+)?\.(?P<type>\w+)\s+"
    r"(?:\.ptr\s+(?:\.(?!align)\w+\s+)?(?:\.align\s+\d+\s+)?)?[\w$]+\s*(?:\[\s*(?P<count>\d+)\s*\])?"
)
_MOST_THREADS = re.compile(r"\.(?:max|req)ntid\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?")


@dataclass(frozen=True)
class Signature:
    name: str
    parameters: tuple[Parameter, ...]
    max_threads: int | None  # of a block, from __launch_bounds__


def signatures(ptx: str) -> dict[str, Signature]:
    """The kernels of a module by name. ``ValueError`` for a parameter that this does not understand."""
    found = {}
    for name, listed, directives in _ENTRY.findall(_COMMENT.sub("", ptx)):
        parameters, offset = [], 0
        for text in filter(None, map(str.strip, listed.split(","))):
            match = _PARAMETER.fullmatch(text)
            if match is None or match["type"] not in SIZES:
                raise ValueError(f"kernel {name}: a parameter that is not understood: {text}")
            size = SIZES[match["type"]] * int(match["count"] or 1)
            align = int(match["align"] or SIZES[match["type"]])
            offset += -offset % align
            parameters.append(Parameter(type=match["type"], size=size, align=align, offset=offset))
            offset += size
        bound = _MOST_THREADS.search(directives)
        threads = math.prod(int(extent) for extent in bound.groups() if extent) if bound else None
        found[name] = Signature(name, tuple(parameters), threads)
    return found
