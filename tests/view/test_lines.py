"""Counters beside the source."""

from __future__ import annotations

import numpy as np
import pytest

from grader.gpu import mirror as cp
from grader.gpu import profile
from grader.view import line_view

CODE = r"""
extern "C" __global__ void column(const float* x, float* y)
{
    __shared__ float tile[32 * 32];
    int t = threadIdx.x;
    tile[32 * t] = x[32 * t];
    __syncthreads();

    if (t % 2) y[t] = tile[32 * t];
}
extern "C" __global__ void fill(float* y) { y[threadIdx.x] = 1.0f; }
""".lstrip()


@pytest.fixture
def profiled(gpu):
    module = cp.RawModule(code=CODE)
    x, y = cp.asarray(np.zeros(1024, np.float32)), cp.zeros(32, np.float32)
    with profile() as p:
        for _ in range(2):
            module.get_function("column")((1,), (32,), (x, y))
        module.get_function("fill")((1,), (32,), (y,))
    return p


def test_each_line_has_its_requests_and_what_they_cost(profiled):
    view = line_view(profiled, "column")
    by_number = {line.number: line for line in view.lines}
    line = by_number[5]
    assert (line.accesses["loads"].requests, line.accesses["loads"].each) == (2, 32)
    assert (line.accesses["shared memory"].requests, line.accesses["shared memory"].cost) == (2, 64)
    assert line.source.strip() == "tile[32 * t] = x[32 * t];"
    assert by_number[8].accesses["stores"].cost == 8 and by_number[8].lanes < 1
    assert by_number[7].source == "" and by_number[7].instructions == 0  # between two that did something
    assert view.headings == ["loads", "stores", "shared memory"] and "2 launches" in view.title


def test_what_costs_most_comes_first(profiled):
    view = line_view(profiled, "column", order="cost")
    assert [line.number for line in view.lines][:2] == [5, 8]
    assert all(line.instructions for line in view.lines)


def test_text_and_html_say_the_same_numbers(profiled):
    view = line_view(profiled, "column")
    row = next(row for row in repr(view).splitlines() if "x[32 * t]" in row)
    assert row.split("tile")[0].split()[4:] == ["2", "32", "2", "32"]
    html = view._repr_html_()
    assert "<td>2</td><td><span style=\"--share:100%\">32</span></td>" in html and "estimates" in html
    assert '<th scope="row">5</th>' in html and "tile[32 * t] = x[32 * t];" in html


def test_a_trace_shows_the_lines_of_its_launch(traced, code):
    view = line_view(traced("columns"))
    assert max(line.accesses["shared memory"].each for line in view.lines if "shared memory" in line.accesses) == 32


def test_registers_and_occupancy_stand_below(profiled):
    resources, occupancy = profiled.resources["column"], profiled.occupancy["column"]
    words = line_view(profiled, "column").resources
    assert f"{resources.registers} registers a thread, none spilled, 4,096 bytes" in words
    assert f"{occupancy.blocks} blocks at once on a multiprocessor: occupancy {100 * occupancy.fraction:.0f} %" in words


def test_a_launch_alone(profiled):
    assert "kernel fill, one launch" in repr(line_view(profiled.launches[-1]))


@pytest.mark.parametrize("kernel, order, word", [("", "source", "choose a kernel: column, fill"),
                                                 ("other", "source", "no kernel 'other'"),
                                                 ("fill", "size", "'source' or 'cost'")])  # fmt: skip
def test_refuses_what_there_is_not(profiled, kernel, order, word):
    with pytest.raises(ValueError, match=word):
        line_view(profiled, kernel, order=order)
