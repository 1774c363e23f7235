"""masked-gelu-forward: three forms, two types, one mask."""

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
from grader.exercises.ch10_masked_gelu.reference import DTYPES, FORMS, FORWARD, gelu, masked, tolerance
from grader.exercises.kernel import KernelPlan, Signature

KERNELS = [f"masked_gelu_{form}_{kind}" for form in FORMS for kind in DTYPES]
ONE_EACH = ["masked_gelu_erf_f32", "masked_gelu_tanh_f16"]  # both types, two forms: for what the forms share
# For checks of anything but the formula: enough to know an element by, and no part of the contract.
LOOSE = Tolerance(absolute=FORWARD, relative=2.0**-6, told=False)
QUANTUM = {"f32": 2.0**-149, "f16": 2.0**-24}  # the smallest positive number of the type


def parts(kernel: str) -> tuple[str, str]:
    """The form and the type of a kernel, from its name."""
    form, kind = kernel.split("_")[2:]
    return form, kind


def case(kernel, x, mask, *, allowed=LOOSE, label="", start=0, total=None) -> Case:
    """One thread for each element; ``start`` and ``total`` place the data in longer buffers."""
    n = x.size if total is None else total
    form, kind = parts(kernel)
    place = {"start": start, "total": total}
    return Case(
        kernel=kernel,
        arguments=(
            In("x", x, **place), In("mask", mask, **place),
            Out("y", x.shape, DTYPES[kind], **place), np.int64(n),
        ),
        grid=grid_1d(n, inputs.BLOCK),
        block=(inputs.BLOCK, 1, 1),
        expected={"y": masked(gelu(form, x), mask)},
        tolerance=allowed,
        label=label or f"n = {n}",
    )  # fmt: skip


def make(kernel: str, n: int, rng) -> Case:
    """``n`` elements at which every form of GELU is x."""
    return case(kernel, inputs.plain(n, rng, parts(kernel)[1]), inputs.ones(n))


def make_at(kernel: str, n: int, start: int, total: int, rng) -> Case:
    x = inputs.plain(n, rng, parts(kernel)[1])
    return case(kernel, x, inputs.ones(n), start=start, total=total)


_runs = launches.runs(KERNELS, make, ROOM, "y")
_leaves_inputs = launches.leaves_inputs(KERNELS, make, ROOM)


def _values(*kernels):
    """Each form within the tolerance of its type, where GELU bends; all FP16 numbers up to 8."""

    def cases(rng):
        for kernel in kernels:
            kind = parts(kernel)[1]
            x = inputs.bend(kind, rng)
            allowed = tolerance(kind, FORWARD)
            yield case(kernel, x, inputs.ones(x.size), allowed=allowed, label="mask all 1").with_room(ROOM)

    return lambda bench, rng: bench.first_failure(cases(rng))


def _on(make_x, allowed=lambda kind: tolerance(kind, FORWARD), label="mask all 1", mask=inputs.ones):
    """Every kernel on ``make_x(kind, rng)`` under ``mask(n)``."""

    def cases(rng):
        for kernel in KERNELS:
            kind = parts(kernel)[1]
            x = make_x(kind, rng).astype(DTYPES[kind])
            yield case(kernel, x, mask(x.size), allowed=allowed(kind), label=label).with_room(ROOM)

    return lambda bench, rng: bench.first_failure(cases(rng))


def _with(*specials):
    """Ordinary numbers with special ones among them, every third in turn."""

    def make_x(kind, rng):
        x = inputs.plain(2 * inputs.BLOCK, rng, kind)
        x[::3] = np.resize(np.array(specials, DTYPES[kind]), x[::3].size)
        return x

    return make_x


def _mask_keeps(bench, rng) -> Finding:
    cases = []
    for kernel in KERNELS:
        n = 2 * inputs.BLOCK
        mask = rng.integers(0, 2, n).astype(np.uint8)
        mask[:2] = 0, 1
        x = inputs.plain(n, rng, parts(kernel)[1])
        cases.append(case(kernel, x, mask, label="mask of 0 and 1").with_room(ROOM))
    return bench.first_failure(cases)


def _mask_writes(bench, rng) -> Finding:
    for kernel in KERNELS:
        n, label = 2 * inputs.BLOCK, "mask all 0"
        x = inputs.plain(n, rng, parts(kernel)[1])
        run = bench.launch(case(kernel, x, np.zeros(n, np.uint8), label=label).with_room(ROOM))
        if run.finding:
            return run.finding
        if (missing := np.flatnonzero(unwritten(run.outputs["y"]))).size:
            return failed(f"{kernel} never writes y[{missing[0]}]; {label}.", case={"kernel": kernel, "label": label})
    return passed()


def _mask_selects(bench, rng) -> Finding:
    """Behind a zero of the mask every byte of y is 0: NaN, an infinity, even the sign of x are gone."""
    hidden = (np.nan, np.inf, -np.inf, -1.0, -np.nan, 3.0)
    for kernel in KERNELS:
        dtype = DTYPES[parts(kernel)[1]]
        x = np.resize(np.array(hidden, dtype), 2 * inputs.BLOCK)
        label = "mask all 0"
        run = bench.launch(case(kernel, x, np.zeros(x.size, np.uint8), label=label).with_room(ROOM))
        if run.finding:
            return run.finding
        y = run.outputs["y"]
        wrong = np.flatnonzero(y.view(np.uint8).reshape(y.size, -1).any(axis=1))
        if wrong.size:
            i = int(wrong[0])
            what = "was never written" if unwritten(y[i : i + 1])[0] else f"is {y[i]}, expected 0.0"
            got = {
                "kernel": kernel,
                "label": label,
                "output": "y",
                "index": i,
                "got": str(y[i]),
                "expected": "0.0",
            }
            message = f"y[{i}] {what} (from x[{i}] = {x[i]}, mask[{i}] = 0); {kernel}, {label}."
            return failed(message, case={**got, "inputs": {"x": str(x[i]), "mask": "0"}})
    return passed()


