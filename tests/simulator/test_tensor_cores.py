"""Kernels that use tensor cores, the movements of fragments, faults in both, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import HERE
from small_kernels import KERNEL, fault_of, line_of

from grader.simulator.records import DeviceError

RANDOM = np.random.default_rng(11)
N = 64
A, B = (RANDOM.standard_normal((N, N)).astype(np.float16) for _ in range(2))
MMA = "#include <mma.h>\nusing namespace nvcuda;\n" + 'extern "C" __global__ void k'


# ---- textbook kernels ----


@pytest.mark.parametrize("kernel, tile, threads, result", [
    ("wmma_global", (16, 16), 32, np.float32), ("wmma_shared", (32, 32), 128, np.float16),
    ("mma_ldmatrix", (8, 16), 32, np.float32),
])  # fmt: skip
def test_products_of_halves(bench, kernel, tile, threads, result):
    a, b = bench.array(A, "a", read_only=True), bench.array(B, "b", read_only=True)
    c = bench.device.alloc(N * N * np.dtype(result).itemsize, name="c")
    grid = (N // tile[0], N // tile[1])
    launch = bench.launch(bench.load_file("tensor_cores.cu"), kernel, grid, (threads,), a, b, c, N)
    assert launch.fault is None, launch.fault
    exact = A.astype(float) @ B.astype(float)
    got = bench.fetch(c, N * N, result).reshape(N, N)
    if result == np.float32:
        assert np.abs(got - exact).max() < 1e-4
    else:  # rounded to a half after every step
        assert np.abs(got - np.maximum(exact, 0)).max() < 4 * 2.0**-10 * np.abs(exact).max()


def test_products_of_bytes(bench):
    a, b = (RANDOM.integers(-128, 128, (N, N)).astype(np.int8) for _ in range(2))
    c = bench.device.alloc(4 * N * N)
    arguments = bench.array(a), bench.array(np.ascontiguousarray(b.T)), c, N
    launch = bench.launch(bench.load_file("tensor_cores.cu"), "mma_int8", (N // 8, N // 16), (32,), *arguments)
    assert launch.fault is None
    assert np.array_equal(bench.fetch(c, N * N, np.int32).reshape(N, N), a.astype(int) @ b.astype(int))


@pytest.mark.parametrize("stride, wavefronts", [(16, 4), (32, 8), (64, 16), (80, 4), (128, 32), (144, 4)])
def test_ldmatrix_takes_a_pass_for_eight_rows_without_conflicts(bench, stride, wavefronts):
    y = bench.device.alloc(512)
    launch = bench.launch(
        bench.load_file("tensor_cores.cu"), "count_ldmatrix", (1,), (32,), y, stride, shared_bytes=32 * stride
    )
    assert launch.fault is None
    assert launch.counters["smsp__inst_executed_op_ldsm_pred_on_any.sum"] == 1
    assert launch.counters["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] == wavefronts
    rows = (np.arange(32)[:, None] * stride // 4 + np.arange(4)).reshape(4, 32)
    assert np.array_equal(bench.fetch(y, 128, np.uint32).reshape(4, 32), rows)


def test_fragments_are_counted_like_the_accesses_that_ptxas_makes_of_them(bench):
    """sm_90's machine code: LDG of 4 bytes (8 lines of 16 bytes), MOVM, STG.64 (8 lines of 32 bytes); LDSM, STS."""
    a, b, c = bench.array(A), bench.array(B), bench.device.alloc(4 * N * N)
    module = bench.load_file("tensor_cores.cu")
    counters = bench.launch(module, "wmma_global", (4, 4), (32,), a, b, c, N).counters
    loads = 16 * 4 * 8  # blocks, steps, registers of A and B
    assert counters["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] == loads
    assert counters["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == 8 * loads
    assert counters["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"] == 16 * 4
    assert counters["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] == 16 * 4 * 8
    lines = bench.launch(module, "wmma_shared", (2, 2), (128,), a, b, c, N).lines
    text = (HERE / "kernels" / "tensor_cores.cu").read_text()
    for mark, kind, instructions, wavefronts in (
        ("load_matrix_sync(fa, &tile_a", "ld", 1, 4), ("load_matrix_sync(fb, &tile_b", "ld", 1, 4),
        ("store_matrix_sync(&tile_c", "st", 4, 4),
    ):  # fmt: skip
        warps = 4 * 4 * (4 if kind == "ld" else 1)  # blocks, warps, steps
        found = next(line for line in lines if line["line"] == line_of(text, mark))["counters"]
        executed = f"smsp__inst_executed_op_{'ldsm' if kind == 'ld' else 'shared_st'}_pred_on_any.sum"
        assert found[executed] == warps * instructions
        assert found[f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{kind}.sum"] == warps * wavefronts


# ---- movements ----

ROWS = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y)
{{
    .reg .b32 %r<16>;
    .reg .b64 %d<8>;
    .reg .pred %p;
    .shared .align 16 .b8 s[1024];
    ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d3, %r1, 16; add.s64 %d1, %d1, %d3; add.s64 %d2, %d2, %d3;
    mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 16, %r2; cvt.u64.u32 %d4, %r3; cvta.shared.u64 %d4, %d4;
    ld.global.v4.u32 {{%r4, %r5, %r6, %r7}}, [%d1];
    {}
    st.global.v4.u32 [%d2], {{%r4, %r5, %r6, %r7}};
    ret;
}}"""
X = RANDOM.integers(0, 1 << 16, (4, 8, 8)).astype(np.uint16)  # four matrices
STORE_ROWS = "st.shared.v4.u32 [%r3], {%r4, %r5, %r6, %r7}; bar.warp.sync -1;"
LOAD_ROWS = "bar.warp.sync -1; ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r3];"


def moved(bench, body: str, x: np.ndarray) -> np.ndarray:
    y = bench.device.alloc(512)
    launch = bench.launch(bench.device.load(ROWS.format(body)), "k", (1,), (32,), bench.array(x), y)
    assert launch.fault is None, launch.fault
    return bench.fetch(y, 256, np.uint16)


def fragments(matrices: np.ndarray) -> np.ndarray:
    """What the lanes hold of four matrices, four registers a lane."""
    return matrices.reshape(4, 32, 2).transpose(1, 0, 2).ravel()


@pytest.mark.parametrize("trans", ["", ".trans"])
@pytest.mark.parametrize("where", [".shared.b16 {}, [%r3]", ".shared::cta.b16 {}, [%r3]", ".b16 {}, [%d4]"])
def test_ldmatrix(bench, trans, where):
    expected = fragments(X.transpose(0, 2, 1) if trans else X)
    four = where.format("{%r4, %r5, %r6, %r7}")
    assert np.array_equal(moved(bench, f"{STORE_ROWS} ldmatrix.sync.aligned.m8n8.x4{trans}{four};", X), expected)
    two, one = where.format("{%r4, %r5}"), where.format("{%r4}")
    for body, count in ((two, 2), (one, 1)):
        got = moved(bench, f"{STORE_ROWS} ldmatrix.sync.aligned.m8n8.x{count}{trans}{body};", X).reshape(32, 8)
        assert np.array_equal(got[:, : 2 * count], expected.reshape(32, 8)[:, : 2 * count])


@pytest.mark.parametrize("trans", ["", ".trans"])
def test_stmatrix(bench, trans):
    body = f"stmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 [%r3], {{%r4, %r5, %r6, %r7}}; {LOAD_ROWS}"
    expected = X.transpose(0, 2, 1) if trans else X
    assert np.array_equal(moved(bench, body, fragments(X)), expected.ravel())


def test_movmatrix(bench):
    body = "".join(f"movmatrix.sync.aligned.m8n8.trans.b16 %r{k}, %r{k};" for k in range(4, 8))
    assert np.array_equal(moved(bench, body, fragments(X)), fragments(X.transpose(0, 2, 1)))


# ---- faults ----

LOAD = MMA + """(const half* a, float* c)
{
    __shared__ __align__(32) half s[256];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    const int t = threadIdx.x;
    for (int q = t; q < FILLED; q += 32) s[q] = a[q];
    __syncwarp();
    wmma::load_matrix_sync(fb, s, 16);
    FIRST  // here
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}"""
PLAIN = "wmma::load_matrix_sync(fa, a, 16);"


def tile(bench, first=PLAIN, filled=256, block=(32,), elements=256, bytes_of_c=1024):
    text = LOAD.replace("FIRST", first).replace("FILLED", str(filled))
    a = bench.array(A.ravel()[:elements], "a", read_only=True)
    return text, fault_of(bench, text, a, bench.device.alloc(bytes_of_c, name="c"), block=block)


@pytest.mark.parametrize("first", [
    PLAIN,
    "wmma::load_matrix_sync(fa, s + 8, 8);",  # 16 bytes are enough in shared memory, and for lines
])  # fmt: skip
def test_no_fault(bench, first):
    assert tile(bench, first)[1] is None


@pytest.mark.parametrize("first, kind", [
    ("wmma::load_matrix_sync(fa, a + 16, 16);", "out_of_bounds"),
    ("wmma::load_matrix_sync(fa, a, 24);", "out_of_bounds"),
    ("wmma::load_matrix_sync(fa, a + 8, 8);", "misaligned"),
    ("wmma::load_matrix_sync(fa, s + 4, 8);", "misaligned"),
    ("wmma::load_matrix_sync(fa, a, 12);", "misaligned"),
    ("wmma::load_matrix_sync(fa, (const half*)nullptr, 16);", "null_pointer"),
    ("wmma::load_matrix_sync(fa, s + 16, 16);", "shared_out_of_bounds"),
    ("wmma::load_matrix_sync(fa, a + t / 16 * 16, 8);", "shuffle"),
    ("if (t != 5) wmma::load_matrix_sync(fa, a, 16);", "shuffle"),
])  # fmt: skip
def test_a_fragment_is_checked_like_any_access(bench, first, kind):
    text, fault = tile(bench, first)
    assert (fault.kind, fault.line) == (kind, line_of(text)), fault
    if "t != 5" in first:
        assert fault.thread == (5, 0, 0)
        assert fault.sentence.endswith("all 32 threads of a warp together, and lane 5 does not take part.")


def test_half_a_warp(bench):
    _, fault = tile(bench, block=(16,))
    assert fault.kind == "shuffle" and "some of this warp do not exist or have ended" in fault.sentence


def test_a_store_past_the_end(bench):
    text, fault = tile(bench, bytes_of_c=1000)
    assert (fault.kind, fault.buffer) == ("out_of_bounds", "c")


def test_unwritten_shared_memory_shows_in_the_sums_that_it_goes_into(bench):
    text, fault = tile(bench, filled=255)
    assert (fault.kind, fault.line) == ("uninitialised_shared", line_of(text) - 1)
    assert fault.address == 510


def test_global_memory_that_nobody_wrote(bench):
    """Sums of it are not; what a fragment is stored to is written from then on."""
    text = LOAD.replace("FIRST", PLAIN).replace("FILLED", "1")
    text = text.replace("load_matrix_sync(fb, s", "load_matrix_sync(fb, a")
    a, c, y = bench.device.alloc(512, name="a"), bench.device.alloc(1024, name="c"), bench.device.alloc(1024)
    bench.device.write(a, A.ravel()[:255])
    fault = fault_of(bench, text, a, c)
    assert (fault.kind, fault.buffer, fault.offset, fault.line) == ("uninitialised_global", "a", 510, line_of(text))
    bench.device.write(a, A.ravel()[:256])
    copy = KERNEL + "(const float* c, float* y) { for (int q = threadIdx.x; q < 256; q += 32) y[q] = c[q]; }"
    assert fault_of(bench, copy, c, y).kind == "uninitialised_global"
    assert fault_of(bench, text, a, c) is None
    assert fault_of(bench, copy, c, y) is None


def test_rows_that_nobody_uses_may_be_unwritten(bench):
    """A tile of 16 rows of which 8 are filled: only the sums of those leave the kernel."""
    text = MMA + """(const half* a, float* c)
{
    __shared__ __align__(32) half s[256];
    __shared__ __align__(32) float out[256];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int q = threadIdx.x; q < 128; q += 32) s[q] = a[q];
    __syncwarp();
    wmma::load_matrix_sync(fa, s, 16);
    wmma::load_matrix_sync(fb, a, 16);
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(out, sum, 16, wmma::mem_row_major);
    __syncwarp();
    for (int q = threadIdx.x; q < ROWS * 16; q += 32) c[q] = out[q];
}"""
    a, c = bench.array(A.ravel()[:256]), bench.device.alloc(1024)
    assert fault_of(bench, text.replace("ROWS", "8"), a, c) is None
    half = A.ravel()[:256].reshape(16, 16).astype(float)
    assert np.allclose(bench.fetch(c, 128, np.float32).reshape(8, 16), half[:8] @ half.T, atol=1e-4)
    assert fault_of(bench, text.replace("ROWS", "9"), a, c).kind == "uninitialised_shared"


def test_ldmatrix_checks_every_row(bench):
    for body, kind in (
        ("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r3+520];", "misaligned"),
        ("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r3+528];", "shared_out_of_bounds"),
        ("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r3];", "uninitialised_shared"),
        ("setp.lt.u32 %p, %r1, 9; @%p ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r3];", "shuffle"),
    ):
        module = bench.device.load(ROWS.format(body))
        launch = bench.launch(module, "k", (1,), (32,), bench.array(X), bench.device.alloc(512))
        assert launch.fault is not None and launch.fault.kind == kind


@pytest.mark.parametrize("read", [
    'asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(to));',
    "wmma::load_matrix_sync(fa, s, 16);",
])  # fmt: skip
def test_fragments_wait_for_asynchronous_copies(bench, read):
    text = MMA + """(const half* x, unsigned* y)
{
    __shared__ __align__(32) half s[256];
    unsigned r, to = (unsigned)__cvta_generic_to_shared(s + 8 * threadIdx.x);
    asm volatile("cp.async.ca.shared.global [%%0], [%%1], 16;" :: "r"(to), "l"(x + 8 * threadIdx.x));
    WAIT
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    %s  // here
    y[threadIdx.x] = sizeof(fa) + r;
}""" % read
    x, y = bench.array(A), bench.device.alloc(128)
    fault = fault_of(bench, text.replace("WAIT", ""), x, y)
    assert (fault.kind, fault.line) == ("async_copy", line_of(text))
    assert fault.other.line == line_of(text, "cp.async")
    wait = 'asm volatile("cp.async.wait_all;"); __syncwarp();'
    assert fault_of(bench, text.replace("WAIT", wait), x, y) is None


def test_fragments_race_like_any_access(bench):
    text = MMA + """(float* c)
{
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, threadIdx.x / 32);
    wmma::store_matrix_sync(c + OFFSET, sum, 16, wmma::mem_row_major);  // here
}"""
    fault = fault_of(bench, text.replace("OFFSET", "0"), bench.device.alloc(2048), block=(64,))
    assert (fault.kind, fault.line, fault.other.line) == ("race", line_of(text), line_of(text))
    assert fault_of(bench, text.replace("OFFSET", "threadIdx.x / 32 * 256"), bench.device.alloc(2048), block=(64,)) is None


# ---- refusals ----


@pytest.mark.parametrize("opcode", [
    "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%r4, %r5, %r6, %r7}, {%r4, %r5}, {%r4, %r5}, {%r4, %r5, %r6, %r7};",
    "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%r4, %r5, %r6, %r7}, {%r4, %r5, %r6, %r7}, {%r4, %r5}, {%r4, %r5, %r6, %r7};",
    "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%r4, %r5}, {%r4}, {%r4}, {%r4, %r5};",
    "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {%r4, %r5}, {%r4}, {%r4}, {%r4, %r5};",
    "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r4, %r5}, {%r4, %r5}, {%r4, %r5}, {%r4, %r5}, %r6, 0x0;",
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f16 {%r4, %r5, %r6, %r7}, {%r4, %r5}, {%r4}, {%r4, %r5};",
    "mma.sync.aligned.m16n8k8.row.row.f16.f16.f16.f16 {%r4, %r5}, {%r4, %r5}, {%r4}, {%r4, %r5};",
    "mma.sync.aligned.m16n8k8.row.col.satfinite.f16.f16.f16.f16 {%r4, %r5}, {%r4, %r5}, {%r4}, {%r4, %r5};",
    "wmma.mma.sync.aligned.row.col.m16n16k8.f32.f32 {%r4}, {%r4}, {%r4}, {%r4};",
    "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32 {%r4, %r5}, {%r4}, {%r4}, {%r4, %r5};",
    "wmma.load.a.sync.aligned.row.m16n16k16.const.f16 {%r4}, [%d1];",
    "wmma.store.d.sync.aligned.row.m16n16k16.global.bf16 [%d1], {%r4};",
    "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r4, %r5}, [%r3];",
    "ldmatrix.sync.aligned.m8n8.x4.shared.b8 {%r4, %r5, %r6, %r7}, [%r3];",
    "stmatrix.sync.aligned.m8n8.x1.shared::cluster.b16 [%r3], {%r4};",
    "movmatrix.sync.aligned.m8n8.b16 %r4, %r4;",
    "wgmma.fence.sync.aligned;",
])  # fmt: skip
def test_refused_by_name(bench, opcode):
    with pytest.raises(DeviceError) as caught:
        bench.device.load(ROWS.format(".loc 1 42 7\n" + opcode) + '\n.file 1 "/somewhere/mine.cu"\n')
    assert caught.value.state == "unsupported_here", caught.value.sentence
    assert "mine.cu" in caught.value.sentence and "42" in caught.value.sentence
    assert opcode.split(" ")[0].rstrip(";") in caught.value.sentence


@pytest.mark.parametrize("opcode", [
    "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r4, %r5}, {%r4, %r5}, {%r4, %r5}, {%r4, %r5};",
    "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r4, %d5}, {%r4, %r5}, {%r4}, {%r4, %r5};",
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5}, [%r3];",
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%d4}, [%r3];",
    "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r4}, [%d1], 16;",
    "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {1, %r5}, {%r4, %r5}, {%r4}, {%r4, %r5};",
])  # fmt: skip
def test_what_is_no_ptx(bench, opcode):
    with pytest.raises(DeviceError) as caught:
        bench.device.load(ROWS.format(opcode))
    assert caught.value.state == "error", caught.value.sentence
