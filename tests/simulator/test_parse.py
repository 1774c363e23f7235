"""PTX text: what is read, what is malformed, what is refused by name."""

from __future__ import annotations

import re

import numpy as np
import pytest
from conftest import compile_text

from grader.simulator import DeviceError
from grader.simulator.decode import kept
from grader.simulator.ptx.errors import PtxError, Unsupported
from grader.simulator.ptx.isa import INSTRUCTIONS, not_modelled
from grader.simulator.ptx.locations import Locations
from grader.simulator.ptx.model import Location
from grader.simulator.ptx.parse import parse
from grader.verdict.records import State

HEADER = ".version 9.0\n.target sm_80\n.address_size 64\n"


def entry(body: str, parameters: str = ".param .u64 p") -> str:
    return f"{HEADER}.visible .entry k({parameters})\n{{\n{body}\nret;\n}}\n"


def test_parameters_of_every_kind():
    text = entry(
        "",
        ".param .u32 a, .param .u64 .ptr .align 1 b, .param .align 8 .b8 c[20], .param .f32 d, .param .u8 e",
    )
    parameters = parse(text).functions["k"].parameters
    assert [(p.name, p.type, p.bytes, p.align) for p in parameters] == [
        ("a", "u32", 4, 4),
        ("b", "u64", 8, 1),
        ("c", "b8", 20, 8),
        ("d", "f32", 4, 4),
        ("e", "u8", 1, 1),
    ]


def test_the_parameter_block_is_laid_out_like_a_structure(bench):
    text = """struct Shape { short n; double scale; };
extern "C" __global__ void k(char a, Shape s, float b) { }"""
    info = bench.device.kernels(bench.load(text))["k"]
    assert [(p.size, p.offset) for p in info.parameters] == [(1, 0), (16, 8), (4, 24)]
    assert (info.shared_bytes, info.max_threads) == (0, None)


def test_register_lists_scopes_and_comments():
    text = entry(
        ".reg .b16 a, b, c;.reg.pred %p<3>;\n/* a\n comment */ .reg .b32 %r<2>; // another\n"
        "{ .reg .b32 a; mov.u32 a, 1; { .reg .b32 a; mov.u32 a, 2; } mov.u32 a, 3; }\nmov.b16 a, b;"
    )
    function = parse(text).functions["k"]
    assert function.registers["a"] == "b16" and function.registers["%p2"] == "pred"
    names = [ins.operands[0].name for ins in function.body[:4]]
    assert names[0] == names[2] != names[1] and names[3] == "a"
    assert function.registers[names[0]] == function.registers[names[1]] == "b32"


def test_labels_in_scopes_do_not_mix(bench):
    """The same inline assembly twice in a kernel."""
    loop = (
        "{ .reg .pred q; .reg .b32 n; mov.u32 n, 0; AGAIN: add.u32 n, n, 1; setp.lt.u32 q, n, 5; "
        "@q bra AGAIN; add.u32 %r1, %r1, n; }"
    )
    text = entry(
        f".reg .b32 %r<2>; .reg .b64 %d; mov.u32 %r1, 0; {loop} {loop} ld.param.u64 %d, [p]; st.global.u32 [%d], %r1;"
    )
    y = bench.device.alloc(4)
    assert bench.launch(bench.device.load(text), "k", (1,), (1,), y).fault is None
    assert bench.fetch(y, 1, np.int32)[0] == 10


def test_module_variables_and_their_first_values(bench):
    text = """__device__ int table[4] = {3, 1, 4, 1};
__constant__ float scale = 2.5f;
__device__ const char* word = "hi";
extern "C" __global__ void k(float* y) { y[0] = table[2] * scale; y[1] = word[1]; table[2] += 1; }"""
    module, y = bench.load(text), bench.device.alloc(8)
    for expected in (10, 12.5):
        assert bench.launch(module, "k", (1,), (1,), y).fault is None
        np.testing.assert_array_equal(bench.fetch(y, 2, np.float32), [expected, ord("i")])


def test_inlined_code_belongs_to_the_innermost_place_in_a_learners_file():
    locations = Locations({1: "a.cu", 2: "/opt/nvidia/cu13/include/cuda_fp16.hpp", 3: "helper.cuh"})
    assert locations.at((2, 10, 1), (3, 4, 2)) == Location("helper.cuh", 4)
    assert locations.at((2, 11, 1), (2, 20, 1)) == Location("/opt/nvidia/cu13/include/cuda_fp16.hpp", 11)
    locations.at((2, 20, 1), (1, 7, 3))
    assert locations.at((2, 11, 1), (2, 20, 1)) == Location("a.cu", 7)
    assert locations.at((1, 9, 1), None) == Location("a.cu", 9)


@pytest.mark.parametrize(
    "text, line",
    [
        (entry("bra NOWHERE;"), 6),
        (entry("mov.u32 %r1"), 7),
        (entry("`"), 6),
        (HEADER + ".entry k(", 4),
        (entry(".reg .b32 %r<99999999>;"), 6),
        (HEADER + "nonsense;", 4),
        (entry("add.u32 1, 2;}"), 7),
    ],
)
def test_malformed_text_is_told_with_its_line(text, line):
    with pytest.raises(PtxError) as problem:
        parse(text)
    assert problem.value.line == line


