"""Exact counters, by Nsight Compute's names, and the readable ratios that exercises are graded on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

LOAD_REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
LOAD_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
STORE_REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"
STORE_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
SHARED_LOADS = "smsp__inst_executed_op_shared_ld_pred_on_any.sum"
SHARED_STORES = "smsp__inst_executed_op_shared_st_pred_on_any.sum"
MATRIX_LOADS = "smsp__inst_executed_op_ldsm_pred_on_any.sum"  # ldmatrix; its wavefronts are among those of loads
MATRIX_STORES = "smsp__inst_executed_op_shared_stsm_pred_on_any.sum"
SHARED_LOAD_WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
SHARED_STORE_WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
ATOMIC_SECTORS = "ptx_atomic_sectors"  # an estimate, so by a name of its own

SECTOR_BYTES = 32

# ratio -> (metrics above the line, metrics below it, what it says)
RATIOS = {
    "load_sectors_per_request": (
        (LOAD_SECTORS,), (LOAD_REQUESTS,),
        "32-byte sectors that one warp's load from global memory touches, averaged over all loads",
    ),
    "store_sectors_per_request": (
        (STORE_SECTORS,), (STORE_REQUESTS,),
        "32-byte sectors that one warp's store to global memory touches, averaged over all stores",
    ),
    "shared_wavefronts_per_request": (
        (SHARED_LOAD_WAVEFRONTS, SHARED_STORE_WAVEFRONTS), (SHARED_LOADS, SHARED_STORES, MATRIX_LOADS, MATRIX_STORES),
        "passes through the banks that one warp's access to shared memory needs; 1 means no conflict",
    ),
}  # fmt: skip
BYTES = {
    "bytes_loaded": (LOAD_SECTORS, "bytes of the sectors that loads touched (32 a sector)"),
    "bytes_stored": (STORE_SECTORS, "bytes of the sectors that stores touched (32 a sector)"),
}
MEANING = {name: entry[-1] for name, entry in (RATIOS | BYTES).items()}


def ratios(counters: Mapping[str, float]) -> dict[str, float]:
    """The readable numbers that follow from exact counters.

    A ratio whose requests were not counted, or were none, is left out: there is no honest value for it.
    """
    result = {}
    for name, (above, below, _) in RATIOS.items():
        requests = sum(counters.get(metric, 0) for metric in below)
        if requests and all(metric in counters for metric in above):
            result[name] = sum(counters[metric] for metric in above) / requests
    for name, (metric, _) in BYTES.items():
        if metric in counters:
            result[name] = counters[metric] * SECTOR_BYTES
    return result


def total(tables: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The sums, metric by metric."""
    result: dict[str, float] = {}
    for table in tables:
        for metric, value in table.items():
            result[metric] = result.get(metric, 0) + value
    return result
