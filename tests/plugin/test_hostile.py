"""A sample of the hostile libraries, another each day; all of them by `make prove`.

GRADER_HOSTILE_SEED chooses the sample again that a failure names.
"""

import datetime
import os
import struct

import hostile_libraries
import pytest

from grader.checks.conformance.run import conform
from grader.toolchain import tensorrt
from grader.verdict import State

pytestmark = pytest.mark.skipif(
    tensorrt.lean_library() is None or tensorrt.tensorrt_include() is None,
    reason="the plugin lane is not installed: grader plugin-lane",
)
SEED = int(os.environ.get("GRADER_HOSTILE_SEED", datetime.date.today().toordinal()))


@pytest.mark.parametrize("case", hostile_libraries.sample(20, SEED), ids=lambda case: f"{case.name}-seed-{SEED}")
def test_a_hostile_library_gets_a_verdict(case):
    hostile_libraries.judge(case)


def test_the_library_is_right_by_itself():
    hostile_libraries.judge(hostile_libraries.Case("nowhere.nothing", hostile_libraries.PASSES))


def truncated(data: bytes) -> bytes:
    return data[: len(data) // 32]


def for_32_bits(data: bytes) -> bytes:
    """The header of a shared library for 32-bit x86, and nothing more."""
    header = struct.pack("<HHIIIIIHHHHHH", 3, 3, 1, 0, 0, 0, 0, 52, 32, 0, 40, 0, 0)
    return b"\x7fELF\x01\x01\x01" + bytes(9) + header


def for_another_machine(data: bytes) -> bytes:
    return data[:18] + (0xB7).to_bytes(2, "little") + data[20:]  # aarch64


@pytest.mark.parametrize(
    "damage, words",
    [
        (lambda data: b"", "empty"),
        (lambda data: b"no library at all", ""),
        (lambda data: data[:64], ""),
        (truncated, ""),
        (for_32_bits, "32-bit"),
        (for_another_machine, "aarch64"),
    ],
    ids=["empty", "text", "header", "truncated", "32-bit", "aarch64"],
)
def test_a_file_that_is_no_library_fails_to_load(tmp_path, damage, words):
    path = tmp_path / "broken.so"
    path.write_bytes(damage(hostile_libraries.library().read_bytes()))
    report = conform(path)
    [result] = report.failed
    assert result.check == "loads" and result.state in (State.FAIL, State.CRASH)
    assert words in result.message and len(result.message) > 10
    hostile_libraries.check_forms(hostile_libraries.Case("file", "loads"), report)
