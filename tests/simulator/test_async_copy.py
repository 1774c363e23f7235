"""cp.async: copies land at the wait and not before, whoever touches them earlier is told, nothing is ignored."""

from __future__ import annotations

import numpy as np
import pytest
from small_kernels import fault_of, line_of

from grader.simulator.ptx.errors import PtxError, Unsupported
from grader.simulator.records import DeviceError

PIPELINE = '#include <cuda_pipeline.h>\nextern "C" __global__ void k'
X = np.random.default_rng(5).standard_normal(1 << 14).astype(np.float32)


# ---- textbook kernels ----


def test_double_buffering(bench):
    x, y = bench.array(X, "x", read_only=True), bench.device.alloc(X.nbytes)
    module = bench.load_file("async_copy.cu")
    launch = bench.launch(module, "double_buffered", (8,), (128,), x, y, 16, shared_bytes=1024)
    assert launch.fault is None
    expected = 2 * X.reshape(-1, 128)[:, ::-1].ravel()
    assert np.array_equal(bench.fetch(y, X.size, np.float32), expected)


@pytest.mark.parametrize("kernel", ["two_stages", "three_stages"])
def test_staged_matmul(bench, kernel):
    n = 128
    a, b = X.reshape(n, n), X[::-1].reshape(n, n)
    pointers = bench.array(a, "a"), bench.array(b, "b"), bench.device.alloc(4 * n * n, name="c")
    launch = bench.launch(bench.load_file("async_copy.cu"), kernel, (4, 4), (64,), *pointers, n)
    assert launch.fault is None
    c = bench.fetch(pointers[2], n * n, np.float32).reshape(n, n)
    assert np.abs(c - a.astype(float) @ b).max() < 1e-4
    copies = 16 * 4 * 2 * 256  # blocks, steps, tiles, copies of 16 bytes
    assert launch.counters["smsp__inst_executed_op_ldgsts_pred_on_any.sum"] == copies / 32
    assert launch.counters["smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum"] == copies / 2
    assert launch.counters["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == copies / 2  # copies are loads too
    assert launch.estimates["ptx_async_copy_wavefronts"] == copies / 8


@pytest.mark.parametrize("count", [128, 127, 126, 5, 1])
def test_what_is_not_read_becomes_zero(bench, count):
    x, y = bench.array(X[:count], "x", read_only=True), bench.device.alloc(512)
    launch = bench.launch(bench.load_file("async_copy.cu"), "padded_with_zeros", (1,), (32,), x, y, count)
    assert launch.fault is None
    expected = np.zeros(128, np.float32)
    expected[:count] = X[:count]
    assert np.array_equal(bench.fetch(y, 128, np.float32), expected[::-1])


@pytest.mark.parametrize("size, stride, jump, loaded, copied, wavefronts", [
    (4, 1, 4, 4, 4, 1), (4, 2, 4, 8, 8, 2), (4, 3, 4, 12, 12, 1), (4, 8, 16, 32, 32, 8), (4, 1, 128, 4, 4, 32),
    (8, 1, 8, 8, 8, 2), (8, 2, 8, 16, 16, 4), (16, 1, 16, 16, 16, 4), (16, 2, 32, 32, 32, 8), (16, 1, 32, 32, 32, 32),
    (16, 4, 16, 16, 32, 32), (16, 3, 48, 32, 32, 24),
])  # fmt: skip
def test_counters(bench, size, stride, jump, loaded, copied, wavefronts):
    x, y = bench.array(X), bench.device.alloc(32)
    module = bench.load_file("async_copy.cu")
    launch = bench.launch(module, f"count_{size}", (1,), (32,), x, y, stride, jump, shared_bytes=4096)
    assert launch.fault is None
    counters = {name: value for name, value in launch.counters.items() if "ldgsts" in name}
    assert sorted(counters.values()) == sorted([1, copied, 1])
    assert launch.counters["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == loaded
    assert launch.estimates["ptx_async_copy_wavefronts"] == wavefronts


# ---- a copy lands at the wait, and not before ----


def test_the_source_is_read_at_the_wait(bench):
    text = PIPELINE + """(float* x, float* y)
{
    __shared__ float s[32];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &x[t], 4);
    __pipeline_commit();
    x[t] = 7;
    __pipeline_wait_prior(0);
    y[t] = s[t];
}"""
    x, y = bench.array(X[:32]), bench.device.alloc(128)
    assert fault_of(bench, text, x, y) is None
    assert (bench.fetch(y, 32, np.float32) == 7).all()


STAGES = """(const float* x, float* y)
{
    __shared__ float s[2][32];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[0][t], &x[t], 4);
    __pipeline_commit();
    __pipeline_memcpy_async(&s[1][t], &x[32 + t], 4);  // second
    __pipeline_commit();
    WAIT
    y[t] = s[0][t];
    y[32 + t] = s[1][t];  // here
}"""


@pytest.mark.parametrize("wait, waited", [
    ("__pipeline_wait_prior(0);", True), ("__pipeline_wait_prior(1);", False), ("__pipeline_wait_prior(2);", None),
    ("", None), ('asm volatile("cp.async.wait_all;");', True), ("if (t < 16) __pipeline_wait_prior(0);", None),
    ("if (t < 16) __pipeline_wait_prior(0); else __pipeline_wait_prior(0);", True),
])  # fmt: skip
def test_who_reads_too_early_is_told(bench, wait, waited):
    text = PIPELINE + STAGES.replace("WAIT", wait)
    x, y = bench.array(X[:64]), bench.device.alloc(256)
    fault = fault_of(bench, text, x, y)
    if waited:
        assert fault is None
        assert np.array_equal(bench.fetch(y, 64, np.float32), X[:64])
        return
    assert (fault.kind, fault.space) == ("async_copy", "shared")
    if waited is False:  # the first copy has landed, the second has not
        assert fault.line == line_of(text)
        assert fault.sentence == (
            f"The kernel reads byte 128 of shared memory, which cp.async from line {line_of(text, '// second')} is "
            "still filling: wait for it with __pipeline_wait_prior (cp.async.wait_group) and then a barrier."
        )


def test_copies_without_a_commit_are_in_no_group(bench):
    text = PIPELINE + STAGES.replace("__pipeline_commit();\n    WAIT", "__pipeline_wait_prior(0);")
    fault = fault_of(bench, text, bench.array(X[:64]), bench.device.alloc(256))
    assert (fault.kind, fault.line) == ("async_copy", line_of(text))


@pytest.mark.parametrize("touch", [
    "s[t] = 1;", "atomicAdd(&s[t], 1.f);", "__pipeline_memcpy_async(&s[t], &x[t], 4);",
])  # fmt: skip
def test_who_writes_too_early_is_told(bench, touch):
    text = PIPELINE + """(const float* x, float* y)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &x[t], 4);
    %s  // here
}""" % touch
    fault = fault_of(bench, text, bench.array(X[:64]), bench.device.alloc(256))
    assert (fault.kind, fault.line) == ("async_copy", line_of(text))
    assert "writes byte 0" in fault.sentence


def test_a_copy_that_nobody_waits_for_is_no_fault(bench):
    text = PIPELINE + """(const float* x, float* y)
{
    __shared__ float s[32];
    __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], 4);
    y[threadIdx.x] = 1;
}"""
    assert fault_of(bench, text, bench.array(X[:32]), bench.device.alloc(128), grid=(3,)) is None


# ---- what is checked where a copy starts ----


@pytest.mark.parametrize("copy, kind, space", [
    ("&s[t], &x[t + 1]", "out_of_bounds", "global"),
    ("&s[t + 1], &x[t]", "shared_out_of_bounds", "shared"),
    ("&s[t], (const float*)((const char*)x + 2) + t", "misaligned", "global"),
    ("(char*)&s[t] - 2, &x[t]", "misaligned", "shared"),
    ("&s[t], (const float*)nullptr", "null_pointer", "global"),
])  # fmt: skip
def test_addresses_are_checked(bench, copy, kind, space):
    copy = f"__pipeline_memcpy_async({copy}, 4);"
    if kind == "misaligned":  # the header asserts
        to, source = copy.split("(", 1)[1].rsplit(",", 1)[0].rsplit(", ", 1)
        copy = f'asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"((unsigned)__cvta_generic_to_shared({to})), "l"({source}));'
    text = PIPELINE + """(const float* x, float* y)
{
    __shared__ float s[32];
    int t = threadIdx.x;
    %s  // here
    __pipeline_wait_prior(0);
}""" % copy
    fault = fault_of(bench, text, bench.array(X[:32], "x"), bench.device.alloc(128))
    assert (fault.kind, fault.space, fault.line) == (kind, space, line_of(text))


PTX = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y)
{{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    .shared .align 16 .b8 s[512];
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 16;
    add.s64 %rd1, %rd1, %rd3;
    add.s64 %rd2, %rd2, %rd3;
    mov.u32 %r2, s;
    mad.lo.u32 %r2, %r1, 16, %r2;
    setp.lt.u32 %p1, %r1, 7;
    {}
    cp.async.wait_all;
    ld.shared.u32 %r3, [%r2];
    st.global.u32 [%rd2], %r3;
    ret;
}}"""


def test_the_predicate_that_ignores_the_source(bench):
    for negated in ("", "!"):
        module = bench.device.load(PTX.format(f"cp.async.cg.shared.global [%r2], [%rd1], 16, {negated}%p1;"))
        y = bench.device.alloc(512)
        assert bench.launch(module, "k", (1,), (32,), bench.array(X[:128]), y).fault is None
        ignored = (np.arange(32) < 7) != bool(negated)
        assert np.array_equal(bench.fetch(y, 128, np.float32)[::4], np.where(ignored, 0, X[:128:4]))


def test_more_bytes_than_are_copied(bench):
    module = bench.device.load(PTX.format("mov.u32 %r3, 17; cp.async.cg.shared.global [%r2], [%rd1], 16, %r3;"))
    fault = bench.launch(module, "k", (1,), (32,), bench.array(X[:128]), bench.device.alloc(512)).fault
    assert fault.sentence == "cp.async copies 16 bytes at once and is told to read 17 bytes of its source."


@pytest.mark.parametrize("opcode", [
    "cp.async.cg.shared.global.L2::128B [%r2], [%rd1], 16;", "cp.async.ca.shared::cta.global [%r2+4], [%rd1+4], 4;",
    "@%p1 cp.async.ca.shared.global [%r2], [%rd1], 8, 3; @!%p1 st.shared.u32 [%r2], 0;",
])  # fmt: skip
def test_forms(bench, opcode):
    opcode = opcode.replace("+4", "")
    module = bench.device.load(PTX.format(opcode))
    y = bench.device.alloc(512)
    assert bench.launch(module, "k", (1,), (32,), bench.array(X[:128]), y).fault is None
    got, source = bench.fetch(y, 128, np.uint32)[::4], X[:128:4].view(np.uint32)
    assert np.array_equal(got, np.where(np.arange(32) < 7, source & 0xFFFFFF, 0) if "8, 3" in opcode else source)


@pytest.mark.parametrize("opcode, error", [
    ("cp.async.ca.shared.global.L2::cache_hint [%r2], [%rd1], 16, %rd2;", Unsupported),
    ("cp.async.mbarrier.arrive.shared.b64 [%r2];", Unsupported),
    ("cp.async.bulk.commit_group;", Unsupported),
    ("cp.async.ca.shared::cluster.global [%r2], [%rd1], 16;", Unsupported),
    ("cp.async.ca.shared.global.L2::32B [%r2], [%rd1], 16;", PtxError),
    ("cp.async.cg.shared.global [%r2], [%rd1], 8;", PtxError),
    ("cp.async.ca.shared.global [%r2], [%rd1], 2;", PtxError),
    ("cp.async.ca.shared.global [%r2], [%rd1], 4, 8;", PtxError),
    ("cp.async.wait_group %r1;", PtxError),
    ("cp.async.wait_group;", PtxError),
])  # fmt: skip
def test_refused(bench, opcode, error):
    module_text = PTX.format(opcode)
    with pytest.raises(DeviceError) as caught:
        module = bench.device.load(module_text)
        bench.launch(module, "k", (1,), (32,), 0, 0)
    assert (caught.value.state == "unsupported_here") == (error is Unsupported), caught.value.sentence
