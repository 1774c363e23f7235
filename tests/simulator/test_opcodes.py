"""Every form of an instruction against an NVIDIA H200, bit by bit; approximations within bounds."""

from __future__ import annotations

import functools
import hashlib
import json
import struct
from pathlib import Path

import numpy as np
import pytest
from math_functions import distance
from opcode_cases import BLOCK, BYTES, COUNT, HEADER, cases, inputs

from grader.simulator import Device

HERE = Path(__file__).parent
H200 = json.loads((HERE / "h200_opcodes.json").read_text())
REFUSED = {name for name, _ in H200["refused"]}  # by the driver's assembler
CASES = {case.name: case for case in cases() if case.name not in REFUSED}
APPROXIMATE = dict(np.load(HERE / "h200_approximate.npz"))


@functools.cache
def given(kind: str, position: int, ties: bool = False) -> np.ndarray:
    return inputs(kind, position, ties)


@pytest.fixture(scope="module")
def results() -> dict[str, bytes]:
    """What the simulated GPU makes of every case."""
    found = {}
    with Device.in_process() as device:
        names = list(CASES)
        entries = "".join(CASES[name].ptx(f"run{k}") for k, name in enumerate(names))
        module = device.load(HEADER + entries)
        buffers = [device.alloc(8 * COUNT) for _ in range(4)]
        args = struct.pack("<4Q", *buffers)
        for k, name in enumerate(names):
            types = CASES[name].types
            for position, kind in enumerate(types[1:], 1):
                device.write(buffers[position], given(kind, position, CASES[name].ties))
            launch = device.launch(module, f"run{k}", (COUNT // BLOCK,), (BLOCK,), args, count=False)
            assert launch.fault is None, (name, launch.fault)
            found[name] = device.read(buffers[0], COUNT * BYTES[types[0]])
    return found


def test_every_case_was_measured():
    assert {*H200["exact"], *APPROXIMATE} == set(CASES)
    assert len(H200["exact"]) > 2200


def test_the_names_of_the_cases_are_distinct():
    assert len({case.name for case in cases()}) == len(cases())


def test_exact_instructions_give_the_bits_of_an_h200(results):
    different = [
        name for name, digest in H200["exact"].items() if hashlib.sha256(results[name]).hexdigest()[:16] != digest
    ]
    assert different == []


C_TYPES = {"f32": "float", "f64": "double", "f16": "__half", "bf16": "__nv_bfloat16"}  # as math_functions has them


# The largest difference from the H200, in units in the last place of the result. The .ftz functions of f64 read and
# give the high word alone, so theirs is the last place of that word.
FROM_H200 = {
    "ex2.approx.f32": 2,
    "ex2.approx.ftz.f32": 2,
    "rsqrt.approx.f32": 1,
    "rsqrt.approx.ftz.f32": 1,
    "rcp.approx.f32": 1,
    "rcp.approx.ftz.f32": 1,
    "sqrt.approx.f32": 1,
    "sqrt.approx.ftz.f32": 1,
    "div.approx.f32": 2,
    "div.approx.ftz.f32": 2,
    "div.full.f32": 2,
    "div.full.ftz.f32": 2,
    "ex2.approx.f16": 1,
    "ex2.approx.f16x2": 1,
    "tanh.approx.f16": 1,
    "tanh.approx.f16x2": 1,
    "ex2.approx.ftz.bf16": 1,
    "ex2.approx.ftz.bf16x2": 1,
    "tanh.approx.bf16": 1,
    "tanh.approx.bf16x2": 1,
    "rsqrt.approx.f64": 1,
    "rcp.approx.ftz.f64": 2**32,
    "rsqrt.approx.ftz.f64": 2**32,
}
# The largest absolute difference where the ISA bounds that: (bound, the operands for which it holds). sin and cos
# round the angle as an H200 does, so that they stay near it where both are far from the truth.
ABSOLUTE = {
    f"{root}.approx{ftz}.f32": bound
    for ftz in ("", ".ftz")
    for root, bound in {
        "sin": (2**-21.5, np.isfinite),
        "cos": (2**-21.5, np.isfinite),
        "lg2": (2**-22, lambda x: (x >= 0.5) & (x <= 2)),
    }.items()
}


def test_every_approximation_has_a_bound():
    assert {*FROM_H200, *ABSOLUTE, "tanh.approx.f32"} == set(APPROXIMATE)


@pytest.mark.parametrize("name", FROM_H200)
def test_approximate_functions_are_near_an_h200(results, name):
    kind = CASES[name].types[0]
    bits = f"u{BYTES[kind] // (2 if kind.endswith('x2') else 1)}"
    ours = np.frombuffer(results[name], f"u{BYTES[kind]}")[::16].copy().view(bits)
    assert distance(ours, APPROXIMATE[name].view(bits), C_TYPES[kind.removesuffix("x2")]).max() <= FROM_H200[name]
    if ".ftz.f64" in name:
        assert not (ours & 0xFFFFFFFF).any() and not (APPROXIMATE[name] & 0xFFFFFFFF).any()


@pytest.mark.parametrize("name", ABSOLUTE)
def test_functions_with_an_absolute_bound(results, name):
    bound, within = ABSOLUTE[name]
    x = given("f32", 1)[::16].view(np.float32)
    ours = np.frombuffer(results[name], np.float32)[::16]
    theirs = APPROXIMATE[name].view(np.float32)
    inside = within(x)
    assert inside.sum() > 20
    assert np.abs(ours[inside].astype(np.float64) - theirs[inside]).max() <= bound


def test_tanh_is_within_the_relative_bound_of_the_isa(results):
    ours = np.frombuffer(results["tanh.approx.f32"], np.float32)[::16].astype(np.float64)
    theirs = APPROXIMATE["tanh.approx.f32"].view(np.float32).astype(np.float64)
    both = np.isfinite(ours) & np.isfinite(theirs) & (ours != 0)
    assert (np.isnan(ours) == np.isnan(theirs)).all()
    assert (np.abs(ours - theirs)[both] / np.abs(ours[both])).max() <= 2**-10.9


TRUE = {
    "ex2.approx.f32": np.exp2,
    "lg2.approx.f32": np.log2,
    "tanh.approx.f32": np.tanh,
    "rsqrt.approx.f32": lambda x: 1 / np.sqrt(x),
}


@pytest.mark.parametrize("name", TRUE)
def test_approximate_functions_are_within_half_a_unit_of_the_truth(results, name):
    """The bound that engine/floats.h states."""
    with np.errstate(all="ignore"):
        x = given("f32", 1).view(np.float32).astype(np.float64)
        truth = TRUE[name](x)
        unit = np.spacing(np.abs(truth.astype(np.float32))).astype(np.float64)
    ours = np.frombuffer(results[name], np.float32).astype(np.float64)
    good = np.isfinite(truth) & np.isfinite(unit) & np.isfinite(ours) & (np.abs(x) < 2**20)
    assert good.sum() > 1000
    assert (np.abs(ours[good] - truth[good]) / unit[good]).max() < 0.51


# By the CUDA C++ Programming Guide 13.0 up to pi (__sinf and __cosf), by the PTX ISA 9.0 beyond.
@pytest.mark.parametrize("up_to, bounds", [(np.pi, (2**-21.41, 2**-21.19)), (100 * np.pi, (2**-14.7, 2**-14.7))])
def test_sin_and_cos_are_as_near_the_truth_as_the_guide_and_the_isa_say(results, up_to, bounds):
    x = given("f32", 1).view(np.float32)
    inside = np.abs(x) <= up_to
    for name, truth, bound in zip(("sin", "cos"), (np.sin, np.cos), bounds, strict=True):
        ours = np.frombuffer(results[f"{name}.approx.f32"], np.float32)[inside]
        assert np.abs(ours - truth(x[inside].astype(np.float64))).max() <= bound
