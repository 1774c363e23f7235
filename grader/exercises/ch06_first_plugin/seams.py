"""seams: a plugin whose files are plausible one by one and do not fit together; five places to be found and mended."""

from __future__ import annotations

from grader.checks import Check
from grader.exercises.ch06_first_plugin.answers import default, fp32_alone, refuses_an_empty_plan
from grader.exercises.ch06_first_plugin.kernels import Kernel, capped_relu, part
from grader.exercises.plugin import PluginPlan, asked

KERNEL = part(
    Kernel("capped_relu_f32", capped_relu, "cap", (16.0, 10.5, 9.25)), "capped_relu_kernel.cu",
    own={
        "kernel-values": (None, "Negative numbers become 0, what is above cap becomes cap, all else stays."),
        "kernel-stride": ("grid-is-enough", ""),
    },
)  # fmt: skip

PLAN = PluginPlan(
    package=__package__, spec="capped_relu.toml", group="answers", kernel=KERNEL,
    supplied=("common/export.h", "common/fields.h", "common/log.h", "common/status.h"),
    rules=(
        *asked(
            "formats-complete", "output-types", "shapes", group="answers", own={"formats-complete": "refuse-it-all"}
        ),
        *asked(
            "clone-equal", "attach", "serialize-lifetime", "serialize-complete", "serialize-stable",
            "serialize-fresh-process", group="plan", own={"serialize-complete": "names-are-labels"},
        ),
        *asked(
            "clone-ready", "status", "values", "values-zero", "stream", "no-synchronization", "launch-errors",
            "bounds", group="runs",
            own={
                "values": "numbers-find-their-place", "stream": "default-is-harmless",
                "no-synchronization": "wait-to-be-sure", "launch-errors": "launch-cannot-fail",
            },
        ),
    ),
    checks=(
        Check(
            id="fp32-alone", misconception="accept-first", group="answers", run=fp32_alone, source="contract: types",
            needs=("formats-complete",),
            sentence="supportsFormatCombination() accepts FP32 in the linear layout, and nothing else.",
        ),
        Check(
            id="missing-at-run-time", misconception="reading-is-enough", group="plan", run=refuses_an_empty_plan,
            needs=("serialize-complete",), source="contract: plan",
            sentence="At run time createPlugin() refuses a plan without cap.",
        ),
        Check(
            id="default", misconception=None, group="runs", run=default, needs=("status", "values", *KERNEL.needed),
            source="contract: plan",
            sentence="In the build phase a missing cap is 6, and the kernel computes with it.",
        ),
    ),
)  # fmt: skip
