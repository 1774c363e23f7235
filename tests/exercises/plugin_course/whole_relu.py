"""whole-relu: a whole plugin by all rules, its kernel by itself, and what one run of it does on the device."""

import numpy as np

from grader.checks import Case, Check, In, Out, failed, grid_1d, passed
from grader.checks.conformance.rule import GROUPS
from grader.exercises.plugin import PluginPlan, asked, theme


def _kernel(bench, rng):
    kernels = bench.kernels("reluF32")
    if not hasattr(kernels, "first_failure"):
        return kernels

    def case(n):
        x = rng.standard_normal(n).astype(np.float32)
        return Case(
            kernel="reluF32", arguments=(In("x", x), Out("y", x.shape, np.float32), np.int64(n)), grid=grid_1d(n),
            block=(256, 1, 1), expected={"y": np.maximum(x, 0)}, label=f"n = {n}",
        )  # fmt: skip

    return kernels.first_failure(case(n) for n in (1, 31, 257, 1021))


def _one_launch(bench, rng):
    ready, case = bench.conformance.ready(), bench.conformance.case(rng)
    run = ready.runner.run(ready.context, case)
    launches = [call for call in run.calls if "LaunchKernel" in call.call]
    return passed() if len(launches) == 1 else failed(f"enqueue() makes {len(launches)} launches; one does.")


PLAN = PluginPlan(
    package=__package__, spec="relu/relu.toml", group="plugin",
    rules=asked(*(rule for name in GROUPS for rule in theme(name)), group="plugin", own={"stream": "one-stream"}),
    checks=(
        Check(
            id="kernel", misconception="whole-blocks", group="kernel", run=_kernel, seeded=True,
            sentence="The kernel reluF32 does any number of elements.",
        ),
        Check(
            id="one-launch", misconception=None, group="kernel", run=_one_launch, needs=("values",),
            sentence="enqueue() launches one kernel.",
        ),
    ),
)  # fmt: skip