@pytest.mark.parametrize(
    "statement, words",
    [
        ("add.u32 %r1, %r2;", "2 operands"),
        ("add.u32 %r9, %r1, %r1;", "%r9"),
        ("add.u64 %r1, %r1, %r1;", "%r1"),
        ("mov.u32 %tid.x, %r1;", "%tid.x"),
        ("st.global.u32 [q], %r1;", "q"),
        ("ld.param.u64 %d1, [p+4];", "parameters"),
        ("ld.global.u32 %r1, [%d1+18446744073709551615];", "64 bits"),
    ],
)
def test_instructions_that_make_no_sense_are_errors(bench, statement, words):
    text = entry(f".reg .b32 %r<3>; .reg .b64 %d<3>; {statement}")
    with pytest.raises(DeviceError) as problem:
        bench.device.load(text)
    assert problem.value.state in (State.ERROR, State.UNSUPPORTED_HERE)
    assert words in problem.value.sentence


@pytest.mark.parametrize(
    "statement",
    [
        "add.u32.u32 %r1, %r1, %r1;",
        "cvt.f16.f32 %h1, %f1;",
        "cvt.rn.s32.f32 %r1, %f1;",
        "fma.rn.oob.f16 %h1, %h1, %h1, %h1;",
        "fma.f32 %f1, %f1, %f1, %f1;",
        "cp.async.bulk.commit_group;",
        "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r1}, {%f1};",
        "mov.u32 %r1, %pm0;",
        "brkpt;",
    ],
)
def test_what_is_not_modelled_is_refused_by_name(bench, statement):
    registers = ".reg .b32 %r<2>; .reg .f32 %f<2>; .reg .b64 %d<2>; .reg .b16 %h<2>; .reg .pred %p<2>;"
    text = entry(registers + "\n.loc 1 42 7\n" + statement) + '.file 1 "/somewhere/mine.cu"\n'
    with pytest.raises(DeviceError) as problem:
        bench.device.load(text)
    name = statement.split()[0].rstrip(";") if "%pm0" not in statement else "%pm0"
    assert problem.value.state is State.UNSUPPORTED_HERE
    assert f"`{name}`" in problem.value.sentence and "line 42" in problem.value.sentence


@pytest.mark.parametrize(
    "statement, words",
    [
        ("add.rn.wrong.f32 %f1, %f1, %f1;", "there is no `.wrong`"),
        ("ld.global.nc.v4.wrong.f32 {%f1,%f1,%f1,%f1}, [%d1];", "there is no `.wrong`"),
        ("atom.global.add.noftz.f32.wrong %f1, [%d1], %f1;", "there is no `.wrong`"),
        ("foo.bar.baz %r1;", "`foo.bar.baz` is no PTX instruction"),
        ("mul.wide.s64 %d1, %d1, %d1;", "`mul` has no such form"),
        ("div.f32 %f1, %f1, %f1;", "`div` has no such form"),
        ("ex2.approx.f64 %d1, %d1;", "`ex2` has no such form"),
        ("shfl.bfly.b32 %r1, %r1, 1, 31;", "`shfl` has no such form"),
        ("sqrt.approx.f64 %d1, %d1;", "`sqrt` has no such form"),
        ("tanh.approx.ftz.f32 %f1, %f1;", "`tanh` has no such form"),
        ("setp.ltu.s32 %p1, %r1, %r1;", "`setp` has no such form"),
        ("mov.u32 %r1, %%r99999;", "%%r99999 is not declared"),
        ("mov.u32 %r1, %nothing;", "%nothing is not declared"),
        ("mov.u32 %r1, [%d1];", "cannot take such an operand"),
        ("ld.global.u32 %r1, [%d1, {%r1}];", "a base and an offset"),
        ('.include "/etc/passwd"', "`.include` cannot stand in a function"),
        (".reg .wrong %x;", "`.wrong` is no type of a register"),
        (".local .wrong x;", "`.wrong` is no type of PTX"),
        (".local .b8 big[600000];", "600000 bytes of local memory"),
        ("call.uni helper, ();", "helper is called and defined nowhere"),
    ],
)
def test_what_no_gpu_would_take_is_an_error(bench, statement, words):
    registers = ".reg .b32 %r<2>; .reg .f32 %f<2>; .reg .b64 %d<2>;"
    with pytest.raises(DeviceError, match=re.escape(words)) as problem:
        bench.device.load(entry(registers + "\n" + statement))
    assert problem.value.state is State.ERROR


def test_a_bogus_instruction_is_told_at_the_learners_line(bench):
    text = compile_text('extern "C" __global__ void k(int* y)\n{\n    asm volatile("foo.bar %0;" :: "r"(1));\n}')
    with pytest.raises(DeviceError, match=r"`foo.bar` is no PTX instruction \(from .*kernel.cu, line 3\)"):
        bench.device.load(text)


