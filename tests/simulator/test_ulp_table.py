"""The table of how far a GPU's functions are from ours: complete, and within what NVIDIA documents."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from documented_bounds import BOUNDS, Bound, bounds
from math_functions import expressions
from measure_ulp import COLUMNS, row, verdict

HERE = Path(__file__).parent
with (HERE / "h200_ulp.csv").open() as file:
    TABLE = {(line["function"], line["operands"]): line for line in csv.DictReader(file)}
EXPECTED = {(e.name, bound.where): bound for e in expressions() for bound in bounds(e.name)}


def test_the_table_has_a_row_for_every_bound_of_every_function():
    assert list(TABLE) == list(EXPECTED)
    assert all(list(line) == COLUMNS for line in TABLE.values())
    assert set(BOUNDS) <= {e.name for e in expressions()}
    assert all(line["date"] for line in TABLE.values())


def test_every_approximate_instruction_has_a_row():
    accepted = (HERE / "accepted_opcodes.txt").read_text().split()
    approximate = {name for name in accepted if ".approx" in name or ".full" in name}
    assert len(approximate) > 20
    single = {name.replace("f16x2", "f16") for name in approximate}  # two halves are two of one
    assert single <= {function for function, _ in TABLE}


@pytest.mark.parametrize("key", TABLE, ids=" ".join)
def test_a_row_keeps_the_documented_bound(key):
    line, bound = TABLE[key], EXPECTED[key]
    assert line["unit"] == bound.unit
    assert line["bound"] == ("" if bound.most is None else f"{bound.most:.4g}")
    assert line["within"] == verdict(float(line["largest"]), bound.most) != "no"
    assert line["nan_alone"] == "0"
    assert (float(line["largest"]) == 0) == (line["different"] == "0") == (line["with"] == "")


def test_the_units():
    ours = np.array([1.0, 2.0, np.nan, 8.0, np.inf], np.float32).view(np.uint32)
    theirs = np.array([1.0, 2.0 + 2**-21, np.nan, np.nan, np.inf], np.float32).view(np.uint32)
    data = [ours] * 3
    for unit, largest in (("ulp", "2"), ("absolute", "4.76837e-07"), ("relative", "2.38419e-07")):
        line = row("f", "float", Bound(unit, 1.0), ours, theirs, data)
        within = "twice" if unit == "ulp" else "yes"
        assert line == ["f", "", 5, unit, largest, "1", within, 2, 1, "0x40000000 0x40000000 0x40000000"]
    upper = np.array([1.0, 3.0]).view(np.uint64)
    bound = Bound("high ulp", None, "x > 2", lambda x, y: x > 2)
    line = row("f", "double", bound, upper, upper + (3 << 32), [upper] * 3)
    assert line[1:9] == ["x > 2", 1, "high ulp", "3", "", "", 1, 0]
