"""Counters and values of whole kernels, the counters against Nsight Compute's on an NVIDIA H200."""

from __future__ import annotations

import csv
from ast import literal_eval
from math import erf
from pathlib import Path

import numpy as np
import pytest

KERNELS = (
    "masked_gelu", "masked_gelu_tanh", "prelu4", "transpose_naive", "transpose_shared", "transpose_padded",
    "softmax_rows", "layernorm_rows",
)  # fmt: skip
MEASURED = {row["launch"]: row for row in csv.DictReader(open(Path(__file__).parent / "h200_counters.csv"))}
SIDE = 1024
COUNT = SIDE * SIDE
RANDOM = np.random.default_rng(7)
SINGLES = RANDOM.standard_normal(COUNT).astype(np.float32)
HALVES = SINGLES.astype(np.float16)
KEEP = RANDOM.random(COUNT) < 0.7
ROWS = 512


def _gelu(x, keep):
    return np.where(keep, 0.5 * x * (1 + np.vectorize(erf)(x * np.float64(np.float32(0.70710678)))), 0)


def _gelu_tanh(x, keep):
    return np.where(keep, 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3))), 0)


def _run(bench, kernel):
    """Launch a kernel of the table at its measured size: (launch, result, expected)."""
    grid, block = (literal_eval(MEASURED[kernel][key]) for key in ("grid", "block"))
    f64 = SINGLES.astype(np.float64)
    if kernel.startswith("masked_gelu"):
        x, keep, y = (
            bench.array(HALVES, "x"),
            bench.array(KEEP, "keep"),
            bench.device.alloc(2 * COUNT, name="y"),
        )
        launch = bench.launch(bench.load_file("elementwise.cu"), kernel, grid, block, x, keep, y, COUNT)
        reference = _gelu if kernel == "masked_gelu" else _gelu_tanh
        return launch, bench.fetch(y, COUNT, np.float16), reference(HALVES.astype(np.float64), KEEP)
    x, y = bench.array(SINGLES, "x"), bench.device.alloc(4 * COUNT, name="y")
    if kernel == "prelu4":
        slopes = np.linspace(-1, 1, 64, dtype=np.float32)
        channel = np.arange(COUNT) // 4 // 1024 % 64
        args = (x, bench.array(slopes, "slopes"), y, COUNT // 4, 1024, 64)
        launch = bench.launch(bench.load_file("elementwise.cu"), kernel, grid, block, *args)
        return launch, bench.fetch(y, COUNT, np.float32), np.where(f64 > 0, f64, slopes[channel] * f64)
    module = bench.load_file("shared_memory.cu")
    if kernel.startswith("transpose"):
        launch = bench.launch(module, kernel, grid, block, x, y, SIDE, SIDE)
        return launch, bench.fetch(y, COUNT, np.float32), f64.reshape(SIDE, SIDE).T.ravel()
    rows = f64[: ROWS * SIDE].reshape(ROWS, SIDE)
    if kernel == "softmax_rows":
        launch = bench.launch(module, kernel, grid, block, x, y, SIDE)
        e = np.exp(rows - rows.max(1, keepdims=True))
        expected = e / e.sum(1, keepdims=True)
    else:
        gain, bias = (np.linspace(*span, SIDE, dtype=np.float32) for span in ((0.5, 2), (-1, 1)))
        args = (x, bench.array(gain, "gain"), bench.array(bias, "bias"), y, SIDE, 1e-5)
        launch = bench.launch(module, kernel, grid, block, *args)
        centred = rows - rows.mean(1, keepdims=True)
        expected = centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) * gain + bias
    return launch, bench.fetch(y, ROWS * SIDE, np.float32), expected.ravel()


@pytest.mark.parametrize("kernel", KERNELS)
def test_counters_equal_nsight_compute_and_values_numpy(bench, kernel):
    launch, got, expected = _run(bench, kernel)
    assert launch.fault is None
    # No instruction of these kernels is switched off for a whole warp: the plain counts are the same.
    ours = launch.counters | {name.replace("_pred_on_any", ""): value for name, value in launch.counters.items()}
    measured = {name: int(value) for name, value in MEASURED[kernel].items() if name in ours and value}
    assert len(measured) >= 8 and {name: ours[name] for name in measured} == measured
    bound = 2e-3 if got.dtype == np.float16 else 2e-5
    np.testing.assert_allclose(got.astype(np.float64), expected, rtol=bound, atol=bound)


