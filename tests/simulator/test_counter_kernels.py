"""The launches of counter_kernels.toml: their counters against Nsight Compute's, and the lines against the kernel."""

from __future__ import annotations

import csv

import pytest
from counter_kernels import MEASURED, launches, simulate

LISTED = launches()
ROWS = {row["launch"]: row for row in csv.DictReader(open(MEASURED))}


@pytest.mark.parametrize("listed", LISTED, ids=lambda listed: listed.name)
def test_counters(session_device, listed):
    launch, lines = simulate(session_device, listed), len(listed.source().splitlines())
    assert launch.fault is None
    # The lines are the learner's, never a header's, and add up to the kernel.
    assert {line["file"] for line in launch.lines} == {listed.main}
    assert all(0 < line["line"] <= lines for line in launch.lines)
    sums = {name: sum(line["counters"].get(name, 0) for line in launch.lines) for name in launch.counters}
    assert sums == launch.counters
    if listed.name in ROWS:
        measured = {k: int(v) for k, v in ROWS[listed.name].items() if k in launch.counters and v}
        differ = {k: (launch.counters[k], v) for k, v in measured.items() if launch.counters[k] != v}
        assert bool(differ) == bool(listed.ptxas or listed.open), differ


# Addresses in no order: the H200 took so many times our estimate of an atomic's sectors.
SCATTERED = {"histogram_global": 2805 / 2750, "voxel_maximum": 485 / 483, "atom_any_256": 19 / 18}
MERGED = {"red_same": 1 / 32, "atom_same": 1 / 32}  # ptxas: one lane does it for the warp, REDUX or SHFL before


def atomic_sectors(name: str) -> int:
    return sum(int(ROWS[name][f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum"]) for op in ("atom", "red"))


WITH_ATOMICS = [listed for listed in LISTED if listed.name in ROWS and atomic_sectors(listed.name)]


@pytest.mark.parametrize("listed", WITH_ATOMICS, ids=lambda listed: listed.name)
def test_estimated_sectors_of_atomics(session_device, listed):
    estimate = simulate(session_device, listed).estimates["ptx_atomic_sectors"]
    assert atomic_sectors(listed.name) == pytest.approx(estimate * (SCATTERED | MERGED).get(listed.name, 1))


COPY_WAVEFRONTS = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum"
PREDICATED = {"zeros_past_92": 24 / 26}  # one warp reads with some lanes and writes zeros with the others
WITH_COPIES = [listed for listed in LISTED if int(ROWS.get(listed.name, {}).get(COPY_WAVEFRONTS) or 0)]


@pytest.mark.parametrize("listed", WITH_COPIES, ids=lambda listed: listed.name)
def test_estimated_wavefronts_of_copies(session_device, listed):
    estimate = simulate(session_device, listed).estimates["ptx_async_copy_wavefronts"]
    measured = int(ROWS[listed.name][COPY_WAVEFRONTS])
    assert measured == pytest.approx(estimate * PREDICATED.get(listed.name, 1))


def test_the_list_is_long_enough_and_its_names_are_its_own():
    assert len(LISTED) == len({listed.name for listed in LISTED})
    assert set(ROWS) <= {listed.name for listed in LISTED} and len(ROWS) >= 234
    assert len({(listed.file, listed.kernel, listed.variant) for listed in LISTED}) >= 126


def total(device, name: str) -> dict[str, int]:
    """The counters of a launch of the list, by what stands behind the unit's name."""
    launch = simulate(device, next(listed for listed in LISTED if listed.name == name))
    return {metric.removesuffix(".sum").split("__")[1]: value for metric, value in launch.counters.items()}


@pytest.mark.parametrize("name", ["local_same_index", "local_double"])
def test_local_memory_interleaves_the_words_of_the_lanes(session_device, name):
    counters = total(session_device, name)
    requests, sectors = (counters[f"t_{what}_pipe_lsu_mem_local_op_st"] for what in ("requests", "sectors"))
    assert requests > 0 and sectors == 4 * requests  # one for each word of a lane, 8 lanes a sector


def test_lanes_at_different_words_of_local_memory_share_no_sector(session_device):
    same, own = total(session_device, "local_same_index"), total(session_device, "local_own_index")
    assert same["t_sectors_pipe_lsu_mem_local_op_ld"] == 4 * same["t_requests_pipe_lsu_mem_local_op_ld"]
    assert own["t_sectors_pipe_lsu_mem_local_op_ld"] > 16 * own["t_requests_pipe_lsu_mem_local_op_ld"]


@pytest.mark.parametrize(
    "name, turns",
    [
        ("shared_add", 1), ("shared_add_banks_4", 4), ("shared_add_grouped_4", 4), ("shared_add_same", 32),
        ("shared_cas", 2), ("shared_cas_banks_4", 8), ("shared_cas_long", 4), ("shared_exchange", 1),
    ],
)  # fmt: skip
def test_atomics_on_shared_memory_take_turns_at_a_bank(session_device, name, turns):
    counters = total(session_device, name)
    assert counters["inst_executed_op_shared_atom_pred_on_any"] == 8
    assert counters["data_pipe_lsu_wavefronts_mem_shared_op_atom"] == 8 * turns


@pytest.mark.parametrize(
    "name, passes",
    [
        ("banks_8", 2), ("banks_8_pairs_2", 1), ("banks_8_pairs_32", 1), ("banks_8_stride_2", 4), ("banks_16", 4),
        ("banks_16_pairs_2", 2), ("banks_16_pairs_4", 2), ("banks_16_stride_2", 8),
    ],
)  # fmt: skip
def test_wide_loads_of_pairs_need_half_the_passes(session_device, name, passes):
    counters = total(session_device, name)
    width = 2 if name.startswith("banks_8") else 4
    assert counters["inst_executed_op_shared_ld_pred_on_any"] == 16  # 8 by the index, 8 by the thread
    assert counters["data_pipe_lsu_wavefronts_mem_shared_op_ld"] == 8 * passes + 8 * width
