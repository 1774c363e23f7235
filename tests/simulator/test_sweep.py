"""What CUDA C++ compiles to for the course's architecture is run, but for a short list."""

from __future__ import annotations

from sweep import REFUSED, family, sweep


def test_only_the_documented_opcodes_are_refused():
    found = sweep("compute_80")
    assert found.functions > 1600 and len(found.opcodes) > 1000
    assert {family(opcode) for opcode in found.refused} <= REFUSED, found.refused
