"""Chapter 10: the references, the NumPy kernels of the test-writing exercise, and the plans."""

from pathlib import Path

import numpy as np
import pytest

from grader import course
from grader.exercises import check
from grader.exercises.ch10_masked_gelu import (
    inputs,
    masked_gelu_backward,
    masked_gelu_cases,
    masked_gelu_forward,
)
from grader.exercises.ch10_masked_gelu.models import BROKEN, RIGHT, expected, told_apart
from grader.exercises.ch10_masked_gelu.reference import (
    BACKWARD,
    FORMS,
    FORWARD,
    cdf,
    gelu,
    masked,
    slope,
    tolerance,
)
from grader.exercises.runner import plan_of
from grader.verdict import State

ROOT = Path(__file__).parents[2]
SKELETONS, SOLUTIONS = ROOT / "plugin_skeletons/10_masked_gelu", ROOT / "solutions/10_masked_gelu"
SLUGS = ("masked-gelu-forward", "masked-gelu-cases", "masked-gelu-backward")
X = np.linspace(-8, 8, 4001)


def solved_cases(seed):
    space = {}
    exec((SOLUTIONS / "masked_gelu_cases.py").read_text(), space)
    return space["cases"](seed)


# The references


@pytest.mark.parametrize("form", FORMS)
def test_the_two_sides_of_gelu_differ_by_x(form):
    np.testing.assert_allclose(gelu(form, X) - gelu(form, -X), X, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize(
    ("x", "value"), [(1.0, 0.8413447460685429), (-1.0, -0.15865525393145707), (-10.0, -7.6198530241605e-23)]
)
def test_the_erf_form_is_x_times_the_normal_distribution(x, value):
    assert gelu("erf", x) == pytest.approx(value, rel=1e-13)


@pytest.mark.parametrize("form", FORMS)
def test_special_values(form):
    got = gelu(form, [np.inf, -np.inf, np.nan, 0.0, 3e38, -3e38])
    np.testing.assert_array_equal(got, [np.inf, 0, np.nan, 0, np.float64(3e38), 0])


@pytest.mark.parametrize("form", ("erf", "tanh"))
def test_the_slope_is_the_derivative(form):
    step = 1e-6
    difference = (gelu(form, X + step) - gelu(form, X - step)) / (2 * step)
    np.testing.assert_allclose(slope(form, X), difference, atol=3e-9)
    np.testing.assert_array_equal(slope(form, [np.inf, -np.inf, np.nan, 3e38, -3e38]), [1, 0, np.nan, 1, 0])


def test_what_the_chapter_says_of_the_distance_between_the_forms():
    assert 4.7e-4 < np.abs(gelu("tanh", X) - gelu("erf", X)).max() < 5e-4
    assert 2.0e-2 < np.abs(gelu("sigmoid", X) - gelu("erf", X)).max() < 2.1e-2


def test_what_the_chapter_says_of_the_tanh_form_in_fp16():
    """Further from the erf form than half of FP16's spacing, which never falls below 2^-24, from -5.7 to -0.8."""
    exact = gelu("erf", X)
    times = np.abs(gelu("tanh", X) - exact) / np.maximum(2.0**-11 * np.abs(exact), 2.0**-25)
    assert np.all(times[(X > -5.7) & (X < -1.95)] > 1) and np.all(times[(X > -1.8) & (X < -0.8)] > 1)
    assert np.all(times[(X < -5.75) | (X > -0.79)] < 1)
    assert times.max() > 1000 and X[times.argmax()] == pytest.approx(-4.2, abs=0.05)


def test_only_a_tolerance_of_the_contract_is_shown(tmp_path):
    """Checks of anything but the formula compare loosely, and a learner must not take that for the contract."""
    source = (SOLUTIONS / "masked_gelu.cu").read_text()
    broken = source.replace("isinf(x) && x < 0.0f", "false").replace("1.702f", "1.0f")
    (tmp_path / "masked_gelu.cu").write_text(broken)
    verdict = check("masked-gelu-forward", tmp_path)
    cases = {c.check: c.detail["case"] for c in verdict.checks if c.state is State.FAIL and not c.blocked_by}
    assert "tolerance" not in cases["infinities"]
    assert cases["sigmoid-values"]["tolerance"] == {"absolute": 2.0**-20, "relative": 2.0**-20}


def test_a_mask_chooses():
    np.testing.assert_array_equal(masked(np.array([np.nan, np.inf, 2.0]), np.array([0, 0, 255])), [0, 0, 2])


def test_float_arithmetic_stays_within_half_of_what_is_allowed():
    x = inputs.bend("f32", np.random.default_rng(0))
    one, half = np.float32(1), np.float32(0.5)
    u = np.float32(0.79788456) * (x + np.float32(0.044715) * x * x * x)
    t = np.tanh(u)
    y = half * x * (one + t)
    dx = half * (one + t) + half * x * (one - t * t) * np.float32(0.79788456) * (
        one + np.float32(0.134145) * x * x
    )
    assert y.dtype == dx.dtype == np.float32
    assert np.abs(y - gelu("tanh", x)).max() < FORWARD / 2
    assert np.abs(dx - slope("tanh", x)).max() < BACKWARD / 2


def test_fp16_arithmetic_is_not_allowed():
    x = inputs.every_half(0.25, 4)
    f = np.float16(2) * cdf("erf", x).astype(np.float16) - np.float16(1)
    y = np.float16(0.5) * x * (np.float16(1) + f)
    allowed = tolerance("f16", FORWARD)
    error = np.abs(y - gelu("erf", x))
    assert (error > allowed.absolute + allowed.relative * np.abs(gelu("erf", x))).any()


# The inputs


def test_every_fp16_number_is_tried():
    halves = np.concatenate([inputs.every_half(0.0, inputs.FAR), inputs.far("f16")])
    assert np.unique(halves.view(np.uint16)).size == 2 * 0x7C00  # all but infinities and NaN
    assert halves.size % inputs.BLOCK == 0


def test_plain_inputs_tell_no_form_from_another():
    x = inputs.plain(1000, np.random.default_rng(0), "f32")
    for form in FORMS:
        np.testing.assert_allclose(gelu(form, x), x, rtol=1e-4)
    for form in ("erf", "tanh"):
        np.testing.assert_allclose(slope(form, x), 1, rtol=1e-4)


# The kernels of the test-writing exercise


@pytest.mark.parametrize("name", RIGHT)
def test_no_input_tells_a_right_kernel_apart(name):
    tiny = np.ldexp(np.float32(1), np.arange(-149, 127))
    x = np.concatenate([np.linspace(-40, 40, 4001), tiny, -tiny, [0, -0.0, np.nan, np.inf, -np.inf]]).astype(
        np.float32
    )
    masks = [np.full(x.size, byte, np.uint8) for byte in (0, 1, 128, 255)]
    assert not told_apart(RIGHT[name], [(x, mask) for mask in masks])
    assert not told_apart(RIGHT[name], [(np.empty(0, np.float32), np.empty(0, np.uint8))])


@pytest.mark.parametrize("broken", BROKEN, ids=lambda b: b.id)
def test_the_solution_catches_each_broken_kernel_with_every_seed(broken):
    assert all(told_apart(broken.kernel, solved_cases(seed)) for seed in range(12))


@pytest.mark.parametrize("broken", BROKEN, ids=lambda b: b.id)
def test_a_broken_kernel_is_right_on_some_input(broken):
    """Else there would be nothing to think about."""
    x = np.full(256, 10.0, np.float32) * np.where(np.arange(256) % 2, 1, -1).astype(np.float32)
    kept, hidden = np.ones(256, np.uint8), np.zeros(256, np.uint8)
    easy = [(x, kept)] if broken.id != "inverted" else [(np.zeros(256, np.float32), hidden)]
    assert not told_apart(broken.kernel, easy)


def test_what_is_expected_of_a_hidden_nan():
    np.testing.assert_array_equal(
        expected(np.array([np.nan, 1], np.float32), np.array([0, 0], np.uint8)), [0, 0]
    )


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("return []", "at least one"),
        ("return [(np.zeros(3, np.float32), np.zeros(3, np.uint8))] * 13", "12 are enough"),
        ("return [(np.zeros(3), np.zeros(3, np.uint8))]", "x must be float32"),
        ("return [(np.zeros(3, np.float32), np.zeros(4, np.uint8))]", "equally long"),
        ("return [(np.zeros(9999, np.float32), np.zeros(9999, np.uint8))]", "8,192"),
        ("return [np.zeros(3, np.float32)]", "not a pair"),
        ("return 5", "at least one"),
    ],
)  # fmt: skip
def test_an_answer_of_another_form_is_told_kindly(answer, told):
    cell = f"import numpy as np\ndef cases(seed):\n    {answer}\n"
    verdict = check("masked-gelu-cases", ROOT, cells={"masked-gelu-cases": cell})
    found = {c.check: c for c in verdict.checks}["well-formed"]
    assert (found.state, verdict.earned) == (State.FAIL, 0)
    assert told in found.message