def test_a_kernel_smuggled_in_by_assembly_is_an_error(bench):
    text = compile_text(
        'extern "C" __global__ void k(int* y) { asm volatile("} .visible .entry evil() { ret;"); *y = 1; }'
    )
    with pytest.raises(DeviceError, match="is not declared") as problem:
        bench.device.load(text)
    assert problem.value.state is State.ERROR


@pytest.mark.parametrize(
    "text, words",
    [
        ("extern __device__ int h(); K(int* y) { *y = h(); }", "function h is called and defined nowhere"),
        ("__constant__ char c[1 << 20]; K(char* y) { *y = c[*y]; }", "1048576 bytes.*64 KiB"),
        ("K(int* y) { __shared__ volatile int t[12289]; t[0] = 1; *y = t[0]; }", "49156 bytes of shared memory"),
    ],
)
def test_what_a_driver_would_not_load(bench, text, words):
    with pytest.raises(DeviceError, match=words) as problem:
        bench.load(text.replace("K(", 'extern "C" __global__ void k('))
    assert problem.value.state is State.ERROR


def test_a_variable_of_no_module_would_not_load(bench):
    outside = f"{HEADER}.extern .global .align 4 .u32 far;\n"
    text = entry(".reg .b32 %r; ld.global.u32 %r, [far];").replace(HEADER, outside)
    with pytest.raises(DeviceError, match="variable far is used and defined nowhere"):
        bench.device.load(text)
    bench.device.load(text.replace(outside, f"{outside}.global .align 4 .u32 far;\n"))


def test_memory_just_within_the_limits_loads(bench):
    module = bench.load(
        """__constant__ char c[1 << 16];
extern "C" __global__ void k(char* y) { __shared__ volatile char t[48 << 10]; t[0] = 1; *y = c[*y] + t[0]; }"""
    )
    assert bench.device.kernels(module)["k"].shared_bytes == 48 << 10


def test_a_variable_that_is_declared_and_defined_loads(bench):
    text = 'extern __device__ int v; __device__ int v = 3; extern "C" __global__ void k(int* y) { *y = v; }'
    y = bench.device.alloc(4)
    assert bench.launch(bench.load(text), "k", (1,), (1,), y).fault is None
    assert bench.device.read(y, 4) == b"\3\0\0\0"


@pytest.mark.parametrize("directive", [".reg .v4 .f32 a;", ".local .v4 .f32 a;"])
def test_directives_that_are_not_modelled(directive):
    with pytest.raises(Unsupported):
        parse(entry(directive))


@pytest.mark.parametrize(
    "opcode",
    [
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16",
        "wmma.load.a.sync.aligned.row.m16n16k16.f16",
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
        "tcgen05.mma.cta_group::1.kind::f16",
        "mbarrier.try_wait.parity.shared::cta.b64",
        "createpolicy.fractional.L2::evict_last.b64",
        "discard.global.L2",
        "cvt.rs.satfinite.e4m3x4.f32",
        "mul.f32x2",
    ],
)
def test_real_ptx_is_told_from_invented_ptx(opcode):
    assert isinstance(not_modelled(opcode), Unsupported)
    assert isinstance(not_modelled(f"{opcode}.wrong"), PtxError)


def test_every_instruction_that_is_run_is_in_the_isa():
    from grader.simulator.decode import program  # noqa: F401 (registers the handlers)
    from grader.simulator.decode.context import HANDLERS

    assert set(HANDLERS) < INSTRUCTIONS


def test_a_module_without_the_kernel(bench):
    module = bench.load('extern "C" __global__ void other() {}')
    with pytest.raises(DeviceError, match="no kernel 'k'.*other"):
        bench.device.launch(module, "k", (1,), (1,), b"")


def test_too_few_arguments(bench):
    module = bench.load('extern "C" __global__ void k(int* a, int b) {}')
    with pytest.raises(DeviceError, match="12 bytes"):
        bench.device.launch(module, "k", (1,), (1,), bytes(8))


def test_a_module_that_is_loaded_again_is_not_parsed_again(bench, monkeypatch):
    parsed = []
    monkeypatch.setattr(kept, "parse", lambda text: parsed.append(text) or parse(text))
    text = compile_text("__device__ int v = 7; extern \"C\" __global__ void k(int* y) { *y = v; }")
    for spare in (0, 1000, 0):  # the variable lies elsewhere the second time
        bench.device.reset()
        bench.device.alloc(1 << 20 if spare else 4)
        module = bench.device.load(text)
        y = bench.device.alloc(4)
        assert bench.launch(module, "k", (1,), (1,), y).fault is None
        assert bench.fetch(y, 1, "i4")[0] == 7
    assert len(parsed) == 1
    for k in range(kept.MOST_MODULES + 1):
        bench.device.load(f"{text}// {k}")
    bench.device.load(text)
    assert len(parsed) == kept.MOST_MODULES + 3


def test_more_parameters_than_a_launch_can_carry_are_refused(bench):
    with pytest.raises(DeviceError, match="40000 bytes of parameters; the most is 32764"):
        bench.device.load(entry("", ".param .align 4 .b8 p[40000]"))
