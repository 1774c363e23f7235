"""The picture of a grid over an array."""

from __future__ import annotations

import pytest
from matplotlib.patches import Rectangle

from grader.view.threads import thread_grid


def hollow(picture) -> int:
    boxes = [p for p in picture.fig.axes[0].patches if isinstance(p, Rectangle)]
    return sum(box.get_facecolor()[3] == 0 for box in boxes)


@pytest.mark.parametrize(("n", "threads", "spare"), [(10, 4, 2), (8, 4, 0), (1, 4, 3)])
def test_spare_threads_are_hollow(n, threads, spare):
    picture = thread_grid(n, threads)
    assert hollow(picture) == spare
    assert (f"{spare} threads have no element" in picture.alt) == (spare > 0)


def test_threads_come_back():
    picture = thread_grid(20, 4, blocks=2)
    assert "3 steps of 8 elements" in picture.alt
    assert {"step 0", "step 1", "step 2"} <= {text.get_text() for text in picture.fig.axes[0].texts}


@pytest.mark.parametrize("bad", [(0, 4, None), (4, 0, None), (100, 4, None), (4, 4, 0)])
def test_what_cannot_be_drawn_is_refused(bad):
    with pytest.raises(ValueError, match="at least 1"):
        thread_grid(*bad)