# The plans


@pytest.mark.parametrize("slug", SLUGS)
def test_checks_and_chapter_name_the_same_misconceptions_and_groups(slug):
    exercise = course.find(slug, course.Tree(ROOT))
    checks = plan_of(exercise).all_checks()
    assert {c.misconception for c in checks} - {None} == {m.id for m in exercise.misconceptions}
    assert {c.group for c in checks} == {g.id for g in exercise.groups}
    rows = {row.row for row in exercise.contract}
    for each in checks:
        for row in (
            each.source.removeprefix("contract: ").split(", ") if each.source.startswith("contract: ") else []
        ):
            assert row in rows, f"{each.id} cites {row}"


def test_kernels_by_name():
    assert len(masked_gelu_forward.PLAN.kernels) == 6 and len(masked_gelu_backward.PLAN.kernels) == 4
    assert masked_gelu_forward.parts("masked_gelu_sigmoid_f16") == ("sigmoid", "f16")
    assert len(masked_gelu_cases.PLAN.all_checks()) == len(BROKEN) + 4


# On the simulated GPU


@pytest.mark.parametrize(("slug", "points"), [("masked-gelu-forward", 10), ("masked-gelu-backward", 6)])
def test_the_solution_passes(slug, points):
    verdict = check(slug, SOLUTIONS, device="simulated")
    assert verdict.state is State.PASS, [
        (c.check, c.message) for c in verdict.checks if c.state is not State.PASS
    ]
    assert verdict.earned == verdict.possible == points


def test_the_skeleton_is_told_what_is_missing():
    verdict = check("masked-gelu-forward", SKELETONS, device="simulated")
    found = {c.check: c for c in verdict.checks}
    assert found["compiles"].state is found["signature"].state is State.PASS
    assert found["runs"].state is State.FAIL and "never writes y[0]" in found["runs"].message
    assert {c.blocked_by for c in verdict.checks[3:]} == {"runs"}
    assert verdict.earned == 0