def _check(id, misconception, group, sentence, run, source, *, seeded=False, needs=("leaves-inputs",)) -> Check:
    return Check(
        id=id, misconception=misconception, group=group, sentence=sentence, run=run, source=source,
        seeded=seeded, needs=needs,
    )  # fmt: skip


_NEAR = {kind: Tolerance(absolute=quantum, relative=2.0**-10) for kind, quantum in QUANTUM.items()}

PLAN = KernelPlan(
    kernels={
        name: Signature(
            f"{name}(const {t}* x, const unsigned char* mask, {t}* y, long long n)",
            ("pointer", "pointer", "pointer", "long long"),
        )
        for name in KERNELS
        for t in ["float" if name.endswith("f32") else "__half"]
    },
    group="values",
    checks=(
        Check(
            id="runs", misconception=None, group="values", run=_runs, source="contract: memory",
            sentence="A launch over 256 elements ends and writes every element of y.",
        ),
        Check(
            id="leaves-inputs", misconception="input-as-scratch", group="values", needs=("runs",),
            run=_leaves_inputs, source="contract: memory",
            sentence="The inputs x and mask are read, never written.",
        ),
        _check(
            "erf-values", "look-alike", "values",
            "The erf form agrees with the float64 reference from -6 to 6 in FP32.",
            _values("masked_gelu_erf_f32"), "contract: erf form, FP32", seeded=True,
        ),
        _check(
            "tanh-values", "tanh-cubic", "values",
            "The tanh form agrees with the float64 reference from -6 to 6 in FP32.",
            _values("masked_gelu_tanh_f32"), "contract: tanh form, FP32", seeded=True,
        ),
        _check(
            "sigmoid-values", "sigmoid-scale", "values",
            "The sigmoid form agrees with the float64 reference from -6 to 6 in FP32.",
            _values("masked_gelu_sigmoid_f32"), "contract: sigmoid form, FP32", seeded=True,
        ),
        _check(
            "half-values", "half-arithmetic", "half",
            "All three forms round once for every FP16 number from -8 to 8.",
            _values(*(k for k in KERNELS if k.endswith("f16"))), "contract: FP16",
        ),
        _check(
            "mask-keeps", "mask-inverted", "mask",
            "Where the mask is 1 the result is GELU(x), where it is 0 a 0 is written.",
            _mask_keeps, "contract: mask", seeded=True,
        ),
        _check(
            "mask-writes", "zero-not-written", "mask",
            "Where the mask is 0, y is written all the same: its memory holds anything before the launch.",
            _mask_writes, "contract: memory",
        ),
        _check(
            "mask-selects", "mask-multiply", "mask",
            "Behind a 0 of the mask the result is +0, whatever x holds: NaN, an infinity, a negative number.",
            _mask_selects, "contract: mask",
        ),
        _check(
            "mask-any-byte", "mask-is-one", "mask",
            "Every byte of the mask that is not 0 keeps its element: 1, 2, 128 and 255 alike.",
            _on(
                lambda kind, rng: inputs.plain(2 * inputs.BLOCK, rng, kind), lambda kind: LOOSE,
                "mask of the bytes 1 to 255", lambda n: np.resize(np.arange(1, 256), n).astype(np.uint8),
            ),
            "contract: mask",
        ),
        _check(
            "nan", "nan-lost", "special", "A NaN in x that the mask keeps comes out as NaN.",
            _on(_with(np.nan, -np.nan), lambda kind: LOOSE), "contract: special values",
        ),
        _check(
            "infinities", "minus-infinity", "special", "GELU(+Inf) is +Inf, GELU(-Inf) is 0.",
            _on(_with(np.inf, -np.inf), lambda kind: LOOSE), "contract: special values",
        ),
        _check(
            "far", "overflow", "special",
            "Far from zero GELU(x) is x on the right and 0 on the left, up to the type's largest number.",
            _on(lambda kind, rng: inputs.far(kind)), "contract: special values",
        ),
        _check(
            "near-zero", "tiny-dropped", "special",
            "Close to zero GELU(x) is x/2, for subnormal numbers too.",
            _on(lambda kind, rng: inputs.near_zero(kind), _NEAR.get), "contract: special values",
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
            "block-size", "block-hard-coded", "launch", "Any block size works, powers of two or not.",
            elementwise.any_block(make, KERNELS), "contract: launch",
        ),
        _check(
            "past-int", "index-32", "launch",
            "The last of 3 · 2³⁰ elements is done, which no int can count.",
            elementwise.last_of(elementwise.PAST_INT, make_at, ONE_EACH), "contract: extents",
        ),
        _check(
            "past-unsigned", "product-32", "launch",
            "The last of 2³² + 1,024 elements is done: products are 64 bits wide before they are formed.",
            elementwise.last_of(elementwise.PAST_UNSIGNED, make_at, ONE_EACH), "contract: extents",
        ),
        _check(
            "reads-once", "scattered-reads", "traffic",
            "Loads touch no more than 1.1 times the sectors that hold x and mask.",
            elementwise.reads_once(make, KERNELS), elementwise.COALESCED, seeded=True, needs=("grid-stride",),
        ),
        _check(
            "writes-once", "writes-twice", "traffic",
            "Stores touch no more than 1.1 times the sectors that hold y.",
            elementwise.writes_once(make, KERNELS), elementwise.COALESCED, seeded=True, needs=("grid-stride",),
        ),
    ),
)  # fmt: skip
