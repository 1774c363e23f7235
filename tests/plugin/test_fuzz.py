"""A small part of what `python tests/plugin/fuzz_plugins.py` does, with another seed each day.

GRADER_FUZZ_SEED chooses the seed that a failure names.
"""

import datetime
import os

import building
import fuzz_plugins
import garbage
import pytest

from grader.toolchain import tensorrt

SEED = int(os.environ.get("GRADER_FUZZ_SEED", datetime.date.today().toordinal()))
needs_the_lane = pytest.mark.skipif(
    tensorrt.lean_library() is None or tensorrt.tensorrt_include() is None,
    reason="the plugin lane is not installed: grader plugin-lane",
)


@needs_the_lane
@pytest.mark.parametrize(
    "name, what",
    [("channel_bias_v2", "blobs"), ("instance_norm_v2", "blobs"), ("channel_bias_v2", "fields"),
     (building.names()[SEED % len(building.names())], "fields")],
)  # fmt: skip
def test_right_plugins_survive_damaged_input(name, what):
    tally = fuzz_plugins.run(name, what, SEED * 1_000_000_000, 1000)
    assert tally.rounds == 1000 and not tally.crashes, f"seed {SEED}"


def test_garbage_is_no_answer():
    count, taken, wrong = garbage.read(SEED, 5000)
    assert not wrong, f"seed {SEED}"
    assert 0 < taken < count
