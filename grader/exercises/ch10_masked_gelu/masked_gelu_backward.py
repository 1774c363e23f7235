"""masked-gelu-backward: the gradient of the erf and the tanh form."""

from __future__ import annotations

import numpy as np

from grader.checks import (
    Case,
    Check,
    Finding,
    In,
    Out,
    Tolerance,
    elementwise,
    failed,
    grid_1d,
    passed,
    unwritten,
)
from grader.checks.elementwise import ROOM
from grader.exercises.ch10_masked_gelu import inputs, launches
from grader.exercises.ch10_masked_gelu.reference import BACKWARD, DTYPES, masked, slope, tolerance
from grader.exercises.kernel import KernelPlan, Signature

KERNELS = [f"masked_gelu_backward_{form}_{kind}" for form in ("erf", "tanh") for kind in DTYPES]
ONE_EACH = ["masked_gelu_backward_erf_f32", "masked_gelu_backward_tanh_f16"]
# For checks of anything but the formula: enough to know an element by, and no part of the contract.
LOOSE = Tolerance(absolute=BACKWARD, relative=2.0**-6, told=False)


def parts(kernel: str) -> tuple[str, str]:
    """The form and the type of a kernel, from its name."""
    form, kind = kernel.split("_")[3:]
    return form, kind


def case(kernel, dy, x, mask, *, allowed=LOOSE, label="", start=0, total=None) -> Case:
    """One thread for each element; ``start`` and ``total`` place the data in longer buffers."""
    n = x.size if total is None else total
    form, kind = parts(kernel)
    place = {"start": start, "total": total}
    with np.errstate(invalid="ignore"):
        gradient = dy.astype(np.float64) * slope(form, x)
    return Case(
        kernel=kernel,
        arguments=(
            In("dy", dy, **place), In("x", x, **place), In("mask", mask, **place),
            Out("dx", x.shape, DTYPES[kind], **place), np.int64(n),
        ),
        grid=grid_1d(n, inputs.BLOCK),
        block=(inputs.BLOCK, 1, 1),
        expected={"dx": masked(gradient, mask)},
        tolerance=allowed,
        label=label or f"n = {n}",
    )  # fmt: skip


def gradients(n: int, rng, kind: str) -> np.ndarray:
    """Incoming gradients between 1/4 and 1 in magnitude, of both signs."""
    return (rng.uniform(0.25, 1, n) * rng.choice([-1, 1], n)).astype(DTYPES[kind])


def make(kernel: str, n: int, rng) -> Case:
    """``n`` elements at which the slope of every form is 1."""
    kind = parts(kernel)[1]
    return case(kernel, gradients(n, rng, kind), inputs.plain(n, rng, kind), inputs.ones(n))


def make_at(kernel: str, n: int, start: int, total: int, rng) -> Case:
    kind = parts(kernel)[1]
    x, dy = inputs.plain(n, rng, kind), gradients(n, rng, kind)
    return case(kernel, dy, x, inputs.ones(n), start=start, total=total)


_runs = launches.runs(KERNELS, make, ROOM, "dx")
_leaves_inputs = launches.leaves_inputs(KERNELS, make, ROOM)


def _on(make_x, kernels=KERNELS, label="mask all 1"):
    """The formula within its tolerance, on ``make_x(kind, rng)``."""

    def cases(rng):
        for kernel in kernels:
            kind = parts(kernel)[1]
            x = make_x(kind, rng).astype(DTYPES[kind])
            dy = gradients(x.size, rng, kind)
            dy[: len(inputs.ROUND)] = 1  # a round number that fails shows the slope itself
            allowed = tolerance(kind, BACKWARD)
            yield case(kernel, dy, x, inputs.ones(x.size), allowed=allowed, label=label).with_room(ROOM)

    return lambda bench, rng: bench.first_failure(cases(rng))


def _far(kind, rng):
    infinities = np.resize(np.array([np.inf, -np.inf], DTYPES[kind]), inputs.BLOCK)
    return np.concatenate([inputs.far(kind), infinities])


def _mask_keeps(bench, rng) -> Finding:
    cases = []
    for kernel in KERNELS:
        n, kind = 2 * inputs.BLOCK, parts(kernel)[1]
        mask = rng.integers(0, 2, n).astype(np.uint8)
        mask[:2] = 0, 1
        x, dy = inputs.plain(n, rng, kind), gradients(n, rng, kind)
        cases.append(case(kernel, dy, x, mask, label="mask of 0 and 1").with_room(ROOM))
    return bench.first_failure(cases)