def test_the_lines_add_up_to_the_kernel(bench):
    launch, _, _ = _run(bench, "transpose_shared")
    for name, value in launch.counters.items():
        assert sum(line["counters"].get(name, 0) for line in launch.lines) == value
    by_line = {line["line"]: line["counters"] for line in launch.lines if line["counters"]}
    text = (Path(__file__).parent / "kernels" / "shared_memory.cu").read_text().splitlines()
    store = next(k for k, line in enumerate(text, 1) if "output[(row + k)" in line)
    assert by_line[store]["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] == 131072
    assert by_line[store]["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] == 1048576
    assert {line["file"] for line in launch.lines} == {"shared_memory.cu"}


def test_estimates_count_instructions_and_lanes(bench):
    module = bench.load('extern "C" __global__ void half_warp(int* y) { if (threadIdx.x < 16) y[threadIdx.x] = 1; }')
    launch = bench.launch(module, "half_warp", (1,), (32,), bench.device.alloc(128))
    estimates = launch.estimates
    assert 0.5 < estimates["ptx_lane_efficiency"] < 1
    assert estimates["ptx_branches"] == 1 and estimates["ptx_divergent_branches"] == 1
    assert estimates["ptx_thread_instructions"] < 32 * estimates["ptx_warp_instructions"]


def test_a_request_without_an_active_lane_does_not_count(bench):
    ptx = """.version 9.0
.target sm_80
.address_size 64
.visible .entry none(.param .u64 p)
{
    .reg .pred %p<2>;
    .reg .b64 %rd<2>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    setp.gt.u32 %p1, %r1, 99;
    @%p1 st.global.u32 [%rd1], %r1;
    @!%p1 st.global.u32 [%rd1], %r1;
    ret;
}"""
    launch = bench.launch(bench.device.load(ptx), "none", (1,), (32,), bench.device.alloc(4))
    assert launch.counters["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"] == 1


@pytest.mark.parametrize(
    "stride, wavefronts", [(0, 1), (1, 1), (2, 2), (3, 1), (4, 4), (8, 8), (16, 16), (32, 32), (33, 1)]
)
def test_bank_conflicts_follow_the_stride(bench, stride, wavefronts):
    text = f"""extern "C" __global__ void strided(float* y)
{{
    __shared__ float s[32 * 33 + 1];
    for (int k = threadIdx.x; k < 32 * 33 + 1; k += 32) s[k] = k;
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x * {stride}];
}}"""
    y = bench.device.alloc(128)
    launch = bench.launch(bench.load(text), "strided", (1,), (32,), y)
    name = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
    assert launch.counters[name] == wavefronts
    np.testing.assert_array_equal(bench.fetch(y, 32, np.float32), np.arange(32) * stride)


def test_atomics_and_reductions_are_told_apart(bench):
    text = """extern "C" __global__ void count(int* total, int* old)
{
    atomicAdd(total, 1);
    old[threadIdx.x] = atomicAdd(total + 1, 1);
}"""
    total, old = bench.array(np.zeros(2, np.int32)), bench.device.alloc(256)
    launch = bench.launch(bench.load(text), "count", (2,), (64,), total, old, races=False)
    np.testing.assert_array_equal(bench.fetch(total, 2, np.int32), [128, 128])
    assert sorted(bench.fetch(old, 64, np.int32)) == list(range(64, 128))
    assert launch.counters["l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"] == 4
    assert launch.counters["l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"] == 4
    assert launch.estimates["ptx_atomic_sectors"] == 2 * 4 * 32  # lanes at one address take turns


def test_the_same_launch_gives_the_same_bytes_and_counters(bench):
    first, a, _ = _run(bench, "softmax_rows")
    second, b, _ = _run(bench, "softmax_rows")
    assert a.tobytes() == b.tobytes()
    assert (first.counters, first.estimates, first.lines) == (second.counters, second.estimates, second.lines)


def test_without_counting_there_are_no_counters(bench):
    module = bench.load('extern "C" __global__ void one(int* y) { *y = 1; }')
    launch = bench.launch(module, "one", (1,), (1,), bench.device.alloc(4), count=False)
    assert launch.counters is None and launch.lines == () and launch.fault is None


def test_a_tiled_matrix_product(bench):
    side = 96
    a, b = (RANDOM.standard_normal((side, side)).astype(np.float32) for _ in "ab")
    product = bench.device.alloc(4 * side * side)
    module = bench.load_file("matmul.cu")
    launch = bench.launch(module, "matmul", (6, 6), (16, 16), bench.array(a), bench.array(b), product, side)
    assert launch.fault is None
    got = bench.fetch(product, side * side, np.float32).reshape(side, side)
    np.testing.assert_allclose(got, a.astype(np.float64) @ b, rtol=0, atol=1e-4)
    warps, tiles = 36 * 8, 6
    assert launch.counters["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] == warps * tiles * 2
    assert launch.counters["smsp__inst_executed_op_shared_st_pred_on_any.sum"] == warps * tiles * 2
