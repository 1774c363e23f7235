import os
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs.py"


@pytest.fixture
def program():
    """The command that runs one of ``programs.py`` in a child."""
    return lambda name: [sys.executable, "-I", str(PROGRAMS), name]


@pytest.fixture
def is_alive():
    """Whether a process runs (a zombie does not)."""

    def check(pid: int) -> bool:
        try:
            with open(f"/proc/{pid}/stat") as file:
                return file.read().rpartition(")")[2].split()[0] not in "ZX"
        except OSError:
            return False

    return check


@pytest.fixture
def descriptors():
    return lambda: len(os.listdir("/proc/self/fd"))
