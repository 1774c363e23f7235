"""Exercises whose answer is a kernel file."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from grader.checks import Check, Finding, failed, passed
from grader.exercises.bench import KernelBench
from grader.verdict import State

# C++ types of parameters by what PTX says of them: a size in bytes.
SIZES = {"pointer": 8, "long long": 8, "int": 4, "unsigned": 4, "float": 4, "double": 8}


@dataclass(frozen=True)
class Signature:
    """What a kernel must take: the C++ declaration to show, and each parameter's kind (a key of ``SIZES``)."""

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
        names = ", ".join(self.kernels)
        compiles = Check(
            id="compiles", misconception=None, group=self.group, run=_compiles,
            sentence="The file compiles with NVIDIA's NVRTC as device code.",
        )  # fmt: skip
        signature = Check(
            id="signature", misconception=None, group=self.group, needs=("compiles",),
            run=lambda bench, rng: _signature(bench, self.kernels),
            sentence=f"The file defines the kernels it must, with the parameters the caller passes: {names}.",
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


def _signature(bench: KernelBench, wanted: Mapping[str, Signature]) -> Finding:
    present = bench.kernels()
    for name, signature in wanted.items():
        declaration = f'extern "C" __global__ void {signature.declaration}'
        if name not in present:
            others = ", ".join(sorted(present)) or "none"
            return failed(f"There is no kernel {name}; the file has: {others}. Needed: {declaration}")
        sizes = [p.size for p in present[name].parameters]
        needed = [SIZES[kind] for kind in signature.parameters]
        if len(sizes) != len(needed):
            return failed(f"{name} takes {len(sizes)} parameters, {len(needed)} are passed. Needed: {declaration}")
        for position, (size, need) in enumerate(zip(sizes, needed, strict=True), 1):
            if size != need:
                return failed(
                    f"Parameter {position} of {name} has {size} bytes, {need} are passed. Needed: {declaration}"
                )
    return passed()
