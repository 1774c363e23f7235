"""The kernels of a plugin exercise by themselves: checked as a kernel exercise is, before the plugin is driven.

>>> PLAN = PluginPlan(
...     ...,
...     kernel=KernelPart(
...         file="relu_kernel.cu", group="kernel",
...         kernels={"relu_f32": Signature("relu_f32(const float* x, float* y, long long n)", (...))},
...         checks=(Check(id="nan", ..., run=lambda bench, rng: bench.first_failure(...)),),   # bench: a KernelBench
...     ),
... )
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from grader.checks import Check, Finding, failed, passed
from grader.exercises.bench import BUDGET, KernelBench
from grader.exercises.host import compile_finding
from grader.exercises.kernel import Signature, signature_finding, signature_sentence
from grader.toolchain import Library, Source, compile_library
from grader.toolchain.fatbin import FatbinError, images, ptx_of
from grader.toolchain.levels import reach
from grader.toolchain.records import Compilation
from grader.verdict import State

COMPILES, SIGNATURE = "kernel-compiles", "kernel-signature"
_UNITS = (".cu", ".cpp", ".cc", ".cxx")


@dataclass(frozen=True, kw_only=True)
class KernelPart:
    """``file``: the ``.cu`` file that defines ``kernels`` (``extern "C"``), beside whatever host code it has. It is
    compiled with nvcc and the headers of the answer, without any other unit, so that it is judged whatever state the
    plugin is in.

    ``checks`` take the ``KernelBench`` of the file, as those of a ``KernelPlan`` do, and run first; ``group``: of
    "kernel-compiles" and "kernel-signature". All that runs kernels waits for them, and where one did not pass the
    plugin's other rules are asked without running any. ``waited_for``: ids of those of ``checks`` that others wait
    for; None: all.
    """

    file: str
    kernels: Mapping[str, Signature]
    checks: tuple[Check, ...]
    group: str
    waited_for: tuple[str, ...] | None = None
    budget: int = BUDGET

    def __post_init__(self):
        if strange := set(self.waited_for or ()) - {each.id for each in self.checks}:
            raise ValueError(f"the kernel part has no check {', '.join(sorted(strange))}")

    @property
    def needed(self) -> tuple[str, ...]:
        """The ids of the checks that whatever runs a kernel waits for: also the ``needs`` of an exercise's own checks
        that do."""
        mine = self.waited_for if self.waited_for is not None else tuple(each.id for each in self.checks)
        return SIGNATURE, *mine

    def all_checks(self) -> tuple[Check, ...]:
        compiles = Check(
            id=COMPILES, misconception=None, group=self.group, run=lambda bench, rng: bench.kernel.compiles(),
            sentence=f"{self.file} compiles with nvcc.",
        )  # fmt: skip
        signature = Check(
            id=SIGNATURE, misconception=None, group=self.group, needs=(COMPILES,),
            run=lambda bench, rng: bench.kernel.signature(), sentence=signature_sentence(self.kernels),
        )  # fmt: skip
        return compiles, signature, *map(self._on_the_file, self.checks)

    def _on_the_file(self, check: Check) -> Check:
        hidden = check.run_hidden
        return dataclasses.replace(
            check, needs=(SIGNATURE, *(each for each in check.needs if each != SIGNATURE)),
            run=lambda bench, rng: bench.kernel.ask(check.id, check.run, rng),
            run_hidden=hidden and (lambda bench, rng: bench.kernel.ask(check.id, hidden, rng)),
        )  # fmt: skip

    def open(self, files: Mapping[str, bytes], *, strict: bool) -> KernelFile:
        alone = {
            name: data for name, data in files.items()
            if name == self.file or PurePosixPath(name).suffix not in _UNITS
        }  # fmt: skip
        return KernelFile(self, compile_library(Source(alone, self.file), strict=strict))


class KernelFile:
    """One learner's kernel file, compiled alone. A context manager."""

    def __init__(self, part: KernelPart, library: Library):
        self._part, self.library = part, library
        self._bench: KernelBench | None = None
        self._passed: dict[str, bool] = {}

    def __enter__(self) -> KernelFile:
        return self

    def __exit__(self, *_) -> None:
        if self._bench is not None:
            self._bench.__exit__()

    @property
    def right(self) -> bool:
        """Whether all passed, so far, that those wait for who run kernels."""
        return all(self._passed.get(id) for id in self._part.needed)

    @property
    def counters(self) -> dict[str, dict[str, float]]:
        return dict(self._bench.counters) if self._bench is not None else {}

    def compiles(self) -> Finding:
        if self.library.state is not State.PASS:
            return compile_finding(self.library)
        return passed(diagnostics=[dataclasses.asdict(each) for each in self.library.diagnostics])

    def signature(self) -> Finding:
        return self.ask(SIGNATURE, lambda bench, rng: signature_finding(bench, self._part.kernels), None)

    def ask(self, id: str, run, rng) -> Finding:
        """What a check finds on the kernel's bench."""
        bench = self._open()
        finding = bench if isinstance(bench, Finding) else run(bench, rng)
        self._passed[id] = finding.state is State.PASS
        return finding

    def _open(self) -> KernelBench | Finding:
        if self._bench is None:
            ptx = next(filter(None, map(_ptx, images(reach(self.library.path).elf.fatbins))), None)
            if ptx is None:
                wanted = next(iter(self._part.kernels.values())).declaration
                return failed(f'{self._part.file} defines no kernel. Needed: extern "C" __global__ void {wanted}')
            compiled = Compilation(state=State.PASS, ptx=ptx)
            self._bench = KernelBench({}, "", kind="simulated", budget=self._part.budget, compilation=compiled)
        return self._bench


def _ptx(image: bytes) -> str:
    try:
        return ptx_of(image)
    except FatbinError:
        return ""
