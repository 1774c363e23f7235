"""Small PTX kernels, one for each form of an instruction, and the inputs that they are run on.

Each kernel loads a, b and c by thread, runs one instruction (or a few that belong together), stores the
result. The same kernels were run on an NVIDIA H200 by ``measure_h200.py``; ``h200_opcodes.json`` keeps what
came out.
"""

from __future__ import annotations

from opcode_cases import approximate, bits, conversions, floats, integers, newer, video
from opcode_cases.case import BYTES, HEADER, Case
from opcode_cases.inputs import BLOCK, COUNT, inputs

__all__ = ["BLOCK", "BYTES", "COUNT", "HEADER", "Case", "cases", "inputs"]


def cases() -> list[Case]:
    families = (integers, bits, floats, conversions, approximate, video, newer)
    return [case for family in families for case in family.cases()]
