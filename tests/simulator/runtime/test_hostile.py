"""Whatever a plugin process sends, the device process goes on. Longer: ``hostile.py --count``."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile import attack
from plugin_process import PluginProcess

from grader.simulator.runtime.protocol import REQUEST, Call


def resident(pid: int) -> int:
    """Bytes of memory that a process takes."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096


@pytest.mark.parametrize("seed", [1, 2])
def test_random_requests_harm_nobody_else(device, image, seed):
    assert attack(device, image, 2500, seed) > 0


def test_a_claimed_length_takes_no_memory(device):
    pid = device._transport._supervisor._process.pid
    before = resident(pid)
    with device.connection() as raw:
        PluginProcess(raw)
        raw.sendall(REQUEST.pack(Call.COPY, 0, 0, 1 << 28, *[0] * 8))  # as much as is allowed, and nothing comes
        assert device.synchronize() == 0
        with device.connection() as other:
            PluginProcess(other).malloc(64)
        assert resident(pid) - before < 16 << 20


@pytest.mark.parametrize("nbytes", [(1 << 28) + 1, 1 << 40, (1 << 64) - 1])
def test_a_length_beyond_reason_ends_the_connection(device, nbytes):
    with device.connection() as raw:
        PluginProcess(raw)
        raw.sendall(REQUEST.pack(Call.COPY, 0, 0, nbytes, *[0] * 8))
        assert raw.recv(1) == b""
    assert device.synchronize() == 0
