"""The warp stepper: frames of a trace, as text and as HTML."""

from __future__ import annotations

import numpy as np
import pytest

from grader.gpu import TraceUnavailable, trace_warp
from grader.gpu.mirror.errors import CUDADriverError
from grader.view import WarpStepper, step
from grader.view.frame_text import alt, lane_states
from grader.view.values import lane_list, shown


def line_of(code: str, text: str) -> int:
    (number,) = (n for n, line in enumerate(code.splitlines(), 1) if text in line)
    return number


def test_an_unrolled_loop_is_stepped_through_run_by_run(traced, code):
    stepper = WarpStepper(traced("reduce", warp=1))
    runs = stepper.line(line_of(code, "__shfl_down_sync"))
    assert len(runs) == 5
    sums = [stepper.frames[run].written()[-1] for run in runs]
    assert [shown(s.bits[0], s.type) for s in sums] == ["80", "176", "368", "752", "1520"]
    assert "lane  0: 1520" in repr(stepper.still(runs[-1]))


def test_lanes_in_another_branch_wait_and_are_said_to(traced, code):
    stepper = WarpStepper(traced("odd_even"))
    (number,) = stepper.line(line_of(code, "7 * t"))
    frame = stepper.frames[number]
    assert lane_states(frame) == ["waits", "runs"] * 16
    text = repr(stepper.still(number))
    assert ".#.#.#.#" in text and "The odd lanes run it. The even lanes wait elsewhere." in text
    (branch,) = stepper.line(line_of(code, "if (t % 2)"))
    assert "The lanes part" in repr(stepper.still(branch))


def test_a_block_is_chosen_by_its_place_or_by_x_alone(gpu):
    kernel = gpu.RawKernel('extern "C" __global__ void k(float* y) { y[blockIdx.x] = 1; }', "k")
    y = gpu.zeros(2, np.float32)
    assert step(kernel, (2,), (1,), (y,), at=1).view.trace.block == (1, 0, 0)
    for wrong in ("1", 1.5, (0, 0, 0, 0), ()):
        with pytest.raises(TypeError, match=r"it takes the block to look at: \(x, y, z\), or x alone"):
            step(kernel, (2,), (1,), (y,), at=wrong)
    with pytest.raises(CUDADriverError, match=r"INVALID_VALUE.*no block \(3, 0, 0\) in a grid of \(2, 1, 1\)"):
        step(kernel, (2,), (1,), (y,), at=3)


def test_lanes_end(traced, code):
    stepper = WarpStepper(traced("early"))
    (*_, loop, end) = stepper.frames
    assert lane_states(loop).count("waits") == 12  # those that returned are at the end already
    assert end.exits == 0xFFFFFFFF and "All 32 lanes end here." in repr(stepper.still(-1))
    without = WarpStepper(traced("leaves"))
    assert lane_states(without.frames[-1]) == ["runs"] * 8 + ["ended"] * 24


def test_a_fault_opens_at_the_end_with_its_sentence(traced, code):
    stepper = WarpStepper(traced("reduce", elements=40, warp=1))
    assert "FAULT. The launch ends here. kernel.cu:4: The kernel reads 4 bytes at byte 160" in repr(stepper)
    html = stepper.still(-1)._repr_html_()
    assert "The launch ends here" in html and html.count('class="grader-outside"') == 24 and "in no buffer" in html
    other = WarpStepper(traced("reduce", elements=40, warp=0))
    assert "another one failed. kernel.cu:4" in repr(other) and not other.frames[-1].fault
    assert stepper.frames[-1].fault and not any(frame.fault for frame in stepper.frames[:-1])


def test_a_frame_in_html_says_what_it_shows(traced, code):
    stepper = WarpStepper(traced("columns"))
    (store,) = stepper.line(line_of(code, "tile[32 * t] = t"))
    html = stepper.still(store)._repr_html_()
    said = alt(stepper.view, stepper.frames[store], store, len(stepper))
    assert f'aria-label="{said}"' in html and "1 request, 32 wavefronts" in said
    assert html.count('<td class="grader-runs">') == 8 and "and 24 passes more" in html
    number = line_of(code, "tile[32 * t] = t")
    assert f'class="grader-row grader-now"><i>▶</i><i class="grader-no">{number}</i>' in html


