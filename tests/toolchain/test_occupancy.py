"""Occupancy against the CUDA toolkit's own header, and against a driver's answers where they were measured."""

import csv
import subprocess
from pathlib import Path

import pytest

from grader.toolchain import locate
from grader.toolchain.occupancy import MULTIPROCESSORS, occupancy
from grader.toolchain.resources import Resources

HERE = Path(__file__).parent
MEASURED = HERE / "h200_occupancy.csv"


def resources(registers=32, shared=0, barriers=1):
    return Resources(
        registers=registers, spill_store_bytes=0, spill_load_bytes=0, stack_bytes=0, shared_bytes=shared,
        barriers=barriers,
    )  # fmt: skip


def test_the_toolkits_header_says_the_same(tmp_path):
    include, compiler = locate.cuda_include(), locate.gxx()
    if not compiler or not include or not (include / "cuda_occupancy.h").exists():
        pytest.skip("needs g++ and cuda_occupancy.h")
    program = tmp_path / "occupancy"
    subprocess.run([compiler, "-O1", f"-I{include}", HERE / "occupancy.cpp", "-o", program], check=True)
    lines = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(lines) > 100_000
    for line in lines:
        capability, *numbers = line.split()
        registers, fixed, dynamic, threads, barriers, blocks = map(int, numbers)
        assert occupancy(resources(registers, fixed, barriers), threads, dynamic, capability).blocks == blocks, line


def test_what_limits_is_named():
    assert occupancy(resources(32), 256).limited_by == ("warps", "registers")
    assert occupancy(resources(128), 256).limited_by == ("registers",)
    assert occupancy(resources(20, shared=40_000), 64).limited_by == ("shared memory",)
    assert occupancy(resources(20), 32).limited_by == ("blocks",)
    assert occupancy(resources(20, barriers=9), 32, capability="9.0").limited_by == ("barriers",)
    full = occupancy(resources(32), 256)
    assert (full.blocks, full.warps, full.fraction) == (8, 64, 1.0)
    assert occupancy(resources(128), 256).fraction == 0.25


def test_a_block_that_cannot_run_has_no_occupancy():
    assert occupancy(resources(65), 1024).blocks == 0
    assert occupancy(resources(20), 64, 200_000).limited_by == ("shared memory",)
    assert occupancy(resources(20), 1056).limited_by == ("threads",)
    for wrong in ({"block_threads": 0}, {"block_threads": 32, "dynamic_shared": -1}):
        with pytest.raises(ValueError):
            occupancy(resources(), **wrong)
    with pytest.raises(ValueError, match="7.5, 8.0"):
        occupancy(resources(), 32, capability="3.5")


def test_the_driver_of_an_h200_says_the_same():
    for row in csv.DictReader(open(MEASURED)):
        registers, fixed, threads, dynamic, blocks = (
            int(row[key]) for key in ("registers", "static_shared", "threads", "dynamic_shared", "blocks")
        )
        assert occupancy(resources(registers, fixed), threads, dynamic, "9.0").blocks == blocks, row


def test_every_capability_of_the_course_is_there():
    assert list(MULTIPROCESSORS) == ["7.5", "8.0", "8.6", "8.9", "9.0"]
