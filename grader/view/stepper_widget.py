"""The stepper's slider and buttons. All of them work from the keyboard: Tab to one, arrows or Enter to use it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ipywidgets as widgets

if TYPE_CHECKING:
    from grader.view.stepper import WarpStepper


def widget(stepper: WarpStepper, opening: int) -> widgets.Widget:
    """A box of controls over one frame."""
    place = widgets.IntSlider(
        value=opening, min=0, max=len(stepper) - 1, description="step", continuous_update=True, readout=False,
        layout=widgets.Layout(flex="1 1 auto", width="auto"),
    )  # fmt: skip
    back, forth = (
        widgets.Button(description=text, tooltip=tip, layout=widgets.Layout(width="auto"))
        for text, tip in (("◀ back", "one step back"), ("next ▶", "one step on"))
    )
    grain = widgets.ToggleButtons(
        options=[("source lines", False), ("PTX", True)], value=stepper.ptx,
        tooltips=["a step is a run through a line", "a step is one PTX instruction"],
        style={"button_width": "auto"}, layout=widgets.Layout(flex="0 0 auto"),
    )  # fmt: skip
    page = widgets.HTML()

    def draw(*_) -> None:
        page.value = stepper.still(place.value)._repr_html_()
        back.disabled, forth.disabled = place.value == place.min, place.value == place.max

    def move(by: int) -> None:
        place.value = min(max(place.value + by, place.min), place.max)

    def change_grain(change) -> None:
        """Stay at the same instruction."""
        here = stepper.frames[place.value].steps[0].number
        stepper.ptx = change["new"]
        number = next(k for k, frame in enumerate(stepper.frames) if frame.steps[-1].number >= here)
        with place.hold_trait_notifications():
            place.max = len(stepper) - 1
            place.value = number
        draw()

    place.observe(draw, "value")
    back.on_click(lambda _: move(-1))
    forth.on_click(lambda _: move(1))
    grain.observe(change_grain, "value")
    draw()
    controls = widgets.HBox([back, forth, place, grain], layout=widgets.Layout(max_width="60rem", flex_flow="row wrap"))
    return widgets.VBox([controls, page])