def test_every_frame_has_both_forms(traced):
    for name in ("reduce", "odd_even", "columns", "calls", "early"):
        for ptx in (False, True):
            stepper = WarpStepper(traced(name), ptx=ptx)
            steps = [one for frame in stepper.frames for one in frame.steps]
            assert steps == list(stepper.view.steps)  # nothing is lost, nothing twice
            for number in range(len(stepper)):
                still = stepper.still(number)
                assert repr(still).startswith(f"step {number + 1} of") and "<section" in still._repr_html_()


def test_the_widget_steps_and_changes_its_grain(traced):
    from grader.view.stepper_widget import widget

    stepper = WarpStepper(traced("odd_even"))
    box = widget(stepper, 0)
    (back, forth, place, grain), page = box.children[0].children, box.children[1]
    assert back.disabled and "Step 1 of" in page.value
    forth.click()
    assert place.value == 1 and "Step 2 of" in page.value and not back.disabled
    first = stepper.frames[1].steps[0].number
    grain.value = True
    assert place.value == first and f"Step {first + 1} of {len(stepper.view.steps)}" in page.value
    grain.value = False
    assert place.value == 1 and place.max == len(stepper) - 1
    bundle = stepper._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert "application/vnd.jupyter.widget-view+json" in data and "grader-step" in data["text/html"]


def test_step_is_trace_and_stepper_in_one(gpu, code):
    y = gpu.zeros(32, "float32")
    stepper = step(gpu.RawKernel(code, "columns"), (1,), (32,), (y,))
    assert stepper.view.name == "kernel columns, block (0, 0, 0), warp 0"
    assert "columns" in repr(stepper) and len(step(gpu.RawKernel(code, "columns"), (1,), (32,), (y,), steps=3)) < 3
    with pytest.raises(IndexError, match="steps"):
        stepper.still(99)


def test_a_gpu_cannot(monkeypatch):
    from grader.gpu import traces

    monkeypatch.setattr(traces, "device_kind", lambda: "cuda")
    with pytest.raises(TraceUnavailable, match="GRADER_DEVICE=simulated"):
        trace_warp(None, (1,), (1,), ())


@pytest.mark.parametrize(
    "bits, kind, text",
    [
        (0x3F800000, "f32", "1"), (0x7FC00000, "f32", "nan"), (0x3C00, "f16", "1"), (0x3F80, "bf16", "1"),
        (0x3C004000, "f16x2", "2, 1"), (0xFFFFFFFF, "s32", "-1"), (0xFFFFFFFF, "u32", "4294967295"),
        (0xFFFFFFFF, "b32", "-1"), (1, "pred", "true"), (0x7F0000001000, "u64", "0x7f0000001000"),
        (0x4000000000000000, "f64", "2"), (0xFFFE, "s16", "-2"), (0x501502F9, "f32", "1e10"),
    ],
)  # fmt: skip
def test_values_read_as_their_type(bits, kind, text):
    assert shown(bits, kind) == text


@pytest.mark.parametrize(
    "mask, words",
    [
        (0, "no lane"), (1, "lane 0"), (0xFFFFFFFF, "all 32 lanes"), (0xFF, "lanes 0-7"), (0x10F, "lanes 0-3 and 8"),
        (0x11111111, "lanes 0, 4, 8, … 28"), (0x55555555, "the even lanes"), (0xDB6DB5AB, "21 lanes"),
    ],
)  # fmt: skip
def test_lanes_in_words(mask, words):
    assert lane_list(mask) == words


def test_a_loop_on_one_line_is_stepped_through_run_by_run(gpu):
    code = """extern "C" __global__ void halve(int* y) {
    int v = y[threadIdx.x];
    while (v > 1) v /= 2;
    y[threadIdx.x] = v; }"""
    stepper = step(gpu.RawKernel(code, "halve"), (1,), (32,), (gpu.full(32, 64, "int32"),))
    values = [stepper.frames[k].written()[-1].bits[0] for k in stepper.line(3) if stepper.frames[k].written()]
    assert [v for v in values if v in (32, 16, 8, 4, 2, 1)] == [32, 16, 8, 4, 2, 1]
