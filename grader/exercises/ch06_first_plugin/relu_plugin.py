"""relu-plugin: a whole plugin in three files; its kernel by itself first, then the plugin."""

from __future__ import annotations

from grader.checks import Check
from grader.exercises.ch06_first_plugin.answers import count_in_64_bits, fp32_alone, one_in_one_out
from grader.exercises.ch06_first_plugin.kernels import Kernel, part, relu
from grader.exercises.plugin import PluginPlan, asked

KERNEL = part(
    Kernel("relu_f32", relu), "relu_kernel.cu",
    own={
        "kernel-infinity": ("multiply-by-zero", ""),
        "kernel-nan": ("max-is-relu", ""),
        "kernel-bounds": ("end-of-data", ""),
        "kernel-stride": ("one-element-each", ""),
        "kernel-past-int": ("index-32", ""),
        "kernel-past-unsigned": ("product-32", ""),
        "kernel-reads": ("scattered-reads", ""),
    },
)  # fmt: skip

PLAN = PluginPlan(
    package=__package__, spec="relu.toml", group="creator", kernel=KERNEL,
    supplied=(
        "relu.h", "relu_kernel.h", "common/export.h", "common/fields.h", "common/log.h", "common/status.h",
    ),
    rules=(
        *asked(
            "exports", "creators", "capabilities", "identity", "registry", "fields-advertised", "fields-null",
            group="creator", own={"exports": "written-is-found", "fields-advertised": "nothing-is-null"},
        ),
        *asked(
            "formats-complete", "output-types", "shapes", "shapes-wildcard", "configure", group="answers",
            own={"output-types": "types-follow", "shapes-wildcard": "shapes-are-numbers"},
        ),
        *asked(
            "clone-equal", "clone-independent", "attach", "serialize-lifetime", "serialize-fresh-process",
            group="copies",
            own={"attach": "attach-this", "serialize-lifetime": "nothing-to-keep"},
        ),
        *asked(
            "clone-ready", "status", "values", "values-zero", "stream", "no-synchronization", "launch-errors",
            "leaks", "bounds", group="runs",
            own={
                "values": "count-by-one-extent", "values-zero": "empty-grid", "stream": "default-stream",
                "launch-errors": "launch-cannot-fail", "no-synchronization": "wait-to-be-sure",
            },
        ),
    ),
    checks=(
        Check(
            id="fp32-alone", misconception="accept-all", group="answers", run=fp32_alone, source="contract: types",
            needs=("formats-complete",),
            sentence="supportsFormatCombination() accepts FP32 in the linear layout, and nothing else.",
        ),
        Check(
            id="one-in-one-out", misconception="node-fits", group="answers", run=one_in_one_out,
            needs=("formats-complete", "output-types", "shapes"), source="contract: types",
            sentence="Asked about another number of inputs or outputs, the plugin says no.",
        ),
        Check(
            id="count-64", misconception="count-in-int", group="runs", run=count_in_64_bits,
            source="contract: extents", needs=("launch-errors", *KERNEL.needed),
            sentence="The count of elements that enqueue() hands to the kernel is a 64-bit product.",
        ),
    ),
)  # fmt: skip
