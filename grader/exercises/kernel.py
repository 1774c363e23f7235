"""Exercises whose answer is a kernel file."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from grader.checks import Check, Finding, failed, passed
from grader.exercises.bench import KernelBench
from grader.verdict import State

# What PTX says of a parameter, by its kind in C++. (A pointer and a long long look alike there.)
KINDS = {
    "pointer": ("u64", "s64", "b64"),
    "long long": ("u64", "s64", "b64"),
    "int": ("u32", "s32", "b32"),
    "unsigned": ("u32", "s32", "b32"),
    "float": ("f32",),
    "double": ("f64",),
}
C_NAMES = {"u64": "a 64-bit integer or pointer", "u32": "a 32-bit integer", "f32": "a float", "f64": "a double",
           "u16": "a 16-bit value", "u8": "a byte"}  # fmt: skip


@dataclass(frozen=True)
class Signature:
    """What a kernel must take: the C++ declaration to show, and each parameter's kind (a key of ``KINDS``)."""

    declaration: str
    parameters: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class KernelPlan:
    """``kernels`` maps names to signatures; ``checks`` run in order, after ``compiles`` and ``signature``."""

    kernels: Mapping[str, Signature]
    checks: tuple[Check, ...]
    group: str  # the group that "compiles" and "signature" belong to
    budget: int = 50_000_000

    def all_checks(self) -> tuple[Check, ...]:
        compiles = Check(
            id="compiles", misconception=None, group=self.group, run=_compiles,
            sentence="The file compiles with NVIDIA's NVRTC as device code.",
        )  # fmt: skip
        signature = Check(
            id="signature", misconception=None, group=self.group, needs=("compiles",),
            run=lambda bench, rng: signature_finding(bench, self.kernels), sentence=signature_sentence(self.kernels),
        )  # fmt: skip
        return compiles, signature, *(_after(check, "signature") for check in self.checks)

    def bench(self, job) -> KernelBench | Finding:
        files = job.files()
        if isinstance(files, Finding):
            return files
        return KernelBench(files, job.exercise.files[0], kind=job.device, budget=self.budget)


def _after(check: Check, need: str) -> Check:
    return check if need in check.needs else dataclasses.replace(check, needs=(need, *check.needs))


def _compiles(bench: KernelBench, rng) -> Finding:
    c = bench.compilation
    diagnostics = [dataclasses.asdict(d) for d in c.diagnostics]
    if c.state is State.PASS:
        return passed(diagnostics=diagnostics)
    return failed(c.message or "The file does not compile.", state=c.state, diagnostics=diagnostics, log=c.log[-4000:])


def signature_sentence(kernels: Mapping[str, Signature]) -> str:
    return f"The file defines the kernels it must, with the parameters the caller passes: {', '.join(kernels)}."


def signature_finding(bench: KernelBench, wanted: Mapping[str, Signature]) -> Finding:
    """Whether the file has these kernels, with these parameters."""
    present = bench.kernels()
    for name, signature in wanted.items():
        declaration = f'extern "C" __global__ void {signature.declaration}'
        if name not in present:
            others = ", ".join(sorted(present)) or "none"
            return failed(f"There is no kernel {name}; the file has: {others}. Needed: {declaration}")
        found = present[name].parameters
        if len(found) != len(signature.parameters):
            return failed(
                f"{name} takes {len(found)} parameters, {len(signature.parameters)} are passed. Needed: {declaration}"
            )
        for position, (parameter, kind) in enumerate(zip(found, signature.parameters, strict=True), 1):
            if parameter.type not in KINDS[kind]:
                is_, needed = _words(parameter.type, parameter.size), _words(KINDS[kind][0])
                return failed(f"Parameter {position} of {name} is {is_}, {needed} is passed. Needed: {declaration}")
    return passed()


def _words(ptx_type: str, size: int = 1) -> str:
    """A PTX type in words; signed, unsigned and untyped alike. A structure is an array of ``b8``."""
    if ptx_type == "b8" and size > 1:
        return f"a structure of {size} bytes"
    return C_NAMES.get(f"u{ptx_type[1:]}" if ptx_type[0] in "usb" else ptx_type, f"of the PTX type .{ptx_type}")
