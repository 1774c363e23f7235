"""What CUDA C++ compiles to is run, for each architecture that the course may meet, but for a short list."""

from __future__ import annotations

import pytest
from sweep import ARCHITECTURES, REFUSED, family, sweep


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_only_the_documented_opcodes_are_refused(arch):
    found = sweep(arch)
    assert found.functions > 1600 and len(found.opcodes) > 1000
    refused = {family(opcode) for opcode in found.refused}
    assert refused <= REFUSED, found.refused
    assert refused == REFUSED or arch != ARCHITECTURES[-1]  # the newest has all of them
