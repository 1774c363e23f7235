"""scale-shift-project: how a plugin is built; its sources are supplied, one of them by the kit."""

from grader.exercises.plugin import PluginPlan, asked

PLAN = PluginPlan(
    package=__package__, spec="scale_shift/scale_shift.toml", group="library", cmake=True,
    supplied=("scale_shift_kernel.cu", "scale_shift_kernel.h", "common/scale_shift.cpp"),
    rules=asked("values", group="library"),
)  # fmt: skip