def _mask_selects(bench, rng) -> Finding:
    """Behind a zero of the mask every byte of dx is 0, whatever dy and x hold."""
    wild = np.array([np.nan, np.inf, -np.inf, -1.0, 3.0])
    dy, x = (a.ravel() for a in np.meshgrid(wild, wild))
    for kernel in KERNELS:
        dtype = DTYPES[parts(kernel)[1]]
        given = [np.resize(a.astype(dtype), 2 * inputs.BLOCK) for a in (dy, x)]
        label = "mask all 0"
        run = bench.launch(case(kernel, *given, np.zeros(given[0].size, np.uint8), label=label).with_room(ROOM))
        if run.finding:
            return run.finding
        dx = run.outputs["dx"]
        wrong = np.flatnonzero(dx.view(np.uint8).reshape(dx.size, -1).any(axis=1))
        if wrong.size:
            i = int(wrong[0])
            what = "was never written" if unwritten(dx[i : i + 1])[0] else f"is {dx[i]}, expected 0.0"
            origin = f"dy[{i}] = {given[0][i]}, x[{i}] = {given[1][i]}, mask[{i}] = 0"
            message = f"dx[{i}] {what} (from {origin}); {kernel}, {label}."
            told = {
                "kernel": kernel,
                "label": label,
                "output": "dx",
                "index": i,
                "got": str(dx[i]),
                "expected": "0.0",
            }
            return failed(
                message, case={**told, "inputs": {"dy": str(given[0][i]), "x": str(given[1][i]), "mask": "0"}}
            )
    return passed()


def _check(id, misconception, group, sentence, run, source, *, seeded=False, needs=("leaves-inputs",)) -> Check:
    return Check(
        id=id, misconception=misconception, group=group, sentence=sentence, run=run, source=source,
        seeded=seeded, needs=needs,
    )  # fmt: skip


PLAN = KernelPlan(
    kernels={
        name: Signature(
            f"{name}(const {t}* dy, const {t}* x, const unsigned char* mask, {t}* dx, long long n)",
            ("pointer", "pointer", "pointer", "pointer", "long long"),
        )
        for name in KERNELS
        for t in ["float" if name.endswith("f32") else "__half"]
    },
    group="values",
    checks=(
        Check(
            id="runs", misconception=None, group="values", run=_runs, source="contract: memory",
            sentence="A launch over 256 elements ends and writes every element of dx.",
        ),
        Check(
            id="leaves-inputs", misconception="input-as-scratch", group="values", needs=("runs",),
            run=_leaves_inputs, source="contract: memory",
            sentence="The inputs dy, x and mask are read, never written.",
        ),
        _check(
            "erf-values", "second-term", "values",
            "The slope of the erf form agrees with the float64 reference from -6 to 6 in FP32.",
            _on(inputs.bend, KERNELS[:1]), "contract: erf form", seeded=True,
        ),
        _check(
            "tanh-values", "inner-derivative", "values",
            "The slope of the tanh form agrees with the float64 reference from -6 to 6 in FP32.",
            _on(inputs.bend, KERNELS[2:3]), "contract: tanh form", seeded=True,
        ),
        _check(
            "half-values", "half-arithmetic", "half",
            "Both forms round once for every FP16 number from -8 to 8.",
            _on(inputs.bend, KERNELS[1::2]), "contract: tolerance",
        ),
        _check(
            "far", "zero-times-infinity", "special",
            "Far from zero the slope is 1 on the right and 0 on the left, at the infinities too.",
            _on(_far), "contract: special values",
        ),
        _check(
            "mask-keeps", "mask-inverted", "mask",
            "Where the mask is 1 the result is dy * GELU'(x), where it is 0 a 0 is written.",
            _mask_keeps, "contract: mask", seeded=True,
        ),
        _check(
            "mask-selects", "mask-multiply", "mask",
            "Behind a 0 of the mask the result is +0, whatever dy and x hold.",
            _mask_selects, "contract: mask",
        ),
        _check(
            "bounds", "end-of-data", "launch",
            "Every n works: 0, 1, primes, both sides of a warp and a block; nothing past the end is touched.",
            elementwise.every_size(make, ONE_EACH, [k for k in KERNELS if k not in ONE_EACH]),
            "contract: extents", seeded=True,
        ),
        _check(
            "grid-stride", "one-element-each", "launch",
            "A grid with fewer threads than elements still does all the work.",
            elementwise.small_grid(make, KERNELS), "contract: launch",
        ),
        _check(
            "past-unsigned", "index-32", "launch",
            "The last of 2³² + 1,024 elements is done: indices and products are 64 bits wide.",
            elementwise.last_of(elementwise.PAST_UNSIGNED, make_at, ONE_EACH), "contract: extents",
        ),
        _check(
            "reads-once", "scattered-reads", "launch",
            "Loads touch no more than 1.1 times the sectors that hold dy, x and mask.",
            elementwise.reads_once(make, KERNELS), elementwise.COALESCED, seeded=True, needs=("grid-stride",),
        ),
    ),
)  # fmt: skip
