"""Pictures by code: which bytes a warp touches, what it does step by step, how far approximations are off, counters.

Every picture has a sentence for those who cannot see it, and reads on a light and on a dark page.
"""

from grader.view.accesses import access_map
from grader.view.charts import bars, error_plot
from grader.view.lines import LineView, line_view
from grader.view.picture import Picture, figure, show
from grader.view.stepper import WarpStepper, step
from grader.view.threads import thread_grid
from grader.view.timeline import timeline

__all__ = [
    "LineView", "Picture", "WarpStepper", "access_map", "bars", "error_plot", "figure", "line_view", "show", "step",
    "thread_grid", "timeline",
]  # fmt: skip
