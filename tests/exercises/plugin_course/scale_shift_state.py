"""scale-shift-state: one file of a plugin, its kernels supplied."""

from grader.exercises.plugin import PluginPlan, asked, theme

PLAN = PluginPlan(
    package=__package__, spec="scale_shift/scale_shift.toml", group="library",
    supplied=("scale_shift_kernel.cu", "scale_shift_kernel.h"),
    rules=(
        *asked(*theme("fields"), group="fields", own={"fields-null": "data-is-there"}),
        *asked(*theme("serialization"), group="state", own={"serialize-complete": "one-is-enough"}),
        *asked(*theme("clone"), group="clones", own={"clone-equal": "clone-is-new"}),
        *asked("values", group="results"),
    ),
)  # fmt: skip
