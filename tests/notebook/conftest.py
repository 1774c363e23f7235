"""An exercise of every shape, and verdicts on it, without running a check."""

import dataclasses

import pytest

from grader.course.records import ContractRow, Exercise, Hint, Misconception
from grader.verdict import CheckResult, Group, State, Verdict

SOURCE = """#include <mask.h>
extern "C" __global__ void masked_gelu(const float* x, float* y, long long n)
{
    long long i = blockIdx.x * blockDim.x + threadIdx.x;
\ty[i] = x[i]
    if (i < n) { y[i] = 0; }  // <script>alert(1)</script>
}
"""

EXERCISE = Exercise(
    slug="masked-gelu-forward", alias="forward", title="Masked GELU, forward", kind="kernel", track="core", points=10,
    revision=1, files=("masked_gelu.cu",), cell=None, needs=("compiler", "simulated-gpu"), wall_seconds=20,
    summary="Write the `kernel`.", contract=(ContractRow(row="special values", text="Where `mask` is 0, 0."),),
    groups=(Group(id="values", title="Values", points=6), Group(id="memory", title="Memory", points=4)),
    hints=tuple(Hint(text=f"rung {n}") for n in range(1, 5)),
    misconceptions=(Misconception(id="mask-multiply", text="To mask is to multiply. (NaN times 0 is NaN.)"),),
    chapter="10_masked_gelu", number=10,
)  # fmt: skip

CHECKS = (
    CheckResult(check="compiles", state=State.PASS, sentence="It compiles.", group="values"),
    CheckResult(check="mask", state=State.PASS, sentence="A mask of 0 gives 0.", group="values",
                misconception="mask-multiply", source="contract row “special values”"),
    CheckResult(check="coalesced", state=State.PASS, sentence="Few sectors.", group="memory"),
)  # fmt: skip


@pytest.fixture
def exercise():
    return EXERCISE


@pytest.fixture
def sources():
    return {"masked_gelu.cu": SOURCE}


@pytest.fixture
def verdict():
    """Makes a verdict from changes to the passing checks: ``verdict(mask={"state": State.FAIL, ...})``."""

    def make(*, rest=None, **changes):
        checks = tuple(dataclasses.replace(check, **changes.get(check.check, {})) for check in CHECKS)
        return Verdict.of(
            exercise=EXERCISE.slug, revision=1, checks=checks, groups=EXERCISE.groups, seconds=0.5,
            provenance={"compiler": "NVRTC 13.0"}, **(rest or {}),
        )  # fmt: skip

    return make
