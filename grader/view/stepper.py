"""The warp stepper: one warp through the learner's source, forwards and backwards.

>>> step(kernel, (1,), (64,), (x, y, n), warp=1)      # a slider in a notebook
>>> print(step(kernel, (1,), (64,), (x, y, n)).still(12))   # one frame, anywhere
"""

from __future__ import annotations

from typing import Any

from grader.gpu.traces import WarpTrace, trace_warp
from grader.view.frame_html import frame_html
from grader.view.frame_text import frame_text
from grader.view.frames import Frame, by_instruction, by_line


class Still:
    """One frame of a stepper: HTML in a notebook, text in a terminal."""

    def __init__(self, view: WarpTrace, frame: Frame, number: int, count: int):
        self.frame, self.number = frame, number
        self._place = view, frame, number, count

    def _repr_html_(self) -> str:
        return frame_html(*self._place)

    def __repr__(self) -> str:
        return frame_text(*self._place)


class WarpStepper:
    """Shows a ``WarpTrace`` frame by frame.

    A frame is one run of the warp through a line of the source; with ``ptx=True`` one PTX instruction. ``still(k)``
    gives frame k alone; ``line(n)`` the numbers of the frames at line n; in a notebook with a running kernel the
    stepper itself has a slider and buttons.
    """

    def __init__(self, view: WarpTrace, *, ptx: bool = False):
        self.view, self.ptx = view, ptx
        self._frames = {False: by_line(view.steps), True: by_instruction(view.steps)}

    @property
    def frames(self) -> list[Frame]:
        return self._frames[self.ptx]

    def __len__(self) -> int:
        return len(self.frames)

    def still(self, number: int) -> Still:
        """Frame ``number``, from 0; negative numbers count from the end."""
        count = len(self)
        if not -count <= number < count:
            raise IndexError(f"there are {count} steps, from 0 to {count - 1}")
        number %= count
        return Still(self.view, self.frames[number], number, count)

    def line(self, number: int) -> list[int]:
        """The frames in which the warp runs through this line of the source."""
        return [k for k, frame in enumerate(self.frames) if frame.line == number]

    def _opening(self) -> int:
        """The frame to begin with: the fault, if there is one."""
        return len(self) - 1 if self.view.fault else 0

    def __repr__(self) -> str:
        what = f"{self.view.name}: {len(self)} steps{' (cut: there were more)' if self.view.trace.cut else ''}"
        return f"{what}\n{self.still(self._opening())!r}" if self.frames else what

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, Any] | tuple[dict, dict]:
        """The widget where a notebook can show it; its first frame where nothing but HTML or text is shown."""
        if not self.frames:
            return {"text/plain": repr(self)}
        still = {"text/plain": repr(self), "text/html": self.still(self._opening())._repr_html_()}
        try:
            from grader.view.stepper_widget import widget
        except ImportError:
            return still
        bundle = widget(self, self._opening())._repr_mimebundle_()
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return {**data, **still}, metadata


def step(
    kernel, grid, block, args, *, at=(0, 0, 0), warp: int = 0, shared_mem: int = 0, steps: int = 20_000,
    ptx: bool = False,
) -> WarpStepper:  # fmt: skip
    """Launch ``kernel`` once and step through one warp of it: ``trace_warp`` and ``WarpStepper`` in one call."""
    traced = trace_warp(kernel, grid, block, args, at=at, warp=warp, shared_mem=shared_mem, steps=steps)
    return WarpStepper(traced, ptx=ptx)
