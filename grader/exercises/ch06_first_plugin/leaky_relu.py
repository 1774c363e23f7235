"""leaky-relu: one attribute, from whoever creates the plugin to the kernel."""

from __future__ import annotations

from grader.checks import Check
from grader.exercises.ch06_first_plugin.answers import advertised_as_read, default, refuses_an_empty_plan
from grader.exercises.ch06_first_plugin.kernels import Kernel, leaky_relu, part
from grader.exercises.plugin import PluginPlan, asked

KERNEL = part(
    Kernel("leaky_relu_f32", leaky_relu, "alpha", (0.01, 1.5, -0.5)), "leaky_relu_kernel.cu",
    own={
        "kernel-values": (
            "max-of-both", "Negative numbers are multiplied by alpha, below 1 or above, positive ones stay.",
        ),
    },
)  # fmt: skip

PLAN = PluginPlan(
    package=__package__, spec="leaky_relu.toml", group="given", kernel=KERNEL,
    supplied=(
        "leaky_relu_kernel.h", "common/export.h", "common/fields.h", "common/log.h", "common/status.h",
    ),
    rules=(
        *asked(
            "fields-advertised", "fields-null", "fields-unknown", "fields-type", "fields-length", "fields-lifetime",
            "fields-per-object", group="given",
            own={
                "fields-advertised": "parser-passes-all", "fields-null": "data-is-there",
                "fields-type": "type-is-mine", "fields-per-object": "one-alpha-for-all",
            },
        ),
        *asked(
            "clone-equal", "clone-independent", "attach", "serialize-lifetime", "serialize-complete",
            "serialize-stable", "serialize-fresh-process", group="kept",
            own={
                "clone-equal": "clone-starts-anew", "attach": "attach-starts-anew",
                "serialize-lifetime": "list-outlives-call", "serialize-complete": "plan-knows-it",
                "serialize-fresh-process": "plan-knows-it",
            },
        ),
        *asked(
            "clone-ready", "status", "values", "values-zero", "stream", "launch-errors", "leaks", "bounds",
            group="runs",
            own={"values": "alpha-is-known"},
        ),
    ),
    checks=(
        Check(
            id="advertised-as-read", misconception=None, group="given", run=advertised_as_read,
            needs=("fields-advertised",), source="contract: alpha",
            sentence="getFieldNames() says of alpha the type and the length that createPlugin() reads.",
        ),
        Check(
            id="default", misconception="missing-is-zero", group="runs", run=default,
            needs=("status", "values", *KERNEL.needed), source="contract: missing at build",
            sentence="In the build phase a missing alpha is 0.01, and the kernel computes with it.",
        ),
        Check(
            id="missing-at-run-time", misconception="phases-alike", group="given", run=refuses_an_empty_plan,
            needs=("serialize-complete",), source="contract: missing at run time",
            sentence="At run time createPlugin() refuses a plan without alpha.",
        ),
    ),
)  # fmt: skip
